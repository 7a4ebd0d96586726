import { type Kysely, sql, type Transaction } from 'kysely'

/** Event that could not be handled, with its position in the topic. */
export interface DeadEvent {
  consumer: string
  event_id: string
  topic: string
  partition: number
  offset: number
  key: string
  headers: unknown
  value: unknown
}

/** Stored dead event. `replayed_date` is when an operator released it; its row is deleted once it is handled. */
export interface BuriedEvent extends DeadEvent {
  error: string
  failed_date: Date
  replayed_date: Date | null
}

/** Selection of dead events; without conditions all of the service. */
export interface DeadFilter {
  consumer?: string
  event_id?: string
}

/**
 * Moves an event to the dead events, in the transaction that moves the offset past it. An event that is buried again
 * keeps the newest error.
 */
export async function storeDeadEvent<T>(
  tx: Transaction<T>,
  dead: DeadEvent,
  error: unknown,
): Promise<void> {
  const { consumer, event_id, topic, partition, offset } = dead
  const [headers, value] = [storable(dead.headers), storable(dead.value)]
  const key = dead.key.replaceAll('\0', '\ufffd')
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  await sql`
    insert into dead_events (consumer, event_id, topic, partition, "offset", key, headers, value, error)
    values (${consumer}, ${event_id}, ${topic}, ${partition}, ${offset}, ${key}, ${headers}, ${value},
      ${text.replaceAll('\0', '\ufffd')})
    on conflict (consumer, event_id) do update
    set error = excluded.error, failed_date = now(), replayed_date = null`.execute(tx)
}

/**
 * Replaces characters that jsonb rejects, NUL and unpaired surrogates,
 * which a message of a foreign producer may contain.
 */
const storable = (value: unknown) =>
  JSON.stringify(value ?? null).replace(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd')

/** Returns the newest dead events without their contents, at most `limit`. */
export async function listDead<T>(
  db: Kysely<T>,
  filter: DeadFilter,
  limit = 100,
): Promise<Omit<BuriedEvent, 'headers' | 'value'>[]> {
  const { rows } = await sql<BuriedEvent>`
    select consumer, event_id, topic, partition, "offset", key, error, failed_date, replayed_date
    from dead_events where ${matches(filter)} order by failed_date desc, event_id limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Returns one event with its contents, a row for each consumer that failed to handle it. */
export async function showDead<T>(db: Kysely<T>, eventId: string): Promise<BuriedEvent[]> {
  const { rows } = await sql<BuriedEvent>`
    select * from dead_events where event_id = ${eventId} order by consumer`.execute(db)
  return rows
}

/**
 * Releases dead events to the groups that buried them. A member handles them within
 * seconds (`bus/replays.ts`) through the inbox, so that they take effect once and no
 * other group receives them again. An event that fails again stays dead.
 * @returns the number of events
 */
export async function replayDead<T>(db: Kysely<T>, filter: DeadFilter): Promise<number> {
  const { numAffectedRows } = await sql`
    update dead_events set replayed_date = now() where ${matches(filter)}`.execute(db)
  return Number(numAffectedRows)
}

/** Deletes dead events permanently, and returns their number. */
export async function dropDead<T>(db: Kysely<T>, filter: DeadFilter): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dead_events where ${matches(filter)}`.execute(db)
  return Number(numAffectedRows)
}

const matches = ({ consumer, event_id }: DeadFilter) => sql`
  (${consumer ?? null}::text is null or consumer = ${consumer ?? null}) and
  (${event_id ?? null}::uuid is null or event_id = ${event_id ?? null}::uuid)`
