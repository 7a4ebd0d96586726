import { CompressionTypes, type KafkaMessage, type Message as Outgoing } from 'kafkajs'
import { v5, validate } from 'uuid'
import type { Message } from '../attempt.ts'

/** A row of an outbox on its way. */
export interface OutboxRow {
  id: number
  topic: string
  key: string
  headers: Record<string, string>
  data: unknown
}

/** What goes to the brokers at once. */
export interface Request {
  messages: { id: number; topic: string; message: Outgoing }[]
  bytes: number
}

/** Below what brokers take as one batch (1 MiB), since all of a request may be for one partition. */
const requestBytes = 900_000
/** The key, and headers with their short values. */
const envelopeBytes = 600

/** Rows in their order, cut into requests that a broker takes. */
export function requestsOf(rows: readonly OutboxRow[]): Request[] {
  const requests: Request[] = []
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
 * A message whose partition is not among those that the brokers confirmed. When a partition moves to another broker between
 * two tries, kafkajs may leave it out and still report success.
 */
export function unconfirmed(messages: Request['messages'], { prefix, placeOf, taken }: Confirmed) {
  const known = new Set(taken.map(({ topicName, partition }) => `${topicName} ${partition}`))
  return messages.find(({ message, topic }) => !known.has(`${prefix}${topic} ${placeOf(message)}`))
}

export const compressionFor = (bytes: number) =>
  bytes > 1024 ? CompressionTypes.GZIP : CompressionTypes.None

/** Of ids that are made for messages which have none, because someone else wrote them. */
const strangers = '2f9c1c5e-7a6b-4f55-9b0e-5d3f3f5d8a11'

/** A message as it was read; whether it is an event of ours is for the envelope's reader to say. */
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

/** Text that is no JSON stays text: the schema of its data refuses it, and it can still be shown to a person. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** @throws RangeError beyond 2^53 */
export function offsetOf(text: string): number {
  const offset = Number(text)
  if (!Number.isSafeInteger(offset)) throw new RangeError(`offset ${text} is no safe integer`)
  return offset
}
