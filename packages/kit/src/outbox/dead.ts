import { type Kysely, sql, type Transaction } from 'kysely'

/** An event that could not be handled, and where it came from. */
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

/** A dead event as it is kept. `replayed_date`: when an operator gave it back; its row goes when it succeeds. */
export interface BuriedEvent extends DeadEvent {
  error: string
  failed_date: Date
  replayed_date: Date | null
}

/** Which dead events are meant; without anything all of the service. */
export interface DeadFilter {
  consumer?: string
  event_id?: string
}

/** Puts an event aside, in the transaction that moves the offset past it; buried again it keeps the newest error. */
export async function bury<T>(tx: Transaction<T>, dead: DeadEvent, error: unknown): Promise<void> {
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

/** What a stranger wrote to a topic may hold characters that jsonb refuses: NUL and halves of a pair. */
const storable = (value: unknown) =>
  JSON.stringify(value ?? null).replace(/\\u(0000|d[89a-f][0-9a-f]{2})/gi, '\\ufffd')

/** The newest dead events without their contents, `limit` at most. */
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

/** One event with its contents, a row for each consumer that could not handle it; none when nobody failed. */
export async function showDead<T>(db: Kysely<T>, eventId: string): Promise<BuriedEvent[]> {
  const { rows } = await sql<BuriedEvent>`
    select * from dead_events where event_id = ${eventId} order by consumer`.execute(db)
  return rows
}

/**
 * Gives dead events back to the groups that buried them: a member takes them within seconds (`bus/replays.ts`), through the
 * inbox, so that the effect happens once and no other group sees them again. One that fails again stays dead.
 *
 * @returns how many
 */
export async function replayDead<T>(db: Kysely<T>, filter: DeadFilter): Promise<number> {
  const { numAffectedRows } = await sql`
    update dead_events set replayed_date = now() where ${matches(filter)}`.execute(db)
  return Number(numAffectedRows)
}

/** Gives up on dead events for good; answers how many there were. */
export async function dropDead<T>(db: Kysely<T>, filter: DeadFilter): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from dead_events where ${matches(filter)}`.execute(db)
  return Number(numAffectedRows)
}

const matches = ({ consumer, event_id }: DeadFilter) => sql`
  (${consumer ?? null}::text is null or consumer = ${consumer ?? null}) and
  (${event_id ?? null}::uuid is null or event_id = ${event_id ?? null}::uuid)`
