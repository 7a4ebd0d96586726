import type { JobRange } from '@reticle/contracts/rest/facts'
import { type Context, invalid, notFound } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import type { FrameRange } from '../validation/shapes.ts'
import { awaitLabelChanges } from './label-changes.ts'

/** The annotations that an operation is about: of one job, or of a task, which are those of its jobs together. */
export interface Target {
  kind: 'task' | 'job'
  id: number
  task_id: number
  project_id: number | null
  organization_id: number | null
  /** In id order: every annotation job of the task, or the one job. */
  jobs: readonly JobRange[]
  /** Of a ground-truth job the frames it has; empty: all of its range. */
  frames: readonly number[]
  /** `2d` or `3d`. */
  dimension: string
  /** Labels as they are now; objects stored under an older revision may be incomplete. */
  labels_revision: number
  /** Events by which the annotations recently followed their labels. */
  label_events: readonly string[]
}

type Wanted = { target: 'project' | 'task' | 'job'; id: number }
type Action = 'annotations:read' | 'annotations:write'

/**
 * Finds the target, if the caller may do `action` there, and waits until its annotations follow the changes of labels that
 * projects-svc has answered.
 *
 * @param waitMs default: as long as a call may wait
 * @throws DomainError not_found, forbidden; invalid for a project, whose annotations are those of its tasks; unavailable
 */
export async function openTarget(
  deps: Pick<Deps, 'db' | 'services' | 'settings'>,
  wanted: Wanted,
  action: Action,
  context: Context,
  waitMs = deps.settings.labelsWaitMs,
): Promise<Target> {
  const target = await findTarget(deps, wanted, action, context)
  await awaitLabelChanges(deps, target.label_events, waitMs, context)
  return target
}

/** As `openTarget`, without waiting: for transactions that hold locks which the events of labels need. */
export async function findTarget(
  { services }: Pick<Deps, 'services'>,
  { target, id }: Wanted,
  action: Action,
  context: Context,
): Promise<Target> {
  if (target === 'project') throw invalid({ target: 'annotations belong to tasks and jobs' })
  const facts = await services.tasks.authorize({ target, id, action }, context)
  if (facts.task_id === null) throw notFound()
  return {
    kind: target,
    id,
    task_id: facts.task_id,
    project_id: facts.project_id,
    organization_id: facts.organization_id,
    jobs: facts.jobs,
    frames: facts.frames,
    dimension: facts.dimension,
    labels_revision: facts.labels_revision,
    label_events: facts.label_events,
  }
}

/** Frames of the target, inclusive; none without media. */
export function rangeOf({ jobs, frames }: Target): FrameRange {
  const start = Math.min(...jobs.map((one) => one.start_frame))
  const stop = Math.max(...jobs.map((one) => one.stop_frame))
  return { start, stop, chosen: frames.length > 0 ? new Set(frames) : undefined }
}

/** Whether the jobs follow each other, so that the order of jobs is the order of frames. */
export function isSequence({ jobs }: Target): boolean {
  return jobs.every((one, index) => one.start_frame > (jobs[index - 1]?.stop_frame ?? -1))
}

/** Whether its media are point clouds: their cuboids have another layout of points. */
export const isSpatial = ({ dimension }: Pick<Target, 'dimension'>) => dimension === '3d'

/** The jobs that have a frame: where jobs overlap, several. */
export function jobsOfFrame({ jobs }: Pick<Target, 'jobs'>, frame: number): JobRange[] {
  const found: JobRange[] = []
  for (let at = firstJobTo(jobs, frame); ; at += 1) {
    const job = jobs[at]
    if (!job || job.start_frame > frame) return found
    found.push(job)
  }
}

/** The index of the first job that reaches as far as a frame. */
export function firstJobTo(jobs: readonly JobRange[], frame: number): number {
  let [from, to] = [0, jobs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((jobs[middle]?.stop_frame ?? 0) < frame) from = middle + 1
    else to = middle
  }
  return from
}
