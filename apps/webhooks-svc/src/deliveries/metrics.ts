import { readFromDatabase } from '@reticle/kit/observe/database'
import { counter, histogram, readGauge } from '@reticle/kit/observe/registry'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'

/** Metrics of deliveries. */

/** The result `retried` means a failure that is followed by another attempt. */
export const attempts = counter({
  name: 'reticle_webhook_attempts_total',
  help: 'Ended attempts to deliver a message',
  labelNames: ['result'],
})

export const disabled = counter({
  name: 'reticle_webhooks_disabled_total',
  help: 'Webhooks that were deactivated because they failed for too long',
})

export const firstAttemptSeconds = histogram({
  name: 'reticle_webhook_first_attempt_seconds',
  help: 'Time from the event to the start of the first attempt to deliver it',
  buckets: [0.05, 0.15, 0.5, 1, 5, 30, 300],
})

const pending = readGauge({
  name: 'reticle_webhook_pending',
  help: 'Messages that are neither delivered nor given up',
})

/** Upper bound of the count; the alert fires at a tenth of it. */
const most = 100_000

/** Updates the gauge of pending messages. Returns a function that stops it. */
export function watchMessages(db: Kysely<WebhooksDb>): () => void {
  return readFromDatabase(db, async (tx) => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from (
        select 1 from webhook_messages where status in ('pending', 'waiting') limit ${most}
      ) counted`.execute(tx)
    return [{ gauge: pending, value: rows[0]?.count ?? 0 }]
  })
}
