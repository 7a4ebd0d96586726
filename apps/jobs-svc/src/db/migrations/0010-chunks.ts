import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Chunks of frames that were made and are kept (`spec/api-workspace.md` 4.7). Without an object a chunk is being made, by
 * whoever has it until then. Each object is one of `blobs` besides, by which it is removed.
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

export const chunks: Step = {
  up: async (db) => {
    for (const statement of statements) await statement.execute(db)
  },
}
