import type { Principal } from '@reticle/contracts/rest/principal'
import { notFound } from '@reticle/kit'
import type { Kysely } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import type { FactsTarget } from '../access/repo-facts.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { findNewestTask } from './repo.ts'

/** Readable frames of a target, relative to the task and inclusive; `size` 0: no media yet. */
export interface Viewed {
  task_id: number
  start: number
  stop: number
  size: number
  /** Frames of a ground-truth job, which contains only some of the range; absent: all frames. */
  chosen?: { job_id: number; frames: readonly number[] }
}

/** Returns the error for an existing target without media. */
export const noPreview = () => notFound('There is no media to show yet.', 'no_preview')

/** Returns the frames of a target that the caller may read; for a project those of its newest task. */
export async function findViewed(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  { target, id }: FactsTarget,
): Promise<Viewed> {
  const action = target === 'project' ? 'view' : 'data:read'
  const { task_id, size, jobs, frames } = await authorizeTarget(
    db,
    principal,
    { target, id },
    action,
  )
  const task = task_id === null ? await findNewestTask(db, id) : { id: task_id, size }
  if (!task) throw noPreview()
  const whole = { start_frame: 0, stop_frame: task.size - 1 }
  const { start_frame: start, stop_frame: stop } = (target === 'job' && jobs[0]) || whole
  const chosen = frames.length > 0 ? { job_id: id, frames } : undefined
  return { task_id: task.id, start, stop, size: task.size, chosen }
}
