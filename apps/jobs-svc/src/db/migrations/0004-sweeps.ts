import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** When the sweeper last did what it does seldom: known to whichever process sweeps next. */
export const sweeps: Step = {
  up: async (db) => {
    await sql`create table sweeps (
      name text primary key,
      swept_date timestamptz(3) not null
    )`.execute(db)
  },
}
