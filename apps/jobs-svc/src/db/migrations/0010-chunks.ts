import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Stored chunks of frames. A chunk without an object is being made by the holder of its claim. Each object is also in
 * `blobs`, by which it is removed.
 */
const statements = [
  sql`create table chunks (
    task_id integer not null,
    name text not null,
    data_revision integer not null,
    object_key text,
    size bigint,
    checksum text,
    builder uuid,
    leased_until_date timestamptz(3),
    created_date timestamptz(3) not null default now(),
    used_date timestamptz(3) not null default now(),
    primary key (task_id, name)
  )`,
  sql`create index chunks_used_date_idx on chunks (used_date)`,
]

export const chunks: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}
