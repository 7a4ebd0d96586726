import { CompressionTypes, type KafkaMessage, type Message as Outgoing } from 'kafkajs'
import { v5, validate } from 'uuid'
import type { Message } from '../attempt.ts'

/** Row of an outbox that is being published. */
export interface OutboxMessage {
  id: number
  topic: string
  key: string
  headers: Record<string, string>
  data: unknown
}

/** Messages that are sent to the brokers together. */
export interface ProduceRequest {
  messages: { id: number; topic: string; message: Outgoing }[]
  bytes: number
}

/**
 * Size limit of a request in bytes. It is below the 1 MiB that brokers accept as one batch, since all of a request may
 * belong to one partition.
 */
const requestBytes = 900_000
/** Estimated bytes of the key and of the headers with their short values. */
const envelopeBytes = 600

/** Splits rows, in their order, into requests that a broker accepts. */
export function requestsOf(rows: readonly OutboxMessage[]): ProduceRequest[] {
  const requests: ProduceRequest[] = []
  for (const { id, topic, key, headers, data } of rows) {
    const value = JSON.stringify(data)
    const bytes = Buffer.byteLength(value) + envelopeBytes
    const entry = { id, topic, message: { key, value, headers } }
    const last = requests.at(-1)
    if (last && last.bytes + bytes <= requestBytes) {
      last.messages.push(entry)
      last.bytes += bytes
    } else requests.push({ messages: [entry], bytes })
  }
  return requests
}

interface Confirmed {
  prefix: string
  placeOf: (message: Outgoing) => number | undefined
  taken: readonly { topicName: string; partition: number }[]
}

/**
 * Finds a message whose partition the brokers did not confirm. If a partition moves to another broker between two
 * attempts, kafkajs may skip it and still report success.
 */
export function findUnconfirmed(
  messages: ProduceRequest['messages'],
  { prefix, placeOf, taken }: Confirmed,
) {
  const known = new Set(taken.map(({ topicName, partition }) => `${topicName} ${partition}`))
  return messages.find(({ message, topic }) => !known.has(`${prefix}${topic} ${placeOf(message)}`))
}

export const compressionFor = (bytes: number) =>
  bytes > 1024 ? CompressionTypes.GZIP : CompressionTypes.None

/** Namespace of ids for messages of foreign producers, which have none. */
const strangers = '2f9c1c5e-7a6b-4f55-9b0e-5d3f3f5d8a11'

/** Reads a message of Kafka. Whether it is a valid event is checked later, by the parser of the envelope. */
export function readMessage(
  { topic, partition }: { topic: string; partition: number },
  { key, value, headers, offset, timestamp }: KafkaMessage,
): Message {
  const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text)])
  const named: Record<string, string> = Object.fromEntries(texts)
  const id = named['event-id'] ?? ''
  return {
    offset: offsetOf(offset),
    event_id: validate(id) ? id : v5(`${topic} ${partition} ${offset} ${timestamp}`, strangers),
    key: key?.toString() ?? '',
    headers: named,
    value: readValue(value?.toString() ?? ''),
  }
}

/**
 * Parses JSON. Other text stays text, which the schema of the event
 * rejects and which can still be shown to an operator.
 */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Parses an offset.
 * @throws RangeError beyond the safe integers
 */
export function offsetOf(text: string): number {
  const offset = Number(text)
  if (!Number.isSafeInteger(offset)) throw new RangeError(`offset ${text} is no safe integer`)
  return offset
}
