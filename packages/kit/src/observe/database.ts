import { type Kysely, sql } from 'kysely'
import {
  blobBytes,
  blobPendingOldestSeconds,
  deadEvents,
  outboxOldestSeconds,
  outboxRows,
} from './metrics.ts'
import { type GaugeReading, type ReaderOptions, readAtScrape } from './registry.ts'

/** The scrape does not wait longer, and the statement must not block others. */
const limit = sql`set local statement_timeout = 1000`

/**
 * Reads gauges with a statement of at most one second, over the pool of the owner of the schema.
 * @returns a function that stops it
 */
export function readFromDatabase<T>(
  db: Kysely<T>,
  read: (tx: Kysely<T>) => Promise<GaugeReading[]>,
  options?: ReaderOptions,
): () => void {
  const readings = () =>
    db.transaction().execute(async (tx) => {
      await limit.execute(tx)
      return read(tx)
    })
  return readAtScrape(readings, options)
}

/** Largest reported number; counting more rows would exceed the time limit. */
const most = 100_000

/** Reports the state of an outbox and its dead events (`outbox/tables.ts`); used by the process that relays it. */
export function watchOutbox<T>(db: Kysely<T>, schema: string): () => void {
  const labels = { schema }
  return readFromDatabase(db, async (tx) => {
    const { rows } = await sql<{ waiting: number; oldest: number; dead: number }>`
      select (select count(*) from (select 1 from outbox limit ${most}) counted)::integer as waiting,
        coalesce((select extract(epoch from clock_timestamp() - created_date)
          from outbox order by id limit 1), 0)::float8 as oldest,
        (select count(*) from (
          select 1 from dead_events where replayed_date is null limit ${most}
        ) counted)::integer as dead`.execute(tx)
    const { waiting, oldest, dead } = rows[0] ?? { waiting: 0, oldest: 0, dead: 0 }
    return [
      { gauge: outboxRows, labels, value: waiting },
      { gauge: outboxOldestSeconds, labels, value: Math.max(0, oldest) },
      { gauge: deadEvents, labels, value: dead },
    ]
  })
}

const minuteMs = 60_000

/** Reports the content of a registry of objects. It reads the whole table, so it runs once a minute. */
export function watchBlobs<T>(db: Kysely<T>, schema: string): () => void {
  const read = async (tx: Kysely<T>): Promise<GaugeReading[]> => {
    const { rows } = await sql<{ state: string; bytes: number; oldest: number }>`
      select state, coalesce(sum(size), 0)::float8 as bytes,
        extract(epoch from clock_timestamp() - min(created_date))::float8 as oldest
      from blobs group by state`.execute(tx)
    const pending = rows.find(({ state }) => state === 'pending')
    const bytes = rows.map(
      ({ state, bytes: value }): GaugeReading => ({
        gauge: blobBytes,
        labels: { schema, state },
        value,
      }),
    )
    const oldest = Math.max(0, pending?.oldest ?? 0)
    return [...bytes, { gauge: blobPendingOldestSeconds, labels: { schema }, value: oldest }]
  }
  return readFromDatabase(db, read, { keepMs: minuteMs })
}
