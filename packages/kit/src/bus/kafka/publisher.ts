import { type ICustomPartitioner, type Kafka, type Message, Partitioners } from 'kafkajs'
import { type Kysely, sql } from 'kysely'
import type { Bus } from '../bus.ts'
import { compressionFor, type OutboxRow, type Request, requestsOf, unconfirmed } from './message.ts'

export interface Publisher {
  relay: Bus['relay']
  close: () => Promise<void>
}

/**
 * Moves events from an outbox to their topics. They leave in the order of their ids, one request after the other; a row is
 * gone only when every replica in sync has its event. A crash, or a relay that lost its lock, publishes events again, but
 * never a later one of a key before an earlier one, and inboxes drop what they know (`reliability.md` 4.1).
 *
 * @throws whatever keeps the broker from taking them: later, then
 */
export function openPublisher(kafka: Kafka, prefix: string): Publisher {
  const { producer, placeOf } = openProducer(kafka)
  let connected: Promise<void> | undefined
  const connect = () => {
    connected ??= producer.connect().catch((error) => {
      connected = undefined
      throw error
    })
    return connected
  }

  const publish = async ({ messages, bytes }: Request) => {
    await connect()
    const topicMessages = [...new Set(messages.map(({ topic }) => topic))].map((topic) => ({
      topic: prefix + topic,
      messages: messages.filter((one) => one.topic === topic).map(({ message }) => message),
    }))
    const compression = compressionFor(bytes)
    const taken = await producer.sendBatch({ acks: -1, compression, topicMessages })
    const missing = unconfirmed(messages, { prefix, placeOf, taken })
    if (missing) throw new Error(`the broker did not confirm an event of ${missing.topic}`)
  }

  return {
    relay: async ({ schema, session }, limit) => {
      const rows = await readOutbox(session, schema, limit)
      for (const request of requestsOf(rows)) {
        await publish(request)
        await settle(
          session,
          schema,
          request.messages.map(({ id }) => id),
        )
      }
      return rows.length
    },
    close: async () => {
      await connected?.catch(() => undefined)
      await producer.disconnect()
    },
  }
}

/** `placeOf` tells the partition a message was sent to: that of its key, as Java clients compute it. */
function openProducer(kafka: Kafka) {
  const places = new WeakMap<Message, number>()
  const createPartitioner: ICustomPartitioner = () => {
    const byKey = Partitioners.DefaultPartitioner()
    return (given) => {
      const place = byKey(given)
      places.set(given.message, place)
      return place
    }
  }
  const producer = kafka.producer({
    createPartitioner,
    allowAutoTopicCreation: false,
    idempotent: false,
    maxInFlightRequests: 1,
  })
  return { producer, placeOf: (message: Message) => places.get(message) }
}

async function readOutbox(session: Kysely<unknown>, schema: string, limit: number) {
  const { rows } = await sql<OutboxRow>`
    select id, topic, key, headers, data from ${sql.id(schema, 'outbox')}
    order by id limit ${limit}`.execute(session)
  return rows
}

/** One statement: a row is in the outbox or among the published ones. */
async function settle(session: Kysely<unknown>, schema: string, ids: number[]): Promise<void> {
  await sql`
    with published as (delete from ${sql.id(schema, 'outbox')} where id = any(${ids}) returning *)
    insert into ${sql.id(schema, 'outbox_sent')}
      (id, event_id, topic, key, type, version, headers, data, created_date)
    select id, event_id, topic, key, type, version, headers, data, created_date from published
  `.execute(session)
}
