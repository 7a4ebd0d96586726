import { type Insertable, type Kysely, sql } from 'kysely'
import type { WebhookMessagesTable, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>

/**
 * Returns the query for the messages of a webhook after a sequence number, in order, each with the combined result of
 * all its attempts.
 */
export function messageViews(db: Db, { webhook_id, after }: { webhook_id: number; after: number }) {
  return originalMessages(db, { webhook_id, after })
    .innerJoinLateral(
      (from) =>
        from
          .selectFrom('webhook_messages as sent')
          .whereRef('sent.webhook_id', '=', 'message.webhook_id')
          .whereRef('sent.sequence', '=', 'message.sequence')
          .select([
            sql<number>`sum(sent.attempt)::integer`.as('attempts'),
            sql<boolean>`bool_or(sent.status = 'delivered')`.as('is_delivered'),
            sql<boolean>`bool_or(sent.status in ('pending', 'waiting'))`.as('is_owed'),
          ])
          .as('all_sent'),
      (join) => join.onTrue(),
    )
    .select(['message.sequence', 'message.event', 'message.created_date', 'message.body'])
    .select(['attempts', 'is_delivered', 'is_owed'])
    .orderBy('message.sequence')
}

export async function countMessages(
  db: Db,
  of: { webhook_id: number; after: number },
): Promise<number> {
  const { count } = await originalMessages(db, of)
    .select((from) => from.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

/** Excludes redeliveries, which share the sequence number of the original message. */
const originalMessages = (db: Db, { webhook_id, after }: { webhook_id: number; after: number }) =>
  db
    .selectFrom('webhook_messages as message')
    .where('message.webhook_id', '=', webhook_id)
    .where('message.redelivery_of', 'is', null)
    .where('message.sequence', '>', after)

/** Returns the message of a delivery of the webhook. */
export function findMessage(
  db: Db,
  webhook_id: number,
  delivery_id: number,
): Promise<{ message_id: number } | undefined> {
  return db
    .selectFrom('webhook_deliveries')
    .select('message_id')
    .where('id', '=', delivery_id)
    .where('webhook_id', '=', webhook_id)
    .executeTakeFirst()
}

/** Inserts a message that is leased to the caller, so that no other process sends it while the lease is valid. */
export async function insertLeased(
  db: Db,
  message: Insertable<WebhookMessagesTable>,
): Promise<number> {
  const { id } = await db
    .insertInto('webhook_messages')
    .values({ ...message, lease_until: sql`now() + interval '30 seconds'` })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Selection of the messages to redeliver. */
export type RedeliverySelection =
  | { message_id: number }
  | { from: number; to: number }
  | { failed_since: string }

/**
 * Queues copies of messages with the same bytes, delivery id and sequence number. Messages whose first attempt has
 * not ended are left out.
 *
 * @returns the number of queued messages
 */
export async function queueRedeliveries(
  db: Db,
  webhook_id: number,
  again: RedeliverySelection,
  now: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into webhook_messages (webhook_id, sequence, event_id, delivery_id, event, key,
      changed_fields, body, next_attempt_date, created_date, redelivery_of)
    select webhook_id, sequence, gen_random_uuid(), delivery_id, event, key,
      changed_fields, body, ${now}, ${now}, coalesce(redelivery_of, id)
    from webhook_messages message
    where webhook_id = ${webhook_id} and ${whereSelected(again)}
    order by sequence`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

function whereSelected(again: RedeliverySelection) {
  if ('message_id' in again) return sql`id = ${again.message_id}`
  const first = sql`redelivery_of is null and status <> 'pending'`
  if ('from' in again)
    return sql`${first} and sequence >= ${again.from} and sequence <= ${again.to}`
  return sql`${first} and status in ('failed', 'dropped') and not exists (
      select from webhook_messages sent
      where sent.webhook_id = message.webhook_id and sent.sequence = message.sequence
        and sent.status in ('pending', 'delivered')
    ) and coalesce(
      (select max(updated_date) from webhook_deliveries where message_id = message.id), created_date
    ) >= ${again.failed_since}`
}
