/** Reads and writes fields of Protocol Buffers, as far as TFRecord files need them. */
import { type ErrorLocation, FormatError } from '../../report/errors.ts'

/** Encodings of field values. */
export const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const

export interface ProtobufField {
  number: number
  type: number
  /** Only for a varint: a signed number of 64 bits, which is inexact beyond 2^53. */
  value: number
  /** For all other encodings: the bytes. */
  bytes: Uint8Array
}

/**
 * Yields the fields of a message in order.
 * @throws {FormatError} when the bytes are not a message
 */
export function* fieldsOf(message: Uint8Array, location: ErrorLocation): Generator<ProtobufField> {
  const cursor = { bytes: message, at: 0 }
  while (cursor.at < message.length) {
    const tag = readVarint(cursor, location)
    const [number, type] = [Math.floor(tag / 8), tag % 8]
    if (number < 1 || number > mostField) throw noMessage(location)
    const field: ProtobufField = { number, type, value: 0, bytes: nothing }
    if (type === wire.varint) field.value = readVarint(cursor, location)
    else field.bytes = takeBytes(cursor, lengthOf(type, cursor, location), location)
    yield field
  }
}

/** Reads consecutive varints. */
export function varintsIn(bytes: Uint8Array, location: ErrorLocation): number[] {
  const cursor = { bytes, at: 0 }
  const values: number[] = []
  while (cursor.at < bytes.length) values.push(readVarint(cursor, location))
  return values
}

/** Serializes a field with a message or bytes, in parts that are not copied. */
export function bytesField(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  return [Uint8Array.from([number * 8 + wire.bytes, ...varintOf(size)]), ...parts]
}

/**
 * Encodes a varint.
 * @param value A whole number that is not negative.
 */
export function varintOf(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

const mostField = 2 ** 29 - 1
const nothing: Uint8Array = new Uint8Array()

interface ProtobufCursor {
  bytes: Uint8Array
  at: number
}

/**
 * Decodes a varint: seven bits per byte, low ones first. Parts of 28, 28 and 8 bits are combined, so that small
 * negative numbers are exact.
 */
function readVarint(cursor: ProtobufCursor, location: ErrorLocation): number {
  const parts: [number, number, number] = [0, 0, 0]
  for (let index = 0; index < 10; index += 1) {
    const byte = cursor.bytes[cursor.at]
    if (byte === undefined) break
    cursor.at += 1
    const part = index < 4 ? 0 : index < 8 ? 1 : 2
    parts[part] |= (byte & 127) << (7 * (index % 4))
    if (byte > 127) continue
    const high = (parts[2] << 24) >> 24
    return parts[0] + (parts[1] * 2 ** 28 + high * 2 ** 56)
  }
  throw noMessage(location)
}

function lengthOf(type: number, cursor: ProtobufCursor, location: ErrorLocation): number {
  if (type === wire.bytes) return readVarint(cursor, location)
  if (type === wire.fixed32) return 4
  if (type === wire.fixed64) return 8
  throw noMessage(location)
}

function takeBytes(cursor: ProtobufCursor, length: number, location: ErrorLocation): Uint8Array {
  const end = cursor.at + length
  if (length < 0 || end > cursor.bytes.length) throw noMessage(location)
  const taken = cursor.bytes.subarray(cursor.at, end)
  cursor.at = end
  return taken
}

const noMessage = (location: ErrorLocation) =>
  new FormatError('the record is no tf.train.Example', location)
