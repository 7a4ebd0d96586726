import { type ICustomPartitioner, type Kafka, type Message, Partitioners } from 'kafkajs'
import { type Kysely, sql } from 'kysely'
import type { Bus } from '../bus.ts'
import {
  compressionFor,
  findUnconfirmed,
  type OutboxMessage,
  type ProduceRequest,
  requestsOf,
} from './message.ts'

export interface Publisher {
  relay: Bus['relay']
  close: () => Promise<void>
}

/**
 * Opens the publisher, which moves events from an outbox to their topics. Events are sent in the order of their ids,
 * one request after the other, and a row is moved only after every in-sync replica has its event. After a crash, or
 * when a relay lost its lock, events may be published again, but never a later event of a key before an earlier one;
 * inboxes drop the repetitions.
 * @throws Error if a broker does not accept the events; they stay in the outbox
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

  const publish = async ({ messages, bytes }: ProduceRequest) => {
    await connect()
    const topicMessages = [...new Set(messages.map(({ topic }) => topic))].map((topic) => ({
      topic: prefix + topic,
      messages: messages.filter((one) => one.topic === topic).map(({ message }) => message),
    }))
    const compression = compressionFor(bytes)
    const taken = await producer.sendBatch({ acks: -1, compression, topicMessages })
    const missing = findUnconfirmed(messages, { prefix, placeOf, taken })
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

/**
 * Opens a producer. `placeOf` returns the partition that a message was
 * sent to, computed from its key as Java clients do.
 */
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
  const { rows } = await sql<OutboxMessage>`
    select id, topic, key, headers, data from ${sql.id(schema, 'outbox')}
    order by id limit ${limit}`.execute(session)
  return rows
}

/** Moves rows to the published ones in one statement, so that a row is always in exactly one of the two tables. */
async function settle(session: Kysely<unknown>, schema: string, ids: number[]): Promise<void> {
  await sql`
    with published as (delete from ${sql.id(schema, 'outbox')} where id = any(${ids}) returning *)
    insert into ${sql.id(schema, 'outbox_sent')}
      (id, event_id, topic, key, type, version, headers, data, created_date)
    select id, event_id, topic, key, type, version, headers, data, created_date from published
  `.execute(session)
}
