import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * What was replaced is only ever looked for by its job and what came after a revision. A key of ids as well costs each row
 * of a save a place of its own in the index; like this they come one behind the other.
 */
export const replacedKey: Step = {
  up: async (db) => {
    for (const table of ['replaced_shapes', 'replaced_tags', 'replaced_tracks']) {
      await sql.raw(`alter table ${table} drop constraint ${table}_pkey`).execute(db)
      await sql.raw(`create index on ${table} (task_id, job_id, generation, revision)`).execute(db)
    }
  },
}
