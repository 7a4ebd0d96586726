import { projectDeleted } from '@reticle/contracts/events/projects'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { lockProject } from '../db/shared-rows.ts'
import { listJobsAssigned, lockJob } from '../jobs/repo.ts'
import type { OrganizationObjects } from '../organizations/index.ts'
import { changeProject } from '../projects/change.ts'
import { emitChanges, recordsIfFew } from '../projects/emit-changes.ts'
import { projectRecord } from '../projects/records.ts'
import {
  deleteProject,
  listProjectsAssigned,
  lockProjectsOfOrganization,
  releaseProjects,
} from '../projects/repo.ts'
import { listIssuesAssigned, lockIssue } from '../review/issues/repo.ts'
import { changeIssue } from '../review/issues/rpc.ts'
import { changeTask } from '../tasks/change.ts'
import { emitDeletedTask, emitDeletedTasks } from '../tasks/deleted.ts'
import { changeJob } from '../tasks/follow-jobs.ts'
import { taskRecord } from '../tasks/records.ts'
import {
  deleteTask,
  listTasksAssigned,
  lockTask,
  lockTasksOfOrganization,
  releaseTasks,
} from '../tasks/repo.ts'
import { releaseCloudStoragesOf, removeCloudStoragesOf } from './cloud-storages.ts'

type Tx = Transaction<ProjectsDb>

/** Changes of projects, tasks, jobs and cloud storages when an organization is deleted or a member is removed. */
export const organizationObjects: OrganizationObjects = {
  /** Emits an event for each object; above the limit only the organization emits one. */
  async release(tx, organization_id, cause) {
    const projects = await lockProjectsOfOrganization(tx, organization_id)
    const tasks = await lockTasksOfOrganization(tx, organization_id)
    const before = await recordsIfFew(tx, { projects, tasks })
    const ids = tasks.map(({ id }) => id)
    const freedTasks = await releaseTasks(tx, ids)
    const freed = await releaseProjects(tx, organization_id) // after the tasks, as in the move of a project
    if (before) await emitChanges(tx, before, { projects: freed, tasks: freedTasks }, cause)
    await releaseCloudStoragesOf(tx, organization_id, cause)
  },

  /**
   * Emits an event for each object; above the limit only for projects and for tasks without a project, whose events
   * cover their contents.
   */
  async remove(tx, organization_id, cause) {
    const projects = await lockProjectsOfOrganization(tx, organization_id)
    const tasks = await lockTasksOfOrganization(tx, organization_id)
    const areFew = (await recordsIfFew(tx, { projects, tasks })) !== undefined
    for (const row of projects) {
      const own = tasks.filter((task) => task.project_id === row.id)
      if (areFew) await emitDeletedTasks(tx, own, cause)
      const project = await projectRecord(tx, row)
      await emit(tx, projectDeleted, { project, task_ids: own.map(({ id }) => id) }, cause)
      await deleteProject(tx, row.id)
    }
    for (const task of tasks.filter(({ project_id }) => project_id === null)) {
      await emitDeletedTask(tx, task, cause, areFew)
      await deleteTask(tx, task.id)
    }
    await removeCloudStoragesOf(tx, organization_id, cause)
  },

  async unassign(tx, of, cause) {
    for (const id of await listProjectsAssigned(tx, of)) await unassignProject(tx, id, cause)
    for (const id of await listTasksAssigned(tx, of)) await unassignTask(tx, id, cause)
    for (const id of await listJobsAssigned(tx, of)) {
      const row = await lockJob(tx, id)
      if (row) await changeJob(tx, row, unassigned(), cause)
    }
    for (const id of await listIssuesAssigned(tx, of)) {
      const row = await lockIssue(tx, id)
      if (row) await changeIssue(tx, row, { assignee_id: null }, cause)
    }
  },
}

const unassigned = () => ({ assignee_id: null, assignee_updated_date: new Date() })

async function unassignProject(tx: Tx, id: number, cause: EventCause): Promise<void> {
  const row = await lockProject(tx, id)
  if (!row) return
  const before = await projectRecord(tx, row)
  await changeProject(tx, row, before, { columns: unassigned(), storages: [] }, cause)
}

async function unassignTask(tx: Tx, id: number, cause: EventCause): Promise<void> {
  const row = await lockTask(tx, id)
  if (!row) return
  const before = await taskRecord(tx, row)
  await changeTask(tx, row, before, { columns: unassigned(), storages: [] }, cause)
}
