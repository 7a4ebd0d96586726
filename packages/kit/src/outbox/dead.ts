import { sql, type Transaction } from 'kysely'

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

/** Puts an event aside, in the transaction that moves the offset past it; buried again it keeps the newest error. */
export async function bury<T>(tx: Transaction<T>, dead: DeadEvent, error: unknown): Promise<void> {
  const { consumer, event_id, topic, partition, offset, key } = dead
  const [headers, value] = [JSON.stringify(dead.headers), JSON.stringify(dead.value)]
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  await sql`
    insert into dead_events (consumer, event_id, topic, partition, "offset", key, headers, value, error)
    values (${consumer}, ${event_id}, ${topic}, ${partition}, ${offset}, ${key}, ${headers}, ${value}, ${text})
    on conflict (consumer, topic, partition, "offset") do update
    set error = excluded.error, failed_date = now(), replayed_date = null`.execute(tx)
}
