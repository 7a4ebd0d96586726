import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Index that counts the leased messages of a webhook without scanning its queue. */
export const leasedIndex = indexStep(
  'webhook_messages_webhook_id_lease_until_idx',
  sql`webhook_messages (webhook_id, lease_until) where lease_until is not null`,
)
