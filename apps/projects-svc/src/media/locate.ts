import type { media } from '@reticle/contracts/api/media'
import type { Input } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import { invalidText, notFound } from '@reticle/kit'
import type { Kysely } from 'kysely'
import { permitted } from '../authorize.ts'
import type { ProjectsDb } from '../db/schema.ts'
import type { Target } from '../facts.ts'
import { withRelated } from './messages.ts'
import { findFrame, findNewestTask } from './repo.ts'

type Db = Kysely<ProjectsDb>

/** Frames that may be read, task-relative and inclusive; `size` 0: no media yet. */
export interface Viewed {
  task_id: number
  start: number
  stop: number
  size: number
  /** The ground-truth job that has only some of these frames, and which; absent: all of them. */
  chosen?: { job_id: number; frames: readonly number[] }
}

/** There is the object, but nothing to show of it. */
const noPreview = () => notFound('There is no media to show yet.', 'no_preview')

export const noDataText = 'Data is not uploaded for the task yet'

/**
 * One frame, or with `preview` the one in the middle, of what the caller may view (`spec/api-workspace.md` 4.7).
 *
 * @throws DomainError not_found, forbidden; invalid for a frame outside and for a task without media, of which a preview
 *   is not_found
 */
export async function locateFrame(
  db: Db,
  principal: Principal,
  { number, preview, ...target }: Input<(typeof media)['locateFrame']>,
): Promise<LocatedFrame> {
  const viewed = await findViewed(db, principal, target)
  if (viewed.size === 0) throw preview ? noPreview() : invalidText(noDataText)
  if (!preview) assertShown(viewed, target, number)
  const frame = await findFrame(db, viewed.task_id, preview ? middleOf(viewed) : number)
  if (!frame) throw notFound()
  return withRelated(frame)
}

function assertShown({ start, stop, chosen }: Viewed, { target }: Target, number: number): void {
  if (number < start || number > stop)
    throw invalidText(
      `The frame ${number} is not in this ${target}: it has the frames ${start} to ${stop}`,
    )
  if (chosen && !chosen.frames.includes(number))
    throw invalidText(
      `The frame ${number} is not in this job: it is none of its ${chosen.frames.length} frames of ground truth`,
    )
}

function middleOf({ start, stop, chosen }: Viewed): number {
  const middle = start + Math.floor((stop - start) / 2)
  return chosen?.frames[Math.floor((chosen.frames.length - 1) / 2)] ?? middle
}

/** What of a task's media a target shows; of a project that of its newest task. The caller must be allowed to view it. */
export async function findViewed(
  db: Db,
  principal: Principal,
  { target, id }: Target,
): Promise<Viewed> {
  const action = target === 'project' ? 'view' : 'data:read'
  const { task_id, size, jobs, frames } = await permitted(db, principal, { target, id }, action)
  const task = task_id === null ? await findNewestTask(db, id) : { id: task_id, size }
  if (!task) throw noPreview()
  const whole = { start_frame: 0, stop_frame: task.size - 1 }
  const { start_frame: start, stop_frame: stop } = (target === 'job' && jobs[0]) || whole
  const chosen = frames.length > 0 ? { job_id: id, frames } : undefined
  return { task_id: task.id, start, stop, size: task.size, chosen }
}
