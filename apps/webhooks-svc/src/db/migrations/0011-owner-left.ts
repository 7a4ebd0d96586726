import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Time at which the owner of a webhook left the organization of the webhook; null while the owner is a member. */
export const ownerLeft: MigrationStep = {
  up: async (db) => {
    await sql`alter table webhooks add column owner_left_date timestamptz(3)`.execute(db)
  },
}
