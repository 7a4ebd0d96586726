import { type Kysely, sql, type Transaction } from 'kysely'
import { queryRows } from '../db/prepared.ts'
import { keyRetentionMs } from '../keys/keys.ts'

/**
 * Marks an event as received in the transaction of its effect. Returns false if it was received before and must be
 * skipped. A second transaction with the same event waits for the end of the first one.
 */
export async function markReceived<T>(
  tx: Transaction<T>,
  consumer: string,
  eventId: string,
): Promise<boolean> {
  const text = `insert into inbox (consumer, event_id) values ($1, $2)
    on conflict do nothing returning event_id`
  const rows = await queryRows(tx, { name: 'inbox', text }, [consumer, eventId])
  return rows.length === 1
}

/**
 * Returns those events of a list that a consumer has not handled yet,
 * including those of a transaction that is still open.
 * @param isDeadIncluded whether events that failed permanently are included
 */
export async function listUnhandled<T>(
  db: Kysely<T>,
  consumer: string,
  event_ids: readonly string[],
  isDeadIncluded = true,
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from unnest(${event_ids}::uuid[]) as given (event_id)
    where not exists (
      select from inbox where consumer = ${consumer} and inbox.event_id = given.event_id)
    and (${isDeadIncluded} or not exists (
      select from dead_events where consumer = ${consumer} and dead_events.event_id = given.event_id))`.execute(
    db,
  )
  return rows.map((row) => row.event_id)
}

const days = 86_400_000
const slice = 5000

/** Twice the retention of a topic: an event that arrives again later than that counts as a new one. */
const inboxRetention = 14 * days
const callRetention = 1 * days
const sentRetention = 2 * days

/**
 * Deletes expired rows of received events, applied calls, idempotency keys and published events, in short statements
 * that block nothing. Several processes may run it at once and share the work.
 */
export async function deleteExpiredRows<T>(db: Kysely<T>, now: Date): Promise<void> {
  const inboxLimit = new Date(now.getTime() - inboxRetention)
  const callLimit = new Date(now.getTime() - callRetention)
  const sentLimit = new Date(now.getTime() - sentRetention)
  const inbox = sql`
    delete from inbox where (consumer, event_id) in (
      select consumer, event_id from inbox where received_date < ${inboxLimit}
      limit ${slice} for update skip locked)`
  const calls = sql`
    delete from applied_calls where call_id in (
      select call_id from applied_calls where created_date < ${callLimit}
      limit ${slice} for update skip locked)`
  const keyLimit = new Date(now.getTime() - keyRetentionMs)
  const keys = sql`
    delete from idempotency_keys where id in (
      select id from idempotency_keys where created_date < ${keyLimit}
      limit ${slice} for update skip locked)`
  const sent = sql`
    delete from outbox_sent where id in (
      select id from outbox_sent where sent_date < ${sentLimit}
      limit ${slice} for update skip locked)`
  for (const statement of [inbox, calls, keys, sent]) {
    let deleted = BigInt(slice)
    while (deleted === BigInt(slice)) {
      deleted = (await statement.execute(db)).numAffectedRows ?? 0n
    }
  }
}
