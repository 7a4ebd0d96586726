import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openDatabase } from '../db/connect.ts'
import type { Bus, Group, Handle, OnFailure } from './bus.ts'
import { type PostgresSubscription, startConsumer } from './postgres/consumer.ts'
import { appendBatch, channel, retainMessages } from './postgres/log.ts'
import { replayGroup, touchGroup } from './postgres/offsets.ts'

export interface PostgresBusOptions {
  /** Address with a role that may use the schema `bus`, for notifications and for the removal of old messages. */
  url: string
  /** Receives failures of handlers and of the database. The bus recovers without further action. */
  onError: OnFailure
  /** Called after a group without readers was dropped. */
  onGroupDropped?: (group: string) => void
}

type Subscriber = Group<never> & { handle: Handle<never> }

const hourMs = 3_600_000
const reconnectMs = 1000

/**
 * Opens the bus of a single-process installation: a log in the same PostgreSQL. See
 * docs/spec/reliability.md#embedded-bus.
 */
export function postgresBus({ url, onError, onGroupDropped }: PostgresBusOptions): Bus {
  const consumers = new Map<PostgresSubscription, Subscriber>()
  const own = openDatabase<unknown>(url, { application: 'bus', max: 1, statement_timeout: 60_000 })
  const listener = startListening(url, onError, (topic, type) => {
    for (const [consumer, { topic: own, handle }] of consumers)
      if (own === topic && handle.isFor?.(type) !== false) consumer.wake()
  })

  const runUpkeep = async () => {
    for (const group of consumers.values()) await touchGroup(group)
    const { dropped_groups } = await retainMessages(own.db, new Date())
    for (const group of dropped_groups) onGroupDropped?.(group)
  }
  const hourly = setInterval(() => runUpkeep().catch(onError), hourMs)
  hourly.unref()

  return {
    relay: appendBatch,
    subscribe: (subscriber) => {
      const consumer = startConsumer({ ...subscriber, onError })
      consumers.set(consumer, subscriber as unknown as Subscriber)
      const stop = () => {
        consumers.delete(consumer)
        return consumer.stop()
      }
      return { ...consumer, stop }
    },
    replay: async (group, offset) => {
      await replayGroup(group, offset)
      for (const consumer of consumers.keys()) consumer.wake()
    },
    isAlive: () => [...consumers.keys()].every((consumer) => consumer.isAlive()),
    close: async () => {
      clearInterval(hourly)
      await Promise.all([...consumers.keys()].map((consumer) => consumer.stop()))
      await listener.stop()
      await own.close()
    },
  }
}

/** Listens in a separate session for the types of appended events. While that session is down, consumers poll. */
function startListening(
  url: string,
  onError: (error: unknown) => void,
  onNotification: (topic: string, type: string) => void,
): { stop: () => Promise<void> } {
  const stopping = new AbortController()
  let client: pg.Client | undefined

  const listen = async () => {
    client = new pg.Client({
      connectionString: url,
      application_name: 'bus listener',
      keepAlive: true,
    })
    const ended = new Promise<void>((resolve) => client?.once('end', () => resolve()))
    client.on('error', onError)
    client.on('notification', ({ payload = '' }) => {
      const [topic = '', type = ''] = payload.split(' ')
      onNotification(topic, type)
    })
    await client.connect()
    await client.query(`listen ${channel}`)
    if (stopping.signal.aborted) await client.end()
    await ended
  }
  const run = async () => {
    while (!stopping.signal.aborted) {
      await listen().catch(onError)
      await sleep(reconnectMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const running = run()
  return {
    stop: async () => {
      stopping.abort()
      await client?.end().catch(() => undefined)
      await running
    },
  }
}
