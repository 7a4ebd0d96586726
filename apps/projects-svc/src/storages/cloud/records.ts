import type { CloudStorage } from '@reticle/contracts/rest/cloud-storages'
import type { Kysely } from 'kysely'
import type { CloudStorageRow, ProjectsDb } from '../../db/schema.ts'
import { peopleOf } from '../../organizations/index.ts'
import { toCloudStorage } from './messages.ts'

type Db = Kysely<ProjectsDb>

/** Converts rows to records in the same order, with one query for any number of rows. */
export async function cloudStorageRecords(
  db: Db,
  rows: readonly CloudStorageRow[],
): Promise<CloudStorage[]> {
  const people = await peopleOf(
    db,
    rows.map(({ owner_id }) => owner_id),
  )
  return rows.map((row) => toCloudStorage(row, people))
}

export async function cloudStorageRecord(db: Db, row: CloudStorageRow): Promise<CloudStorage> {
  return toCloudStorage(row, await peopleOf(db, [row.owner_id]))
}
