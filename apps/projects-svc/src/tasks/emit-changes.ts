import { jobUpdated, taskUpdated } from '@reticle/contracts/events/tasks'
import type { Job } from '@reticle/contracts/rest/jobs'
import type { Task } from '@reticle/contracts/rest/tasks'
import { type EventCause, emitAll } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { pairUpdates } from '../bodies/changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobsOf } from '../jobs/repo.ts'
import { areFew, mostEvents } from './deleted.ts'
import { taskRecords } from './records.ts'
import type { TaskView } from './repo.ts'

type Tx = Transaction<ProjectsDb>

export interface TaskRecords {
  tasks: Task[]
  /** All jobs of the tasks. */
  jobs: Job[]
}

/**
 * Returns the records of locked tasks and of their jobs before a change of all of them; undefined when there are so
 * many that only their parent emits an event.
 *
 * @param others number of other objects that emit events in the transaction
 */
export async function taskRecordsIfFew(
  tx: Tx,
  rows: readonly TaskView[],
  others = 0,
): Promise<TaskRecords | undefined> {
  if (rows.length + others > mostEvents) return undefined
  const tasks = await taskRecords(tx, rows)
  return areFew(tasks, others) ? { tasks, jobs: await jobRecordsOf(tx, tasks) } : undefined
}

async function jobRecordsOf(tx: Tx, tasks: readonly Task[]): Promise<Job[]> {
  const ids = tasks.map(({ id }) => id)
  return jobRecords(tx, await listJobsOf(tx, ids))
}

/**
 * Emits an update for each task, and for each job if `before` contains the jobs.
 *
 * @param rows the tasks of `before` after the change, in the same order
 * @returns the records of the tasks after the change
 */
export async function emitTaskChanges(
  tx: Tx,
  before: TaskRecords,
  rows: readonly TaskView[],
  cause: EventCause,
): Promise<Task[]> {
  const tasks = await taskRecords(tx, rows)
  const jobs = before.jobs.length > 0 ? await jobRecordsOf(tx, before.tasks) : []
  const taskUpdates = pairUpdates(before.tasks, tasks).map(({ record, before_update }) => ({
    task: record,
    before_update,
  }))
  const jobUpdates = pairUpdates(before.jobs, jobs).map(({ record, before_update }) => ({
    job: record,
    before_update,
  }))
  await emitAll(tx, taskUpdated, taskUpdates, cause)
  await emitAll(tx, jobUpdated, jobUpdates, cause)
  return tasks
}
