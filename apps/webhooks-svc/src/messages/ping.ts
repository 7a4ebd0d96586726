import { randomUUID } from 'node:crypto'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import { webhook } from '@reticle/contracts/rest/webhooks'
import { type Context, type Service, signedIn } from '@reticle/kit'
import { absolute } from '@reticle/kit/links'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Claimed } from '../deliveries/claim.ts'
import { toDelivery } from '../deliveries/messages.ts'
import { bodiesOf } from '../deliveries/payload.ts'
import { deliveryViews, lockOwner, takeSequences } from '../deliveries/repo.ts'
import { type SendDeps, send } from '../deliveries/send.ts'
import { toWebhook, type WebhookView } from '../webhooks/messages.ts'
import { missing, type PermitDeps, permit } from '../webhooks/permit.ts'

export interface PingDeps extends PermitDeps, SendDeps {
  /** Address of the API in payloads: `https://host/api`. */
  base: string
}

const record = z.record(z.string(), z.unknown())

/**
 * Asks the receiver of a webhook now, once, and answers what came of it (`spec/api-annotations.md` 4.2): a message as any other, with the
 * next number of the webhook.
 */
export function pingHandlers(deps: PingDeps): Pick<Service<typeof webhooks>, 'pingWebhook'> {
  return {
    async pingWebhook({ id }, context) {
      const message = await open(deps, await permit(deps, 'update', id, context), context)
      await send(deps, message, new AbortController().signal)
      const made = await deliveryViews(deps.db, id)
        .where('delivery.message_id', '=', message.id)
        .executeTakeFirst()
      return toDelivery(made ?? missing())
    },
  }
}

/** Under a lease from its beginning, so that the dispatcher leaves it alone unless this process dies. */
async function open(deps: PingDeps, view: WebhookView, context: Context): Promise<Claimed> {
  const { db, clock, base } = deps
  const { user_id, username, first_name, last_name, email } = signedIn(context)
  const now = clock.now()
  const { id: webhook_id } = view
  const names = { event_id: randomUUID(), delivery_id: randomUUID(), lease_token: randomUUID() }
  const fact = {
    ...{ event: 'ping', event_id: names.event_id, key: `webhook:${webhook_id}` },
    ...{ occurred_date: now.toISOString(), resource: 'webhook' },
    record: record.parse(absolute(webhook, toWebhook(view), base)),
    actor: { id: user_id, username, first_name, last_name, email },
  }
  const { event, key } = fact
  const message = await db.transaction().execute(async (tx) => {
    if (!(await lockOwner(tx, webhook_id))) throw missing()
    const [taken] = await takeSequences(tx, [webhook_id])
    const sequence = taken?.sequence ?? missing()
    const body = bodiesOf(fact, base)({ webhook_id, delivery_id: names.delivery_id, sequence })
    const dates = { occurred_date: now, created_date: now, next_attempt_date: now }
    return tx
      .insertInto('webhook_messages')
      .values({
        ...{ webhook_id, sequence, event, key, changed_fields: '', body, ...names, ...dates },
        lease_until: sql`now() + interval '30 seconds'`,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
      .then(({ id }) => ({ id, webhook_id, sequence, event, body, occurred_date: now }))
  })
  const { target_url, secret_sealed, old_secret_sealed, old_secret_until_date, enable_ssl } = view
  return {
    ...{ ...message, ...names, traceparent: null, attempt: 0, redelivery_of: null },
    ...{ target_url, secret_sealed, old_secret_sealed, old_secret_until_date, enable_ssl },
    is_active: true, // whoever asks wants to know whether it would work
  }
}
