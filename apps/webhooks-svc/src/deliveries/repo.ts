import type { DialectName } from '@reticle/contracts/rest/dialects'
import type { BusEvent } from '@reticle/kit/bus/bus'
import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { WebhookDeliveriesTable, WebhookMessagesTable, WebhooksDb } from '../db/schema.ts'
import type { Audience } from './audience.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/** A webhook that receives an event, and the audience that it belongs to. */
export interface MatchedWebhook {
  webhook_id: number
  /** Sequence number of the message. */
  sequence: number
  dialect: DialectName
  audience: Audience
}

/**
 * Assigns the next sequence number to every webhook that matches an event and has no message of it yet. The webhooks
 * are locked in the order of their ids until the transaction ends, so numbers follow the order of commits and have no
 * gaps.
 */
export async function numberMatched(
  tx: Tx,
  event: Pick<BusEvent, 'id' | 'occurred_date'>,
  audiences: readonly Audience[],
): Promise<MatchedWebhook[]> {
  if (audiences.length === 0) return []
  const locked = await lockMatching(tx, event, audiences)
  if (locked.length === 0) return []
  // Separate from the locking query: a single statement that locks and updates can lock concurrently changed rows out
  // of order and deadlock.
  const rows = await tx
    .updateTable('webhooks')
    .set((from) => ({ last_sequence: from('last_sequence', '+', 1) }))
    .where('id', 'in', locked)
    .returning(['id as webhook_id', 'project_id', 'organization_id', 'last_sequence as sequence'])
    .returning('dialect')
    .execute()
  return rows.flatMap(({ webhook_id, sequence, dialect, project_id, organization_id }) => {
    const audience = audiences.find(
      (one) => one.project_id === project_id && one.organization_id === organization_id,
    )
    return audience ? [{ webhook_id, sequence, dialect, audience }] : []
  })
}

/** Locks the active webhooks that match. Events older than the webhook do not match. */
async function lockMatching(
  tx: Tx,
  { id: event_id, occurred_date }: Pick<BusEvent, 'id' | 'occurred_date'>,
  audiences: readonly Audience[],
) {
  const rows = await tx
    .selectFrom('webhooks as webhook')
    .select('webhook.id')
    .where('webhook.is_active', '=', true)
    .where('webhook.created_date', '<=', new Date(occurred_date))
    .where(sql<boolean>`(${sql.join(audiences.map(matchesAudience), sql` or `)})`)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhook_messages as message')
            .select('message.id')
            .whereRef('message.webhook_id', '=', 'webhook.id')
            .where('message.event_id', '=', event_id),
        ),
      ),
    )
    .orderBy('webhook.id')
    .forNoKeyUpdate()
    .execute()
  return rows.map(({ id }) => id)
}

/** Matches webhooks of the project or organization that subscribe to the event. */
function matchesAudience({ project_id, organization_id, event }: Audience) {
  const whose =
    project_id === null
      ? sql`webhook.organization_id = ${organization_id}`
      : sql`webhook.project_id = ${project_id}`
  return sql`(${whose} and ${event} = any(webhook.events))`
}

/** Increments the sequence of a webhook and returns it; undefined when the webhook does not exist. */
export async function takeSequence(db: Db, id: number): Promise<number | undefined> {
  const taken = await db
    .updateTable('webhooks')
    .set((from) => ({ last_sequence: from('last_sequence', '+', 1) }))
    .where('id', '=', id)
    .returning('last_sequence')
    .executeTakeFirst()
  return taken?.last_sequence
}

export async function insertMessages(
  db: Db,
  messages: Insertable<WebhookMessagesTable>[],
): Promise<void> {
  await db.insertInto('webhook_messages').values(messages).execute()
}

/** A message that this process has leased. */
export interface Leased {
  id: number
  webhook_id: number
  lease_token: string
}

