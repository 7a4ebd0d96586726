import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** What is due of a webhook is found without its retries standing between first attempts, or these between them. */
export const dueIndex = indexStep(
  'webhook_messages_webhook_id_status_next_attempt_date_idx',
  sql`webhook_messages (webhook_id, status, next_attempt_date, id) where status in ('pending', 'waiting')`,
)
