import { randomUUID } from 'node:crypto'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import { pingEvent } from '@reticle/contracts/events/webhook-events'
import { webhook } from '@reticle/contracts/rest/webhooks'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { toAbsoluteLinks } from '@reticle/kit/net/links'
import { z } from 'zod'
import { toDelivery } from '../deliveries/messages.ts'
import { deliveryViews, takeSequence } from '../deliveries/repo.ts'
import type { ClaimedMessage } from '../deliveries/repo-claims.ts'
import { type SendDeps, sendMessage } from '../deliveries/send.ts'
import { buildPayload, dialectBase } from '../payloads/dialects.ts'
import type { Fact } from '../payloads/payload.ts'
import { toWebhook, type WebhookView } from '../webhooks/messages.ts'
import { findPermitted, type PermitDeps, rejectMissing } from '../webhooks/permit.ts'
import { insertLeased } from './repo.ts'

export interface PingDeps extends PermitDeps, SendDeps {
  /** URL of the API in payloads: `https://host/api`. */
  base: string
}

const record = z.record(z.string(), z.unknown())

/**
 * Creates the handler that sends a ping to the receiver at once, without retries, and returns the delivery. A ping is
 * a message with the next sequence number of the webhook.
 */
export function pingHandlers(deps: PingDeps): Pick<Service<typeof webhooks>, 'pingWebhook'> {
  return {
    async pingWebhook({ id }, context) {
      const message = await open(deps, await findPermitted(deps, 'update', id, context), context)
      await sendMessage(deps, message, new AbortController().signal)
      const made = await deliveryViews(deps.db, id)
        .where('delivery.message_id', '=', message.id)
        .executeTakeFirst()
      return toDelivery(made ?? rejectMissing())
    },
  }
}

/** Inserts the message with a lease, so that the dispatcher sends it only if this process dies. */
async function open(
  deps: PingDeps,
  view: WebhookView,
  context: CallContext,
): Promise<ClaimedMessage> {
  const { db, clock } = deps
  const now = clock.now()
  const base = dialectBase(view.dialect, deps.base)
  const fact = pingOf(view, { clock, base }, context)
  const { bodyFor } = buildPayload(view.dialect, fact, base)
  const { event, event_id, key } = fact
  const leased = { webhook_id: view.id, event, event_id, lease_token: randomUUID() }
  const message = await db.transaction().execute(async (tx) => {
    const sequence = (await takeSequence(tx, view.id)) ?? rejectMissing()
    const to = { sequence, delivery_id: randomUUID() }
    const sent = { ...leased, ...to, body: bodyFor({ ...leased, ...to }) }
    const dates = { occurred_date: now, created_date: now, next_attempt_date: now }
    const id = await insertLeased(tx, { ...sent, ...dates, key, changed_fields: '' })
    return { ...sent, id, occurred_date: now }
  })
  const { target_url, secret_sealed, old_secret_sealed, old_secret_until_date, enable_ssl } = view
  return {
    ...message,
    traceparent: null,
    attempt: 0,
    redelivery_of: null,
    target_url,
    secret_sealed,
    old_secret_sealed,
    old_secret_until_date,
    enable_ssl,
    is_active: true, // a ping of a disabled webhook is sent as well
  }
}

/** Builds the ping event; its record is the webhook itself. */
function pingOf(
  view: WebhookView,
  { clock, base }: Pick<PingDeps, 'clock' | 'base'>,
  context: CallContext,
): Fact {
  const { user_id, username, first_name, last_name, email } = signedIn(context)
  return {
    event: pingEvent,
    event_id: randomUUID(),
    key: `webhook:${view.id}`,
    occurred_date: clock.now().toISOString(),
    resource: 'webhook',
    record: record.parse(toAbsoluteLinks(webhook, toWebhook(view), base)),
    actor: { id: user_id, username, first_name, last_name, email },
  }
}
