import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { openDatabase } from '../db/connect.ts'
import { createAlarm } from '../scheduling/alarm.ts'

/** Source of a relay: the outbox of one schema, read through the session that holds its lock. */
export interface Outbox {
  schema: string
  session: Kysely<unknown>
}

/** Moves a batch of at most `limit` events out of the outbox, and resolves to their number. */
export type RelayBatch = (outbox: Outbox, limit: number) => Promise<number>

export interface RelayOptions {
  /** Address with the role of the service. */
  url: string
  schema: string
  bus: { relay: RelayBatch }
  /** Receives every failure. The relay recovers without further action. */
  onError: (error: unknown) => void
  pollMs?: number
  /**
   * Milliseconds that events wait after the commit that wakes the relay. It is for a service whose caller still waits
   * after the commit, so that consumers of the event do not compete with the rest of that call. Events of several
   * commits are relayed together.
   */
  headStartMs?: number
}

export interface Relay {
  /** Call after each commit (`Database.onCommit`), so that events are relayed at once instead of at the next poll. */
  wake: () => void
  stop: () => Promise<void>
}

const batch = 500
/**
 * Milliseconds of rest after a run without events. Commits without events wake the relay as well, and not each of them
 * should cost a query.
 */
const restMs = 10
const stopMs = 10_000

/**
 * Starts a relay that moves events from the outbox of one schema to the bus by deleting their rows; it never stores a
 * last id. Every process of a service runs one. The relay that holds the advisory lock works, and the others try to get
 * the lock at each poll.
 */
export function startRelay({
  url,
  schema,
  bus,
  onError,
  pollMs = 500,
  headStartMs = 0,
}: RelayOptions): Relay {
  const database = openDatabase<unknown>(url, {
    application: `relay ${schema}`,
    max: 1,
    statement_timeout: 60_000,
  })
  const waiting = createAlarm()
  let stopped = false

  const lead = async (session: Kysely<unknown>) => {
    const lock = sql`hashtext(${`${schema}.outbox`})`
    const { rows } = await sql<{ leads: boolean }>`
      select pg_try_advisory_lock(${lock}) as leads`.execute(session)
    if (!rows[0]?.leads) return
    while (!stopped) {
      const moved = await bus.relay({ schema, session }, batch)
      if (moved === 0) await sleep(restMs)
      if (moved === batch) continue
      await waiting.wait(pollMs)
      if (headStartMs > 0 && !stopped) await sleep(headStartMs)
    }
    await sql`select pg_advisory_unlock(${lock})`.execute(session)
  }
  const work = async () => {
    while (!stopped) {
      await database.db.connection().execute(lead).catch(onError)
      if (!stopped) await waiting.wait(pollMs)
    }
  }

  const running = work()
  return {
    wake: waiting.ring,
    stop: async () => {
      stopped = true
      waiting.ring()
      const ended = running.then(() => true)
      const isOver = await Promise.race([ended, sleep(stopMs, false, { ref: false })])
      // A batch that hangs at a silent broker ends with the process; the next relay publishes it again.
      if (isOver) await database.close()
    },
  }
}
