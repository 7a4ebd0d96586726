import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** The number of changes of a record itself: its entity tag names it, since its date also follows what belongs to it. */
const statements: readonly string[] = ['projects', 'tasks', 'jobs'].map(
  (table) => `alter table ${table} add column revision integer not null default 1`,
)

export const recordRevisions: Step = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
