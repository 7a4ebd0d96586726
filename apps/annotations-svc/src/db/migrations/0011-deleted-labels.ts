import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Names of deleted labels, kept while a readable revision may have objects of them. */
export const deletedLabels: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  `create table deleted_labels (
    label_id integer primary key,
    name text not null,
    deleted_date timestamptz(3) not null default now()
  )`,
  'create index deleted_labels_deleted_date_idx on deleted_labels (deleted_date)',
]
