import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { MessagesToRedeliver, WebhookMessage } from '@reticle/contracts/rest/webhooks'
import { type CallContext, conflict, invalid, type Service } from '@reticle/kit'
import { changeAfter } from '@reticle/kit/db/change'
import { readListPage } from '@reticle/kit/list/page'
import type { Clock } from '@reticle/kit/scheduling/clock'
import { findPermitted, type PermitDeps, rejectMissing } from '../webhooks/permit.ts'
import { lockWebhook } from '../webhooks/repo.ts'
import {
  countMessages,
  findMessage,
  messageViews,
  queueRedeliveries,
  type RedeliverySelection,
} from './repo.ts'

export interface MessageDeps extends PermitDeps {
  clock: Clock
  /** Called after messages were queued. */
  onMessages: () => void
}

type Handlers = Pick<
  Service<typeof webhooks>,
  'listWebhookMessages' | 'redeliverMessages' | 'redeliver'
>

/** Creates the handlers that list and redeliver messages, so that receivers can verify that they have all of them. */
export function messageHandlers(deps: MessageDeps): Handlers {
  const { db } = deps
  return {
    async listWebhookMessages({ id: webhook_id, after, page, page_size }, context) {
      await findPermitted(deps, 'view', webhook_id, context)
      const of = { webhook_id, after }
      const { count, results } = await readListPage(
        { page, page_size },
        () => countMessages(db, of),
        (limit, offset) => messageViews(db, of).limit(limit).offset(offset).execute(),
      )
      return { count, results: results.map(toMessage) }
    },

    async redeliverMessages({ id, body }, context) {
      const again = readSelection(body)
      return { count: await redeliverSelected(deps, id, () => Promise.resolve(again), context) }
    },

    async redeliver({ id, delivery_id }, context) {
      const find = async () => (await findMessage(db, id, delivery_id)) ?? rejectMissing()
      await redeliverSelected(deps, id, find, context)
      return {}
    },
  }
}

/** @throws DomainError conflict when the webhook is disabled, since its messages would be dropped */
async function redeliverSelected(
  deps: MessageDeps,
  id: number,
  find: () => Promise<RedeliverySelection>,
  context: CallContext,
): Promise<number> {
  const prepare = async () => {
    await findPermitted(deps, 'update', id, context)
    return find()
  }
  const count = await changeAfter(deps.db, context, prepare, async (tx, again) => {
    const { is_active } = (await lockWebhook(tx, id)) ?? rejectMissing()
    if (!is_active)
      throw conflict('The webhook is not active: switch it on first.', { code: 'webhook_inactive' })
    return queueRedeliveries(tx, id, again, deps.clock.now())
  })
  deps.onMessages()
  return count
}

/** @throws DomainError invalid for an incomplete or reversed range, and for a range together with failed_since */
function readSelection({ from, to, failed_since }: MessagesToRedeliver): RedeliverySelection {
  if (failed_since !== undefined) {
    if (from === undefined && to === undefined) return { failed_since }
    throw invalid({ non_field_errors: 'Either from and to, or failed_since.' })
  }
  if (from === undefined) throw invalid({ from: 'This field is required.' }, 'required')
  if (to === undefined) throw invalid({ to: 'This field is required.' }, 'required')
  if (to < from) throw invalid({ to: `Ensure this value is greater than or equal to ${from}.` })
  return { from, to }
}

type View = Awaited<ReturnType<ReturnType<typeof messageViews>['execute']>>[number]

function toMessage({
  body,
  created_date,
  is_delivered,
  is_owed,
  ...message
}: View): WebhookMessage {
  const state = is_delivered ? 'delivered' : is_owed ? 'pending' : 'failed'
  const payload: unknown = JSON.parse(body.toString())
  return { ...message, created_date: created_date.toISOString(), payload, state }
}
