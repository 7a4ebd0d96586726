import { jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobIdsOf, listJobsOf } from '../jobs/repo.ts'
import { taskRecord, taskRecords } from './records.ts'
import type { TaskView } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/** Limit on objects of one transaction that emit their own events; above it only the parent emits one. */
export const mostEvents = 1000

/**
 * Limit on bytes of labels in events of one transaction: every task of a project contains the labels of the project,
 * and megabytes for each of a thousand tasks would take longer than the deletion. A hundred ordinary labels stay far
 * below.
 */
const mostLabelBytes = 32 * 1024 * 1024

/**
 * Emits the deletion of locked tasks of one project and of their jobs; call it before deleting them. Above
 * `mostEvents` objects or `mostLabelBytes` it emits nothing: the event of their project covers them.
 */
export async function emitDeletedTasks(
  tx: Tx,
  tasks: readonly TaskView[],
  cause: EventCause,
): Promise<void> {
  if (tasks.length === 0 || tasks.length > mostEvents) return
  const records = await taskRecords(tx, tasks)
  if (!areFew(records)) return
  const jobs = await jobRecordsOf(tx, tasks)
  await emitJobs(tx, jobs, cause)
  await emitTasks(tx, records, jobs, cause)
}

/**
 * Returns whether tasks and their jobs are few enough for an event each.
 *
 * @param others number of other objects that emit events in the transaction
 */
export function areFew(tasks: readonly Task[], others = 0): boolean {
  const objects = tasks.reduce((sum, task) => sum + 1 + task.jobs.count, others)
  return objects <= mostEvents && labelBytes(tasks) <= mostLabelBytes
}

/** Tasks of one project share one list of labels. */
function labelBytes(tasks: readonly Task[]): number {
  const known = new Map<Task['labels'], number>()
  return tasks.reduce((sum, { labels }) => {
    const bytes = known.get(labels) ?? Buffer.byteLength(JSON.stringify(labels))
    known.set(labels, bytes)
    return sum + bytes
  }, 0)
}

/**
 * Emits the deletion of one task, whose own event is always emitted.
 *
 * @param isOneOfFew whether other events of the transaction leave room for events of its jobs
 */
export async function emitDeletedTask(
  tx: Tx,
  task: TaskView,
  cause: EventCause,
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

async function emitJobs(tx: Tx, jobs: readonly Job[], cause: EventCause): Promise<void> {
  const facts = jobs.map((job) => ({ job }))
  await emitAll(tx, jobDeleted, facts, cause)
}

/** `jobs`: all jobs of these tasks. */
async function emitTasks(
  tx: Tx,
  tasks: readonly Task[],
  jobs: readonly Pick<Job, 'id' | 'task_id'>[],
  cause: EventCause,
): Promise<void> {
  const idsOf = new Map(tasks.map((task): [number, number[]] => [task.id, []]))
  for (const { id, task_id } of jobs) idsOf.get(task_id)?.push(id)
  const facts = tasks.map((task) => ({ task, job_ids: idsOf.get(task.id) ?? [] }))
  await emitAll(tx, taskDeleted, facts, cause)
}
