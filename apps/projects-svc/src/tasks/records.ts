import type { Task } from '@reticle/contracts/rest/tasks'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { listLabelsOf } from '../labels/repo.ts'
import type { Owner } from '../owner.ts'
import { peopleOf } from '../people.ts'
import { listStoragesOf } from '../storages/repo.ts'
import { labelOwner, toTask } from './messages.ts'
import { summarizeJobs, type TaskView } from './repo.ts'

/** Records of tasks, in the same order and with nothing hidden; five queries however many there are. */
export async function taskRecords(
  db: Kysely<ProjectsDb>,
  rows: readonly TaskView[],
): Promise<Task[]> {
  const around = {
    people: await peopleOf(
      db,
      rows.flatMap((row) => [row.owner_id, row.assignee_id]),
    ),
    labels: await listLabelsOf(db, rows.map(labelOwner)),
    storages: await listStoragesOf(
      db,
      rows.map((row): Owner => ({ kind: 'task', id: row.id })),
    ),
    jobs: await summarizeJobs(
      db,
      rows.map((row) => row.id),
    ),
  }
  return rows.map((row) => toTask(row, around))
}

export async function taskRecord(db: Kysely<ProjectsDb>, row: TaskView): Promise<Task> {
  const [record] = await taskRecords(db, [row])
  if (!record) throw new Error(`task ${row.id} has no record`)
  return record
}
