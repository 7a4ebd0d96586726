import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** When the owner of a webhook left the organization that it is in; null while they are a member. */
export const ownerLeft: Step = {
  up: async (db) => {
    await sql`alter table webhooks add column owner_left_date timestamptz(3)`.execute(db)
  },
}
