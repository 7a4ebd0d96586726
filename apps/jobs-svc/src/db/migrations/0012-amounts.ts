import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Finished amounts of a request: bytes of a file, and items, if known. */
export const amounts: MigrationStep = {
  up: async (db) => {
    await sql`alter table requests add column bytes_done bigint, add column bytes_total bigint,
      add column items_done bigint, add column items_total bigint`.execute(db)
  },
}
