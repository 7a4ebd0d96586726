import type { media } from '@reticle/contracts/api/media'
import type { Input } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import { invalidText, notFound } from '@reticle/kit'
import { allow } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRules } from '../jobs/policy.ts'
import { findJob } from '../jobs/repo.ts'
import { projectRules } from '../projects/policy.ts'
import { findProject } from '../projects/repo.ts'
import { jobStanding, projectStanding, taskStanding } from '../standing.ts'
import { taskRules } from '../tasks/policy.ts'
import { findTask } from '../tasks/repo.ts'
import { findFrame, findNewestTask } from './repo.ts'

type Db = Kysely<ProjectsDb>
type Target = Pick<Input<(typeof media)['locateFrame']>, 'target' | 'id'>

/** Frames that may be read, task-relative and inclusive; `size` 0: no media yet. */
export interface Viewed {
  task_id: number
  start: number
  stop: number
  size: number
}

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
  const { start, stop, size, task_id } = viewed
  if (size === 0) throw preview ? notFound() : invalidText(noDataText)
  if (!preview && (number < start || number > stop))
    throw invalidText(
      `The frame ${number} is not in this ${target.target}: it has the frames ${start} to ${stop}`,
    )
  const shown = preview ? start + Math.floor((stop - start) / 2) : number
  const frame = await findFrame(db, task_id, shown)
  if (!frame) throw notFound()
  return frame
}

/** What of a task's media a target shows; of a project that of its newest task. The caller must be allowed to view it. */
export async function findViewed(
  db: Db,
  principal: Principal,
  { target, id }: Target,
): Promise<Viewed> {
  switch (target) {
    case 'project':
      return viewedProject(db, principal, id)
    case 'task':
      return viewedTask(db, principal, id)
    case 'job':
      return viewedJob(db, principal, id)
  }
}

async function viewedProject(db: Db, principal: Principal, id: number): Promise<Viewed> {
  const project = await findProject(db, id)
  if (!project) throw notFound()
  allow(projectRules, 'view', principal, projectStanding(principal, project))
  const task = await findNewestTask(db, id)
  if (!task) throw notFound()
  return { task_id: task.id, start: 0, stop: task.size - 1, size: task.size }
}

async function viewedTask(db: Db, principal: Principal, id: number): Promise<Viewed> {
  const task = await findTask(db, id)
  if (!task) throw notFound()
  allow(taskRules, 'data:read', principal, taskStanding(principal, task))
  return { task_id: id, start: 0, stop: task.size - 1, size: task.size }
}

async function viewedJob(db: Db, principal: Principal, id: number): Promise<Viewed> {
  const job = await findJob(db, id)
  if (!job) throw notFound()
  allow(jobRules, 'data:read', principal, jobStanding(principal, job))
  const { task_id, start_frame, stop_frame, task_size } = job
  return { task_id, start: start_frame, stop: stop_frame, size: task_size }
}
