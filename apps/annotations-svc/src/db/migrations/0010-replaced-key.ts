import { indexStep, type MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const tables = ['replaced_shapes', 'replaced_tags', 'replaced_tracks']

/**
 * Replaced rows are only searched by job and revision. Without ids in the key, the rows of a save are adjacent in the
 * index, which makes inserts cheaper. Every statement can run again: an index that is built concurrently cannot be
 * part of a transaction.
 */
export const replacedKey: MigrationStep = {
  transactional: false,
  up: async (db) => {
    for (const table of tables) {
      const columns = sql`${sql.id(table)} (task_id, job_id, generation, revision)`
      await indexStep(`${table}_revision_idx`, columns).up(db)
      await sql.raw(`alter table ${table} drop constraint if exists ${table}_pkey`).execute(db)
    }
  },
}
