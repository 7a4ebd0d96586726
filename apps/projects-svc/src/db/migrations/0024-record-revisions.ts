import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Number of changes of the record itself. It is part of the ETag, because the date also follows the children of the
 * record.
 */
const statements: readonly string[] = ['projects', 'tasks', 'jobs'].map(
  (table) => `alter table ${table} add column revision integer not null default 1`,
)

export const recordRevisions: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
