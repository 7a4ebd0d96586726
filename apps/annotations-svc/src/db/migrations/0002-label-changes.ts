import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** How often labels went away or were exchanged under a job: a write that was checked before that is not stored after it. */
export const labelChanges: Step = {
  up: async (db) => {
    await sql`alter table jobs add column labels_changes integer not null default 0`.execute(db)
  },
}
