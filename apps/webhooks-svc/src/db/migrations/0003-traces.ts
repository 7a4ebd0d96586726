import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** When the fact of a message happened, and the trace it is part of; null for messages written before this step. */
export const traces: Step = {
  up: async (db) => {
    await sql`
      alter table webhook_messages add column occurred_date timestamptz(3), add column traceparent text
    `.execute(db)
  },
}
