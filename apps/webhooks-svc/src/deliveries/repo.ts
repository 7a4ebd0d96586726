import type { BusEvent } from '@reticle/kit/bus/bus'
import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely'
import type { WebhookDeliveriesTable, WebhookMessagesTable, WebhooksDb } from '../db/schema.ts'
import type { Audience } from './audience.ts'

type Db = Kysely<WebhooksDb>
type Tx = Transaction<WebhooksDb>

/** A webhook that is owed an event, and as which part of those who hear of it. */
export interface Owed {
  webhook_id: number
  /** The number that the message has. */
  sequence: number
  audience: Audience
}

/**
 * Gives each webhook that is owed an event its next number; those that have a message of it already are not. They are locked in the
 * order of their ids, and until the end of the transaction: numbers are those of commits, without gaps.
 */
export async function numberOwed(
  tx: Tx,
  event: Pick<BusEvent, 'id' | 'occurred_date'>,
  audiences: readonly Audience[],
): Promise<Owed[]> {
  if (audiences.length === 0) return []
  const locked = await lockMatching(tx, event, audiences)
  if (locked.length === 0) return []
  // A statement of its own: one that locks and changes meets rows that others changed meanwhile twice, which is a deadlock.
  const rows = await tx
    .updateTable('webhooks')
    .set((from) => ({ last_sequence: from('last_sequence', '+', 1) }))
    .where('id', 'in', locked)
    .returning(['id as webhook_id', 'project_id', 'organization_id', 'last_sequence as sequence'])
    .execute()
  return rows.flatMap(({ webhook_id, sequence, project_id, organization_id }) => {
    const audience = audiences.find(
      (one) => one.project_id === project_id && one.organization_id === organization_id,
    )
    return audience ? [{ webhook_id, sequence, audience }] : []
  })
}

/** A webhook gets no event that is older than itself. */
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
  return rows.map(({ id }) => id)
}

/** Of the project or organization, and asked for what happened to these. */
function isAmong({ project_id, organization_id, event }: Audience) {
  const whose =
    project_id === null
      ? sql`webhook.organization_id = ${organization_id}`
      : sql`webhook.project_id = ${project_id}`
  return sql`(${whose} and ${event} = any(webhook.events))`
}

/** The next number of a webhook; nothing when it is gone. */
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

/** A message under a lease of this process. */
export interface Leased {
  id: number
  webhook_id: number
  lease_token: string
}

/** Ends the lease with `changes`; false when somebody else has it by now. */
export async function settle(
  db: Db,
  leased: Leased,
  changes: Updateable<WebhookMessagesTable>,
): Promise<boolean> {
  const { numUpdatedRows } = await settling(db, leased, changes).executeTakeFirst()
  return numUpdatedRows === 1n
}

const settling = (
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
 * Ends the lease with `changes` and keeps the delivery. One statement, as it is what every attempt costs. The webhook is locked before
 * its message, as everybody does, against deletion alone: what is numbered for it meanwhile need not wait.
 *
 * @returns how often the webhook has failed in a row before; nothing when somebody else has the lease by now, or the webhook was deleted:
 * then nothing is kept
 */
export async function keepAttempt(
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
    settled as (${settling(db, leased, changes).where(held).returning('id')}),
    kept as (
      insert into webhook_deliveries (${sql.join(columns.map(([name]) => sql.ref(name)))})
      select ${sql.join(columns.map(([, value]) => value))} from settled
    )
    select failure_streak from owner, settled`.execute(db)
  return rows[0]?.failure_streak
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
