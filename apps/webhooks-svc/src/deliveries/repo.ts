import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { WebhookDeliveriesTable, WebhookMessagesTable, WebhooksDb } from '../db/schema.ts'
import type { Audience } from './audience.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/** A webhook that is owed an event, and as which part of those who hear of it. */
export interface Owed {
  webhook_id: number
  audience: Audience
}

/** The webhooks that are owed an event, locked; those that have a message of it already are not. */
export async function lockMatching(
  tx: Tx,
  event_id: string,
  audiences: readonly Audience[],
): Promise<Owed[]> {
  if (audiences.length === 0) return []
  const rows = await tx
    .selectFrom('webhooks as webhook')
    .select(['webhook.id', 'webhook.project_id', 'webhook.organization_id'])
    .where('webhook.is_active', '=', true)
    .where(sql<boolean>`(${sql.join(audiences.map(isAmong), sql` or `)})`)
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
  return rows.flatMap(({ id, project_id, organization_id }) => {
    const audience = audiences.find(
      (one) => one.project_id === project_id && one.organization_id === organization_id,
    )
    return audience ? [{ webhook_id: id, audience }] : []
  })
}

/** Of the project or organization, and asked for what happened to these. */
function isAmong({ project_id, organization_id, event }: Audience) {
  const whose =
    project_id === null
      ? sql`webhook.organization_id = ${organization_id}`
      : sql`webhook.project_id = ${project_id}`
  return sql`(${whose} and ${event} = any(webhook.events))`
}

/** The next number of each of these webhooks. */
export function takeSequences(db: Db, ids: readonly number[]) {
  return db
    .updateTable('webhooks')
    .set((from) => ({ last_sequence: from('last_sequence', '+', 1) }))
    .where('id', 'in', ids)
    .returning(['id as webhook_id', 'last_sequence as sequence'])
    .execute()
}

export async function insertMessages(
  db: Db,
  messages: Insertable<WebhookMessagesTable>[],
): Promise<void> {
  await db.insertInto('webhook_messages').values(messages).execute()
}

/** A message under a lease of this process. */
export interface Leased {
  id: number
  webhook_id: number
  lease_token: string
}

/** Locks the webhook before its message, as everybody does; false when it was deleted meanwhile. */
export async function lockOwner(tx: Tx, webhook_id: number): Promise<boolean> {
  const found = await tx
    .selectFrom('webhooks')
    .select('id')
    .where('id', '=', webhook_id)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return found !== undefined
}

/** Ends the lease with `changes`; false when somebody else has it by now. */
export async function settle(
  db: Db,
  { id, lease_token }: Leased,
  changes: Updateable<WebhookMessagesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_messages')
    .set({ ...changes, lease_until: null, lease_token: null })
    .where('id', '=', id)
    .where('lease_token', '=', lease_token)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function insertDelivery(
  db: Db,
  delivery: Insertable<WebhookDeliveriesTable>,
): Promise<void> {
  await db.insertInto('webhook_deliveries').values(delivery).execute()
}

/** One more failure in a row. */
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

/** A success: no failure in a row any more. */
export async function endFailures(db: Db, webhook_id: number): Promise<void> {
  await db
    .updateTable('webhooks')
    .where('id', '=', webhook_id)
    .where('failure_streak', '>', 0)
    .set({ failure_streak: 0, failing_since_date: null })
    .execute()
}

/** Failures in a row before a webhook may be switched off for them (`reliability.md` 7.2). */
const failuresAtLeast = 20

/**
 * Switches a webhook off that has failed since before `since`, and often.
 *
 * @returns whether it did
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

/** Attempts of a webhook, each with the message it was about. */
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