/** Ends the lease and applies `changes`; returns false when another process holds the lease. */
export async function endLease(
  db: Db,
  leased: Leased,
  changes: Updateable<WebhookMessagesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await endLeaseQuery(db, leased, changes).executeTakeFirst()
  return numUpdatedRows === 1n
}

const endLeaseQuery = (
  db: Db,
  { id, lease_token }: Pick<Leased, 'id' | 'lease_token'>,
  changes: Updateable<WebhookMessagesTable>,
) =>
  db
    .updateTable('webhook_messages')
    .set({ ...changes, lease_until: null, lease_token: null })
    .where('id', '=', id)
    .where('lease_token', '=', lease_token)

/**
 * Ends the lease, applies `changes` and inserts the delivery in one statement, because every attempt pays for it. The
 * webhook is locked before its message, in the same order as everywhere else. The lock only prevents deletion, so new
 * messages can be numbered meanwhile.
 *
 * @returns the number of consecutive failures before this attempt; undefined, with nothing stored, when another
 * process holds the lease or the webhook was deleted
 */
export async function storeAttempt(
  db: Db,
  leased: Leased,
  changes: Updateable<WebhookMessagesTable>,
  delivery: Omit<Insertable<WebhookDeliveriesTable>, 'webhook_id' | 'message_id'>,
): Promise<number | undefined> {
  const { id: message_id, webhook_id } = leased
  const held = sql<boolean>`exists (select from owner)`
  const columns = Object.entries({ ...delivery, webhook_id, message_id })
  const { rows } = await sql<{ failure_streak: number }>`
    with owner as (select failure_streak from webhooks where id = ${webhook_id} for key share),
    settled as (${endLeaseQuery(db, leased, changes).where(held).returning('id')}),
    kept as (
      insert into webhook_deliveries (${sql.join(columns.map(([name]) => sql.ref(name)))})
      select ${sql.join(columns.map(([, value]) => value))} from settled
    )
    select failure_streak from owner, settled`.execute(db)
  return rows[0]?.failure_streak
}

/** Increments the number of consecutive failures. */
export async function countFailure(db: Db, webhook_id: number, now: Date): Promise<void> {
  await db
    .updateTable('webhooks')
    .where('id', '=', webhook_id)
    .set((from) => ({
      failure_streak: from('failure_streak', '+', 1),
      failing_since_date: from.fn.coalesce('failing_since_date', sql<Date>`${now}`),
    }))
    .execute()
}

/** Resets the number of consecutive failures after a success. */
export async function endFailures(db: Db, webhook_id: number): Promise<void> {
  await db
    .updateTable('webhooks')
    .where('id', '=', webhook_id)
    .set({ failure_streak: 0, failing_since_date: null })
    .execute()
}

/** Consecutive failures that are required before a webhook may be disabled. */
const failuresAtLeast = 20

/**
 * Disables a webhook that has enough consecutive failures and started failing before `since`.
 *
 * @returns whether it was disabled
 */
export async function disableFailing(
  db: Db,
  webhook_id: number,
  { since, now, reason }: { since: Date; now: Date; reason: string },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .where('id', '=', webhook_id)
    .where('is_active', '=', true)
    .where('failure_streak', '>=', failuresAtLeast)
    .where('failing_since_date', '<', since)
    .set({
      is_active: false,
      disabled_reason: reason,
      updated_date: sql`greatest(${now}, updated_date + interval '1 millisecond')`,
    })
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Returns the query for the attempts of a webhook, each joined with its message. */
export function deliveryViews(db: Db, webhook_id: number) {
  return db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhook_messages as message', 'message.id', 'delivery.message_id')
    .where('delivery.webhook_id', '=', webhook_id)
    .selectAll('delivery')
    .select(['message.delivery_id', 'message.event', 'message.changed_fields', 'message.body'])
}

export async function countDeliveries(db: Db, webhook_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_deliveries')
    .select((from) => from.fn.countAll<number>().as('count'))
    .where('webhook_id', '=', webhook_id)
    .executeTakeFirstOrThrow()
  return count
}
