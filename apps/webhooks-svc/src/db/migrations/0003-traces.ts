import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Time and trace of the event behind a message; null for messages written before this migration. */
export const traces: MigrationStep = {
  up: async (db) => {
    await sql`
      alter table webhook_messages add column occurred_date timestamptz(3), add column traceparent text
    `.execute(db)
  },
}
