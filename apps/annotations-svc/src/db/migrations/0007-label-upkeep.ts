import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * State of the rewrite that follows label changes. `labels_noted`: newest labels revision for which the revision of
 * the job was raised; at least `labels_revision`, for which all rows are complete. `labels_sweep`: progress of the
 * rewrite between the two, `{revision, kind, frame, id}`; null before it starts.
 */
export const labelUpkeep: MigrationStep = {
  up: async (db) => {
    await sql`alter table jobs
      add column labels_noted integer not null default -1,
      add column labels_sweep jsonb`.execute(db)
  },
}
