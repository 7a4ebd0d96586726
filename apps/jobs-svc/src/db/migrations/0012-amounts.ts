import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** How much of a request is done (`spec/extensions.md` 5): bytes of a file, and items, where these are known. */
export const amounts: Step = {
  up: async (db) => {
    await sql`alter table requests add column bytes_done bigint, add column bytes_total bigint,
      add column items_done bigint, add column items_total bigint`.execute(db)
  },
}
