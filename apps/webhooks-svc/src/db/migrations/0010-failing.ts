import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Start of the current series of failures of a webhook, and the reason when the service disabled it. */
export const failing: MigrationStep = {
  up: async (db) => {
    await sql`
      alter table webhooks add column failing_since_date timestamptz(3), add column disabled_reason text
    `.execute(db)
  },
}
