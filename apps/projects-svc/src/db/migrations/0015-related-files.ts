import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Context images of a frame (`spec/api-workspace.md` 4.7): the same document as between services; null: it has none. */
export const relatedFiles: Step = {
  up: async (db) => {
    await sql`alter table frames add column related jsonb`.execute(db)
  },
}
