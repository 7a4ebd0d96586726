/** `tf.train.Example`, the message in the records of TFRecord files: lists of values by name. */
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
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
export function readExample(data: Uint8Array, location: ErrorLocation): Example {
  const features = new Map<string, Uint8Array>()
  if (messagesOf(data, 2, location).length > 0)
    throw new FormatError('a tf.train.SequenceExample, expected tf.train.Example', location)
  for (const map of messagesOf(data, 1, location))
    for (const entry of messagesOf(map, 1, location)) {
      const [name = nothing] = messagesOf(entry, 1, location).slice(-1)
      const [value = nothing] = messagesOf(entry, 2, location).slice(-1)
      features.set(textOf(name, location), value)
    }
  const listOf = (name: string, kind: Kind): Uint8Array[] => {
    const feature = features.get(name)
    if (!feature) return []
    const given = [...fieldsOf(feature, location)].filter(
      ({ number, bytes }) => number in kinds && bytes.length > 0, // an empty list has no kind
    )
    const other = given.find(({ number, type }) => number !== lists[kind] || type !== wire.bytes)
    if (!other) return given.map(({ bytes }) => bytes)
    const found = nouns[kinds[other.number] ?? kind]
    throw new FormatError(`${name} is a list of ${found}, expected ${nouns[kind]}`, location)
  }
  const bytes = (name: string) =>
    listOf(name, 'bytes').flatMap((list) => messagesOf(list, 1, location))
  return {
    names: () => [...features.keys()],
    bytes,
    texts: (name) => bytes(name).map((text) => textOf(text, location)),
    floats: (name) => listOf(name, 'floats').flatMap((list) => floatsIn(list, location)),
    integers: (name) => listOf(name, 'integers').flatMap((list) => integersIn(list, location)),
  }
}

export type FeatureValues =
  | { bytes: readonly (Uint8Array | string)[] }
  | { floats: readonly number[] }
  | { integers: readonly number[] }

/** Serializes an example in parts, with features sorted by name; large values are not copied. */
export function writeExample(features: ReadonlyMap<string, FeatureValues>): Uint8Array[] {
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
function messagesOf(message: Uint8Array, wanted: number, location: ErrorLocation): Uint8Array[] {
  return [...fieldsOf(message, location)].flatMap(({ number, type, bytes }) =>
    number === wanted && type === wire.bytes ? [bytes] : [],
  )
}

/** Reads packed and unpacked floats. */
function floatsIn(list: Uint8Array, location: ErrorLocation): number[] {
  return [...fieldsOf(list, location)].flatMap(({ number, type, bytes }) => {
    if (number !== 1 || (type !== wire.bytes && type !== wire.fixed32)) return []
    if (bytes.length % 4 !== 0) throw new FormatError('a list of floats is cut off', location)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return Array.from({ length: bytes.length / 4 }, (_, at) => view.getFloat32(4 * at, true))
  })
}

function integersIn(list: Uint8Array, location: ErrorLocation): number[] {
  return [...fieldsOf(list, location)].flatMap(({ number, type, value, bytes }) => {
    if (number !== 1) return []
    if (type === wire.varint) return [value]
    return type === wire.bytes ? varintsIn(bytes, location) : []
  })
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOf(bytes: Uint8Array, location: ErrorLocation): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new FormatError('a text is not UTF-8', location)
  }
}

// ---- writing

function kindOf(values: FeatureValues): Kind {
  if ('bytes' in values) return 'bytes'
  return 'floats' in values ? 'floats' : 'integers'
}

function listOf(values: FeatureValues): Uint8Array[] {
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
