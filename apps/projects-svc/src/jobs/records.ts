import type { Job } from '@reticle/contracts/rest/jobs'
import type { Kysely } from 'kysely'
import type { Owner } from '../access/owner.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { peopleOf } from '../organizations/index.ts'
import { listStoragesOf } from '../storages/repo.ts'
import { toJob } from './messages.ts'
import type { JobView } from './repo.ts'

/** Converts jobs to records with all fields, in the same order, with two queries for any number of rows. */
export async function jobRecords(db: Kysely<ProjectsDb>, rows: readonly JobView[]): Promise<Job[]> {
  const people = await peopleOf(
    db,
    rows.map((row) => row.assignee_id),
  )
  const tasks = new Set(rows.map((row) => row.task_id))
  const storages = await listStoragesOf(
    db,
    [...tasks].map((id): Owner => ({ kind: 'task', id })),
  )
  return rows.map((row) => toJob(row, people, storages))
}

export async function jobRecord(db: Kysely<ProjectsDb>, row: JobView): Promise<Job> {
  const [record] = await jobRecords(db, [row])
  if (!record) throw new Error(`job ${row.id} has no record`)
  return record
}
