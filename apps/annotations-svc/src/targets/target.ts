import type { JobRange } from '@reticle/contracts/rest/facts'
import { type CallContext, invalid, notFound } from '@reticle/kit'
import type { Deps } from '../deps.ts'
import type { FrameRange } from '../validation/shapes.ts'
import { awaitLabelChanges } from './label-changes.ts'

/** Annotations that an operation concerns: those of one job, or of a task, which combines its jobs. */
export interface AnnotationTarget {
  kind: 'task' | 'job'
  id: number
  task_id: number
  project_id: number | null
  organization_id: number | null
  /** In id order: all annotation jobs of the task, or the one job. */
  jobs: readonly JobRange[]
  /** Frames of a ground-truth job; empty: the whole range. */
  frames: readonly number[]
  /** `2d` or `3d`. */
  dimension: string
  /** Current labels revision; objects that were stored under an older one may be incomplete. */
  labels_revision: number
  /** Recent label events that the annotations depend on. */
  label_events: readonly string[]
}

type TargetSelector = { target: 'project' | 'task' | 'job'; id: number }
type Action = 'annotations:read' | 'annotations:write'

/**
 * Finds the target if the caller may do `action` on it, and waits until its annotations follow recent label changes.
 *
 * @param waitMs default: the time that a call may wait
 * @throws DomainError not_found, forbidden; invalid for a project, which has annotations only in its tasks;
 * unavailable
 */
export async function openTarget(
  deps: Pick<Deps, 'db' | 'services' | 'settings'>,
  selector: TargetSelector,
  action: Action,
  context: CallContext,
  waitMs = deps.settings.labelsWaitMs,
): Promise<AnnotationTarget> {
  const target = await findTarget(deps, selector, action, context)
  await awaitLabelChanges(deps, target.label_events, waitMs, context)
  return target
}

/** Finds the target like `openTarget` without waiting, for transactions that hold locks which label events need. */
export async function findTarget(
  { services }: Pick<Deps, 'services'>,
  { target, id }: TargetSelector,
  action: Action,
  context: CallContext,
): Promise<AnnotationTarget> {
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

/** Returns the frame range of the target, inclusive; meaningless without jobs. */
export function rangeOf({ jobs, frames }: AnnotationTarget): FrameRange {
  const start = Math.min(...jobs.map((one) => one.start_frame))
  const stop = Math.max(...jobs.map((one) => one.stop_frame))
  return { start, stop, chosen: frames.length > 0 ? new Set(frames) : undefined }
}

/** Returns whether the jobs share no frames and follow each other, so that the order of jobs is that of frames. */
export function isSequence({ jobs }: AnnotationTarget): boolean {
  return jobs.every((one, index) => one.start_frame > (jobs[index - 1]?.stop_frame ?? -1))
}

/** Returns whether the media are point clouds, whose cuboids have a different layout of points. */
export const isSpatial = ({ dimension }: Pick<AnnotationTarget, 'dimension'>) => dimension === '3d'

/** Returns the jobs that have a frame; several where jobs overlap. */
export function jobsOfFrame({ jobs }: Pick<AnnotationTarget, 'jobs'>, frame: number): JobRange[] {
  const found: JobRange[] = []
  for (let at = firstJobTo(jobs, frame); ; at += 1) {
    const job = jobs[at]
    if (!job || job.start_frame > frame) return found
    found.push(job)
  }
}

/** Returns the index of the first job that ends on or after a frame. */
export function firstJobTo(jobs: readonly JobRange[], frame: number): number {
  let [from, to] = [0, jobs.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((jobs[middle]?.stop_frame ?? 0) < frame) from = middle + 1
    else to = middle
  }
  return from
}
