import { membershipCreated, membershipDeleted } from '@reticle/contracts/events/organizations'
import { type BusEvent, onEvent, routeEvents } from '@reticle/kit/bus/bus'
import type { Transaction } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import { recordEvents } from '../event-log/record-events.ts'
import { insertEvents } from '../event-log/repo.ts'
import { originOfEvent, serverEvents } from '../event-log/server-events.ts'
import { toWebhook } from './messages.ts'
import { listWebhooksOfMember, saveOwnerLeft } from './repo.ts'

/** Marks the webhooks of users who leave an organization, and clears the mark when they join again. */
export const followMembers = routeEvents<WebhooksDb>([
  onEvent(membershipDeleted, (tx, { membership }, event) => markOwnerLeft(tx, membership, event)),
  onEvent(membershipCreated, async (tx, { membership }) => {
    const ids = (await listWebhooksOfMember(tx, memberOf(membership))).map(({ id }) => id)
    await saveOwnerLeft(tx, ids, null)
  }),
])

interface Membership {
  organization: number
  user: { id: number }
}

const memberOf = ({ organization: organization_id, user }: Membership) => ({
  organization_id,
  owner_id: user.id,
})

/**
 * Webhooks of a removed member stay active. The record shows that the owner has left, and the event log of the
 * organization gets a row per webhook.
 */
async function markOwnerLeft(
  tx: Transaction<WebhooksDb>,
  membership: Membership,
  event: BusEvent,
): Promise<void> {
  const left = new Date(event.occurred_date)
  const rows = await listWebhooksOfMember(tx, memberOf(membership))
  const ids = rows.map(({ id }) => id)
  await saveOwnerLeft(tx, ids, left)
  const changes = rows.flatMap((row) => {
    const record = toWebhook({ ...row, owner_left_date: left })
    const before = { owner_left_date: row.owner_left_date }
    return recordEvents({ action: 'update', resource: 'webhook', record, before })
  })
  await insertEvents(tx, serverEvents(originOfEvent(event), changes, rowsOfEvent))
}

/** Ordinal 0 of the same event is the removal of the member. */
const rowsOfEvent = 1
