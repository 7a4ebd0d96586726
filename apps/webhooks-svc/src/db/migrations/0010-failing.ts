import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Since when a webhook fails and fails, and why it was switched off, if the service did it (`reliability.md` 7.2). */
export const failing: Step = {
  up: async (db) => {
    await sql`
      alter table webhooks add column failing_since_date timestamptz(3), add column disabled_reason text
    `.execute(db)
  },
}
