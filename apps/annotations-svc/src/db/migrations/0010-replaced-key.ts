import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const tables = ['replaced_shapes', 'replaced_tags', 'replaced_tracks']

/**
 * What was replaced is only ever looked for by its job and what came after a revision. A key of ids as well costs each row
 * of a save a place of its own in the index; like this they come one behind the other. Every statement bears being run again,
 * since the indexes cannot be part of a transaction.
 */
export const replacedKey: Step = {
  transactional: false,
  up: async (db) => {
    for (const table of tables) {
      const columns = sql`${sql.id(table)} (task_id, job_id, generation, revision)`
      await indexStep(`${table}_revision_idx`, columns).up(db)
      await sql.raw(`alter table ${table} drop constraint if exists ${table}_pkey`).execute(db)
    }
  },
}
