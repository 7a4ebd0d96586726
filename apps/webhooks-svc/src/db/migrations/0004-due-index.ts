import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * Index that finds due messages of a webhook by status, so that a scan of first attempts skips retries and vice
 * versa.
 */
export const dueIndex = indexStep(
  'webhook_messages_webhook_id_status_next_attempt_date_idx',
  sql`webhook_messages (webhook_id, status, next_attempt_date, id) where status in ('pending', 'waiting')`,
)
