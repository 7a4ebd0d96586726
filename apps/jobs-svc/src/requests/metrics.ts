import { readFromDatabase } from '@reticle/kit/observe/database'
import { counter, type GaugeReading, histogram, readGauge } from '@reticle/kit/observe/registry'
import { type Kysely, sql } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'

/** Metrics of requests: the API process counts rows, workers measure durations. */

const requestRows = readGauge({
  name: 'reticle_requests',
  help: 'Stored requests, by status and action',
  labelNames: ['status', 'action'],
})

const oldestQueued = readGauge({
  name: 'reticle_request_oldest_queued_seconds',
  help: 'Age of the oldest queued request; 0 without one',
})

const waitSeconds = histogram({
  name: 'reticle_request_wait_seconds',
  help: 'Time from the creation of a request to its first attempt',
  buckets: [0.5, 2, 10, 30, 60, 300, 900, 3600],
})

const runSeconds = histogram({
  name: 'reticle_request_run_seconds',
  help: 'Duration of an attempt, with any outcome; the format is none for the preparation of media',
  labelNames: ['format'],
  buckets: [1, 10, 60, 600, 3600],
})

/** Requests that a worker lost while it ran them. */
export const leasesLost = counter({
  name: 'reticle_lease_lost_total',
  help: 'Requests whose worker lost its lease while it ran them',
})

const minuteMs = 60_000

/**
 * Registers the counts of requests, which each scrape reads; those of ended requests are read at most once a minute.
 *
 * @returns function that ends the reading
 */
export function watchRequests(db: Kysely<RequestsDb>): () => void {
  const forget = [
    readFromDatabase(db, async (tx) => [
      ...(await countRows(tx, ['queued', 'started'])),
      { gauge: oldestQueued, value: (await queueDepth(tx)).oldest_queued_seconds },
    ]),
    readFromDatabase(db, (tx) => countRows(tx, ['finished', 'failed']), { keepMs: minuteMs }),
  ]
  return () => {
    for (const each of forget) each()
  }
}

async function countRows(
  db: Kysely<RequestsDb>,
  statuses: readonly RequestRow['status'][],
): Promise<GaugeReading[]> {
  const { rows } = await sql<{ status: string; action: string; count: number }>`
    select status, action, count(*)::integer as count from requests
    where ${sql.join(
      statuses.map((status) => sql`status = ${sql.lit(status)}`),
      sql` or `,
    )}
    group by status, action`.execute(db)
  return rows.map(({ count: value, ...labels }) => ({ gauge: requestRows, labels, value }))
}

/** Records the waiting time of a claimed request; later attempts wait for other reasons. */
export function noteClaim({ attempt, created_date, started_date }: RequestRow): void {
  if (attempt !== 1 || !started_date) return
  waitSeconds.observe(Math.max(0, started_date.getTime() - created_date.getTime()) / 1000)
}

/** Starts to measure an attempt; the returned function ends it. */
export const timeRun = ({ format }: RequestRow) =>
  runSeconds.startTimer({ format: format ?? 'none' })

/** Depth of the queue, over all tenants and workers. */
export interface QueueDepth {
  queued: number
  started: number
  /** Age of the oldest queued request in seconds; 0 when none is queued. */
  oldest_queued_seconds: number
}

/** Reads the depth by two partial indexes, never the finished requests. */
export async function queueDepth(db: Kysely<RequestsDb>): Promise<QueueDepth> {
  const { rows } = await sql<QueueDepth>`
    select queued, started, oldest_queued_seconds from queue_depth`.execute(db)
  return rows[0] ?? { queued: 0, started: 0, oldest_queued_seconds: 0 }
}
