import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { WebhookDeliveriesTable, WebhookMessagesTable, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/** Ids of the webhooks of a project that are owed an event, locked; those that have a message of it already are not. */
export async function lockMatching(
  tx: Tx,
  { event, event_id }: { event: string; event_id: string },
  project_id: number,
): Promise<number[]> {
  const rows = await tx
    .selectFrom('webhooks as webhook')
    .select('webhook.id')
    .where('webhook.project_id', '=', project_id)
    .where('webhook.is_active', '=', true)
    .where(sql<boolean>`${event} = any(webhook.events)`)
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

/** One more failure in a row, or none any more. */
export async function countFailure(db: Db, webhook_id: number, isFailure: boolean): Promise<void> {
  const webhook = db.updateTable('webhooks').where('id', '=', webhook_id)
  if (isFailure)
    await webhook.set((from) => ({ failure_streak: from('failure_streak', '+', 1) })).execute()
  else await webhook.set({ failure_streak: 0 }).where('failure_streak', '>', 0).execute()
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
