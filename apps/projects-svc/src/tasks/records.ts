import type { Task } from '@reticle/contracts/rest/tasks'
import type { Kysely } from 'kysely'
import type { Owner } from '../access/owner.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { listLabelsOf } from '../labels/repo.ts'
import { peopleOf } from '../organizations/index.ts'
import { listStoragesOf } from '../storages/repo.ts'
import { labelOwner, type TaskSurroundings, toTask } from './messages.ts'
import { summarizeJobs, type TaskView } from './repo.ts'

/** Related rows that the caller has read already. */
type KnownOfTasks = Partial<Pick<TaskSurroundings, 'labels' | 'jobs'>>

/** Reads the related rows of tasks, with five queries for any number of tasks. */
export async function taskSurroundings(
  db: Kysely<ProjectsDb>,
  rows: readonly TaskView[],
  known: KnownOfTasks = {},
): Promise<TaskSurroundings> {
  return {
    people: await peopleOf(
      db,
      rows.flatMap((row) => [row.owner_id, row.assignee_id]),
    ),
    labels: known.labels ?? (await listLabelsOf(db, rows.map(labelOwner))),
    storages: await listStoragesOf(
      db,
      rows.map((row): Owner => ({ kind: 'task', id: row.id })),
    ),
    jobs:
      known.jobs ??
      (await summarizeJobs(
        db,
        rows.map((row) => row.id),
      )),
  }
}

/** Converts tasks to records with all fields, in the same order. */
export async function taskRecords(
  db: Kysely<ProjectsDb>,
  rows: readonly TaskView[],
): Promise<Task[]> {
  const around = await taskSurroundings(db, rows)
  return rows.map((row) => toTask(row, around))
}

export async function taskRecord(
  db: Kysely<ProjectsDb>,
  row: TaskView,
  known?: KnownOfTasks,
): Promise<Task> {
  return toTask(row, await taskSurroundings(db, [row], known))
}
