import { jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type Cause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobIdsOf, listJobsOf } from '../jobs/repo.ts'
import { taskRecord, taskRecords } from './records.ts'
import type { TaskView } from './repo.ts'

type Tx = Transaction<ProjectsDb>

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
  tx: Tx,
  tasks: readonly TaskView[],
  cause: Cause,
): Promise<void> {
  if (tasks.length === 0 || tasks.length > mostEvents) return
  const records = await taskRecords(tx, tasks)
  if (!areFew(records)) return
  const jobs = await jobRecordsOf(tx, tasks)
  await emitJobs(tx, jobs, cause)
  await emitTasks(tx, records, jobs, cause)
}

/**
 * Are tasks and their jobs few enough for an event each?
 *
 * @param others objects that are told of beside them
 */
export function areFew(tasks: readonly Task[], others = 0): boolean {
  const objects = tasks.reduce((sum, task) => sum + 1 + task.jobs.count, others)
  return objects <= mostEvents && labelBytes(tasks) <= mostLabelBytes
}

/** Tasks of one project have one list of labels. */
function labelBytes(tasks: readonly Task[]): number {
  const known = new Map<Task['labels'], number>()
  return tasks.reduce((sum, { labels }) => {
    const bytes = known.get(labels) ?? Buffer.byteLength(JSON.stringify(labels))
    known.set(labels, bytes)
    return sum + bytes
  }, 0)
}

/**
 * The same for one task alone: its own event is always emitted.
 *
 * @param isOneOfFew whether what else goes with it leaves room for events of its jobs
 */
export async function emitDeletedTask(
  tx: Tx,
  task: TaskView,
  cause: Cause,
  isOneOfFew = true,
): Promise<void> {
  const ids = await listJobIdsOf(tx, [task.id])
  if (isOneOfFew && ids.length < mostEvents)
    await emitJobs(tx, await jobRecordsOf(tx, [task]), cause)
  await emitTasks(tx, [await taskRecord(tx, task)], ids, cause)
}

async function jobRecordsOf(tx: Tx, tasks: readonly TaskView[]): Promise<Job[]> {
  const rows = await listJobsOf(
    tx,
    tasks.map((task) => task.id),
  )
  return jobRecords(tx, rows)
}

async function emitJobs(tx: Tx, jobs: readonly Job[], cause: Cause): Promise<void> {
  const facts = jobs.map((job) => ({ job }))
  await emitAll(tx, jobDeleted, facts, cause)
}

/** `jobs`: all jobs of these tasks. */
async function emitTasks(
  tx: Tx,
  tasks: readonly Task[],
  jobs: readonly Pick<Job, 'id' | 'task_id'>[],
  cause: Cause,
): Promise<void> {
  const idsOf = new Map(tasks.map((task): [number, number[]] => [task.id, []]))
  for (const { id, task_id } of jobs) idsOf.get(task_id)?.push(id)
  const facts = tasks.map((task) => ({ task, job_ids: idsOf.get(task.id) ?? [] }))
  await emitAll(tx, taskDeleted, facts, cause)
}
