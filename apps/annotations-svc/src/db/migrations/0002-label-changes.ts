import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Number of removals and replacements of labels per job. A write that was checked before such a change is not stored
 * after it.
 */
export const labelChanges: MigrationStep = {
  up: async (db) => {
    await sql`alter table jobs add column labels_changes integer not null default 0`.execute(db)
  },
}
