import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Dates of the last infrequent sweeps, shared by all processes. */
export const sweeps: MigrationStep = {
  up: async (db) => {
    await sql`create table sweeps (
      name text primary key,
      swept_date timestamptz(3) not null
    )`.execute(db)
  },
}
