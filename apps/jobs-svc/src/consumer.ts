import { organizationDeleted } from '@reticle/contracts/events/organizations'
import { projectDeleted, projectMoved } from '@reticle/contracts/events/projects'
import { draftDropped, jobDeleted, taskDeleted, taskMoved } from '@reticle/contracts/events/tasks'
import { userDeleted } from '@reticle/contracts/events/users'
import { type Handle, onEvent, type Route, routeEvents } from '@reticle/kit/bus/bus'
import type { Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from './db/schema.ts'
import {
  dropResults,
  findRunningOf,
  leaveOrganization,
  lockRunningOf,
  lockTenant,
  moveProject,
  moveTask,
  type RequestSubjects,
} from './requests/repo.ts'
import { failLocked } from './requests/repo-ending.ts'
import { dropChunksOf } from './storage/repo-chunks.ts'
import { dropUnusedResult, makeTaskDead } from './storage/repo-objects.ts'
import { dropSessions } from './storage/repo-sessions.ts'

/** Handles the events about projects, tasks, jobs and organizations for the group `reticle.jobs`. */
export const followObjects = (resultTtlHours: number): Handle<RequestsDb> =>
  routeEvents([...deletionRoutes(resultTtlHours), ...moveRoutes])

type Tx = Transaction<RequestsDb>

/** Routes that fail the requests, and delete the files, of deleted projects, tasks, jobs and users. */
function deletionRoutes(resultTtlHours: number): Route<RequestsDb>[] {
  const drop = async (tx: Tx, owner: RequestSubjects, what: string) => {
    for (const row of await runningOf(tx, owner))
      await failLocked(tx, row, `The ${what} was deleted`, resultTtlHours)
    for (const key of await dropResults(tx, owner)) await dropUnusedResult(tx, key)
  }
  return [
    onEvent(taskDeleted, async (tx: Tx, { task }) => {
      await drop(tx, { task_id: [task.id] }, 'task')
      await dropMedia(tx, [task.id])
    }),
    onEvent(draftDropped, (tx: Tx, { task_ids }) => dropMedia(tx, task_ids)),
    onEvent(jobDeleted, (tx: Tx, { job }) => drop(tx, { job_id: [job.id] }, 'job')),
    onEvent(userDeleted, (tx: Tx, { user }) => drop(tx, { owner_id: [user.id] }, 'user')),
    onEvent(projectDeleted, async (tx: Tx, { project, task_ids }) => {
      await drop(tx, { project_id: [project.id] }, 'project')
      if (task_ids.length === 0) return
      await drop(tx, { task_id: task_ids }, 'project')
      await dropMedia(tx, task_ids)
    }),
  ]
}

async function dropMedia(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await dropChunksOf(tx, task_ids)
  await makeTaskDead(tx, task_ids)
  await dropSessions(tx, task_ids)
}

/** Locks the running requests of an owner. Tenants are locked before rows, in one order, as everywhere. */
async function runningOf(tx: Tx, owner: RequestSubjects): Promise<RequestRow[]> {
  const seen = await findRunningOf(tx, owner)
  for (const tenant of [...new Set(seen.map((row) => row.tenant))].sort())
    await lockTenant(tx, tenant)
  return lockRunningOf(tx, owner)
}

/**
 * Routes that copy the new project and organization of moved objects to their requests. The `tenant`, which decides the
 * turn in the queue, stays as posted, because objects do not move while their requests run.
 */
const moveRoutes: readonly Route<RequestsDb>[] = [
  onEvent(projectMoved, (tx, { project_id, organization_id }) =>
    moveProject(tx, project_id, organization_id),
  ),
  onEvent(taskMoved, (tx, { task_id, ...findWorkspace }) => moveTask(tx, task_id, findWorkspace)),
  onEvent(organizationDeleted, (tx, { organization }) => leaveOrganization(tx, organization.id)),
]
