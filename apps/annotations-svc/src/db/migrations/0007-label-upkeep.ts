import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Objects follow the labels of their task. `labels_noted`: the newest revision of the labels that the job's revision was
 * raised for, never less than `labels_revision`, which its rows are complete for. `labels_sweep`: how far the rows between
 * the two have been rewritten, `{revision, kind, frame, id}`; null before the first of them.
 */
export const labelUpkeep: Step = {
  up: async (db) => {
    await sql`alter table jobs
      add column labels_noted integer not null default -1,
      add column labels_sweep jsonb`.execute(db)
  },
}
