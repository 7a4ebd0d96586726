import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * The cloud storage that the media of a task is in (`spec/api-workspace.md` 4.7); null with storage `cloud_storage`: it was
 * detached.
 */
const statements = [
  `alter table data_sets add column if not exists cloud_storage_id integer`,
  // Not valid at first: the rows that exist are looked at without a lock that stops writing.
  `alter table data_sets
    drop constraint if exists data_sets_cloud_storage_id_fkey,
    add constraint data_sets_cloud_storage_id_fkey
      foreign key (cloud_storage_id) references cloud_storages on delete set null not valid`,
  'alter table data_sets validate constraint data_sets_cloud_storage_id_fkey',
]

const index = indexStep(
  'data_sets_cloud_storage_id_idx',
  sql`data_sets (cloud_storage_id) where cloud_storage_id is not null`,
)

/** Every statement bears being run again, since the index cannot be part of a transaction. */
export const mediaInBuckets: Step = {
  transactional: false,
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
    await index.up(db)
  },
}
