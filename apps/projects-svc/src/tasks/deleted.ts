import { jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type Cause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobIdsOf, listJobsOf } from '../jobs/repo.ts'
import { taskRecords } from './records.ts'
import type { TaskView } from './repo.ts'

/** Above this many objects in one transaction only the parent's event is emitted (`spec/api-annotations.md` 4.3). */
export const mostEvents = 1000

/**
 * Above this many bytes of labels in one transaction likewise: every task of a project carries the project's labels, and
 * megabytes a thousand times would outlast the deletion, if they fitted at all. A hundred ordinary labels do not come near.
 */
const mostLabelBytes = 32 * 1024 * 1024

/**
 * Says of locked tasks of one project, and of their jobs, that they go; to be called before they do. With more than
 * `mostEvents` objects or `mostLabelBytes` in all nothing is said here: the event of their project stands for them.
 */
export async function emitDeletedTasks(
  tx: Transaction<ProjectsDb>,
  tasks: readonly TaskView[],
  cause: Cause,
): Promise<void> {
  if (tasks.length === 0 || tasks.length > mostEvents) return
  const records = await taskRecords(tx, tasks)
  const objects = records.reduce((sum, task) => sum + 1 + task.jobs.count, 0)
  if (objects > mostEvents || labelBytes(records) > mostLabelBytes) return
  await emitAll(tx, jobDeleted, await deletedJobs(tx, tasks), cause)
  await emitTasks(tx, tasks, cause)
}

/** Of tasks of one project, which all have the same labels. */
function labelBytes(records: readonly Task[]): number {
  const [first] = records
  return first ? records.length * Buffer.byteLength(JSON.stringify(first.labels)) : 0
}

/** The same for one task alone: its own event is always emitted. */
export async function emitDeletedTask(
  tx: Transaction<ProjectsDb>,
  task: TaskView,
  cause: Cause,
): Promise<void> {
  const jobs = await deletedJobs(tx, [task])
  if (jobs.length < mostEvents) await emitAll(tx, jobDeleted, jobs, cause)
  await emitTasks(tx, [task], cause)
}

async function deletedJobs(tx: Transaction<ProjectsDb>, tasks: readonly TaskView[]) {
  const rows = await listJobsOf(
    tx,
    tasks.map((task) => task.id),
  )
  const records = await jobRecords(tx, rows)
  return records.map((job) => ({ job }))
}

async function emitTasks(tx: Transaction<ProjectsDb>, tasks: readonly TaskView[], cause: Cause) {
  const ids = tasks.map((task) => task.id)
  const jobs = await listJobIdsOf(tx, ids)
  const records = await taskRecords(tx, tasks)
  const facts = records.map((task) => ({
    task,
    job_ids: jobs.filter((job) => job.task_id === task.id).map((job) => job.id),
  }))
  await emitAll(tx, taskDeleted, facts, cause)
}
