/** `tf.train.Example`, the message in the records of TFRecord files: lists of values by name. */
import { FormatError, type Place } from '../errors.ts'
import { bytesField, fieldsOf, varintOf, varintsIn, wire } from './protobuf.ts'

/** Field numbers of a `Feature`, which is one of these lists. */
const lists = { bytes: 1, floats: 2, integers: 3 } as const
type Kind = keyof typeof lists

const nouns: Record<Kind, string> = {
  bytes: 'bytes',
  floats: 'floats',
  integers: 'whole numbers',
}

/** Features of a record. Missing lists are empty. */
export interface Example {
  names(): string[]
  bytes(name: string): Uint8Array[]
  texts(name: string): string[]
  floats(name: string): number[]
  integers(name: string): number[]
}

/**
 * Reads the names of the features; their values are read on request.
 * @throws {FormatError} that names the record, when it is not an example, or when a feature is of another kind than
 * requested
 */
export function readExample(data: Uint8Array, place: Place): Example {
  const features = new Map<string, Uint8Array>()
  if (messagesOf(data, 2, place).length > 0)
    throw new FormatError('a tf.train.SequenceExample, expected tf.train.Example', place)
  for (const map of messagesOf(data, 1, place))
    for (const entry of messagesOf(map, 1, place)) {
      const [name = nothing] = messagesOf(entry, 1, place).slice(-1)
      const [value = nothing] = messagesOf(entry, 2, place).slice(-1)
      features.set(textOf(name, place), value)
    }
  const listOf = (name: string, kind: Kind): Uint8Array[] => {
    const feature = features.get(name)
    if (!feature) return []
    const given = [...fieldsOf(feature, place)].filter(
      ({ number, bytes }) => number in kinds && bytes.length > 0, // an empty list has no kind
    )
    const other = given.find(({ number, type }) => number !== lists[kind] || type !== wire.bytes)
    if (!other) return given.map(({ bytes }) => bytes)
    const found = nouns[kinds[other.number] ?? kind]
    throw new FormatError(`${name} is a list of ${found}, expected ${nouns[kind]}`, place)
  }
  const bytes = (name: string) =>
    listOf(name, 'bytes').flatMap((list) => messagesOf(list, 1, place))
  return {
    names: () => [...features.keys()],
    bytes,
    texts: (name) => bytes(name).map((text) => textOf(text, place)),
    floats: (name) => listOf(name, 'floats').flatMap((list) => floatsIn(list, place)),
    integers: (name) => listOf(name, 'integers').flatMap((list) => integersIn(list, place)),
  }
}

export type Values =
  | { bytes: readonly (Uint8Array | string)[] }
  | { floats: readonly number[] }
  | { integers: readonly number[] }

/** Serializes an example in parts, with features sorted by name; large values are not copied. */
export function writeExample(features: ReadonlyMap<string, Values>): Uint8Array[] {
  const sorted = [...features].sort(([a], [b]) => (a < b ? -1 : 1))
  const entries = sorted.flatMap(([name, values]) =>
    bytesField(1, [
      ...bytesField(1, [Buffer.from(name)]),
      ...bytesField(2, bytesField(lists[kindOf(values)], listOf(values))),
    ]),
  )
  return bytesField(1, entries)
}

// ---- reading

const kinds: Readonly<Record<number, Kind>> = { 1: 'bytes', 2: 'floats', 3: 'integers' }
const nothing = new Uint8Array()

/** Returns the messages, bytes or texts of one field of a message. */
function messagesOf(message: Uint8Array, wanted: number, place: Place): Uint8Array[] {
  return [...fieldsOf(message, place)].flatMap(({ number, type, bytes }) =>
    number === wanted && type === wire.bytes ? [bytes] : [],
  )
}

/** Reads packed and unpacked floats. */
function floatsIn(list: Uint8Array, place: Place): number[] {
  return [...fieldsOf(list, place)].flatMap(({ number, type, bytes }) => {
    if (number !== 1 || (type !== wire.bytes && type !== wire.fixed32)) return []
    if (bytes.length % 4 !== 0) throw new FormatError('a list of floats is cut off', place)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true))
  })
}

function integersIn(list: Uint8Array, place: Place): number[] {
  return [...fieldsOf(list, place)].flatMap(({ number, type, value, bytes }) => {
    if (number !== 1) return []
    if (type === wire.varint) return [value]
    return type === wire.bytes ? varintsIn(bytes, place) : []
  })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array, place: Place): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new FormatError('a text is not UTF-8', place)
  }
}

// ---- writing

function kindOf(values: Values): Kind {
  if ('bytes' in values) return 'bytes'
  return 'floats' in values ? 'floats' : 'integers'
}

function listOf(values: Values): Uint8Array[] {
  if ('bytes' in values)
    return values.bytes.flatMap((value) =>
      bytesField(1, [typeof value === 'string' ? Buffer.from(value) : value]),
    )
  if ('integers' in values)
    return bytesField(1, [Uint8Array.from(values.integers.flatMap(varintOf))])
  const packed = Buffer.alloc(4 * values.floats.length)
  for (const [at, value] of values.floats.entries()) packed.writeFloatLE(value, 4 * at)
  return bytesField(1, [packed])
}
