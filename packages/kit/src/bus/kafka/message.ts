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

export const toMessage = ({ key, headers, data }: OutboxRow): Outgoing & { value: string } => ({
  key,
  value: JSON.stringify(data),
  headers,
})

const envelopeBytes = 600

/** What a message takes in a request, about: the values of its headers are short. */
export const sizeOf = ({ value }: { value: string }) => Buffer.byteLength(value) + envelopeBytes

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
