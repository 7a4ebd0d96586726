import type { MigrationStep } from '@reticle/kit/db/migrate'
import { type Kysely, sql } from 'kysely'

/**
 * Search of frames by any part of their names. Names of neighbouring frames are stored as one text, one name a line,
 * with a trigram index. Neighbours have similar names, so the index stays small; an index on every single name would
 * make attaching media several times slower. The service fills the table.
 */
const table = `create table frame_names (
  task_id integer not null references data_sets on delete cascade,
  first_frame integer not null,
  names text not null,
  primary key (task_id, first_frame)
)`

export const frameNames: MigrationStep = {
  up: async (db) => {
    await sql.raw(table).execute(db)
    const operators = sql.id(await trigrams(db), 'gin_trgm_ops')
    await sql`create index frame_names_names_idx on frame_names using gin (names ${operators})`.execute(
      db,
    )
  },
}

/** Returns the schema of the extension, which an administrator (`deploy/docker/roles.sql`) or this step created. */
async function trigrams(db: Kysely<unknown>): Promise<string> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  const { rows } = await sql<{ schema: string }>`
    select nspname as schema from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'pg_trgm'`.execute(db)
  return rows[0]?.schema ?? 'public'
}
