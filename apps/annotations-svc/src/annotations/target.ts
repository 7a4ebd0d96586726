import type { annotations } from '@reticle/contracts/api/annotations'
import type { labels } from '@reticle/contracts/api/labels'
import type { media } from '@reticle/contracts/api/media'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { JobRange } from '@reticle/contracts/rest/facts'
import { type Context, invalid, notFound, type Service } from '@reticle/kit'
import type { Logger } from '@reticle/kit/log'
import type { Kysely } from 'kysely'
import type { AnnotationsSettings } from '../config.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { IdBlocks } from './ids.ts'

/** What the operations of this service work with. */
export interface Deps {
  /** Of short statements. */
  db: Kysely<AnnotationsDb>
  /** A pool of its own for what lasts as long as its client: streams in and out (`perf-design.md` 4.3). */
  bulk: Kysely<AnnotationsDb>
  ids: IdBlocks
  log: Logger
  settings: AnnotationsSettings
  services: Neighbours
}

/** What is asked of projects-svc. */
export interface Neighbours {
  tasks: Pick<Service<typeof tasks>, 'authorize' | 'annotationsChanged'>
  labels: Pick<Service<typeof labels>, 'getLabelSet'>
  media: Pick<Service<typeof media>, 'getFrameSizes'>
}

export type Handlers = Service<typeof annotations>

/** The annotations that an operation is about: of one job, or of a task, which are those of its jobs together. */
export interface Target {
  kind: 'task' | 'job'
  id: number
  task_id: number
  project_id: number | null
  organization_id: number | null
  /** In id order: every annotation job of the task, or the one job. */
  jobs: readonly JobRange[]
  /** Labels as they are now; objects stored under an older revision may be incomplete. */
  labels_revision: number
}

/**
 * Finds the target, if the caller may do `action` there.
 *
 * @throws DomainError not_found, forbidden; invalid for a project, whose annotations are those of its tasks
 */
export async function openTarget(
  { services }: Pick<Deps, 'services'>,
  { target, id }: { target: 'project' | 'task' | 'job'; id: number },
  action: 'annotations:read' | 'annotations:write',
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
    labels_revision: facts.labels_revision,
  }
}

/** Frames of the target, inclusive; none without media. */
export function rangeOf({ jobs }: Target): { start: number; stop: number } {
  const start = Math.min(...jobs.map((one) => one.start_frame))
  return { start, stop: Math.max(...jobs.map((one) => one.stop_frame)) }
}

/** Whether the jobs follow each other, so that the order of jobs is the order of frames. */
export function isSequence({ jobs }: Target): boolean {
  return jobs.every((one, index) => one.start_frame > (jobs[index - 1]?.stop_frame ?? -1))
}

/** The job that holds what stands on a frame: where jobs overlap, the first of them. */
export function jobAt({ jobs }: Target, frame: number): JobRange {
  const job = jobs.find((one) => one.start_frame <= frame && frame <= one.stop_frame)
  if (!job) throw new RangeError(`no job has frame ${frame}`)
  return job
}
