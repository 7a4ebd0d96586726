import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Shape, shapeTypes, sources, type Tag, type Track } from './rest/annotations.ts'
import {
  decodeRows,
  decodeShape,
  decodeTag,
  decodeTrack,
  encodeRow,
  encodeShape,
  encodeTag,
  encodeTrack,
  rowLinesHeader,
} from './row-lines.ts'

interface Objects {
  tags: Tag[]
  shapes: Shape[]
  tracks: Track[]
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 12 }), // includes control characters
)
const attributes = fc.array(fc.record({ spec_id: fc.nat(), value: text }), { maxLength: 3 })
const coordinate = fc
  .oneof(
    fc.double({ noNaN: true, min: -1e7, max: 1e7 }),
    fc.integer({ min: -1e9, max: 1e9 }).map((n) => n / 100),
    fc.integer({ min: -1e7, max: 1e7 }),
  )
  .map((n) => n + 0)
const place = {
  occluded: fc.boolean(),
  outside: fc.boolean(),
  z_order: fc.integer(),
  rotation: fc.double({ noNaN: true, min: 0, max: 360 }),
  points: fc.array(coordinate, { maxLength: 9 }),
  attributes,
}
const named = {
  id: fc.option(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
  frame: fc.nat(),
  label_id: fc.nat(),
  group: fc.nat(),
  source: fc.constantFrom(...sources),
}
const type = fc.constantFrom(...shapeTypes)
const element = { ...named, type, score: fc.double({ noNaN: true, min: 0, max: 1 }), ...place }
const elements = fc.array(fc.record(element), { maxLength: 2 })
const trackShape = { id: named.id, type, frame: named.frame, keyframe: fc.boolean(), ...place }
const trackElement = {
  ...named,
  attributes,
  shapes: fc.array(fc.record(trackShape), { maxLength: 3 }),
}
const tag: fc.Arbitrary<Tag> = fc.record({ ...named, attributes })
const shape: fc.Arbitrary<Shape> = fc.record({ ...element, elements })
const track: fc.Arbitrary<Track> = fc.record({
  ...trackElement,
  elements: fc.array(fc.record(trackElement), { maxLength: 2 }),
})

test('written rows are read unchanged for any cuts of the stream', async () => {
  const sets = fc.record({ tags: fc.array(tag), shapes: fc.array(shape), tracks: fc.array(track) })
  await fc.assert(
    fc.asyncProperty(sets, fc.integer({ min: 1, max: 100 }), async (set, size) => {
      const lines = [
        ...set.tags.map(encodeTag),
        ...set.shapes.map(encodeShape),
        ...set.tracks.map(encodeTrack),
      ]
      const read = await decodeSet(cut(rowLinesHeader + lines.join(''), size))
      expect(JSON.stringify(read)).toBe(JSON.stringify(ordered(set)))
    }),
    { numRuns: 100 },
  )
})

test('rows that are read and written again have the same bytes', async () => {
  const lines = fc.array(
    fc.oneof(tag.map(encodeTag), shape.map(encodeShape), track.map(encodeTrack)),
  )
  await fc.assert(
    fc.asyncProperty(lines, fc.integer({ min: 1, max: 100 }), async (given, size) => {
      const bytes = Buffer.from(rowLinesHeader + given.join(''))
      let again = rowLinesHeader
      for await (const rows of decodeRows(cut(bytes, size))) again += rows.map(encodeRow).join('')
      expect(Buffer.from(again, 'latin1')).toEqual(bytes)
    }),
    { numRuns: 100 },
  )
})

test.each([
  ['an empty stream', '', 'line 1: the stream is empty'],
  ['another version', 'reticle rows 2\n', 'line 1: expected "reticle rows 1"'],
  ['an unknown kind', `${rowLinesHeader}blob\u00021\n`, 'line 2: no kind "blob"'],
  ['a missing column', `${rowLinesHeader}tag\u00021\n`, 'line 2: a tag has 6 columns, not 1'],
  ['a line without its end', `${rowLinesHeader}tag`, 'the last line has no end'],
])('%s is rejected', async (_name, given, message) => {
  await expect(decodeSet(cut(given, 7))).rejects.toThrow(message)
})

async function decodeSet(chunks: Uint8Array[]) {
  const set: Objects = { tags: [], shapes: [], tracks: [] }
  for await (const rows of decodeRows(chunks)) {
    for (const { kind, columns } of rows) {
      if (kind === 'tag') set.tags.push(decodeTag(columns))
      if (kind === 'shape') set.shapes.push(decodeShape(columns))
      if (kind === 'track') set.tracks.push(decodeTrack(columns))
    }
  }
  return set
}

function cut(given: string | Buffer, size: number): Uint8Array[] {
  const bytes = Buffer.from(given)
  const count = Math.ceil(bytes.length / size)
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
}

/** Orders the members of a generated object like those of a decoded one. */
function ordered(set: Objects) {
  const tagKeys = ['id', 'frame', 'label_id', 'group', 'source', 'attributes'] as const
  const pick = <T extends object, K extends keyof T>(given: T, keys: readonly K[]) =>
    Object.fromEntries(keys.map((key) => [key, given[key]]))
  const shapeKeys = [
    'id',
    'type',
    'frame',
    'label_id',
    'group',
    'source',
    'score',
    'occluded',
  ] as const
  const rest = ['outside', 'z_order', 'rotation', 'points', 'attributes', 'elements'] as const
  return {
    tags: set.tags.map((one) => pick(one, tagKeys)),
    shapes: set.shapes.map((one) => pick(one, [...shapeKeys, ...rest])),
    tracks: set.tracks.map((one) => pick(one, [...tagKeys, 'shapes', 'elements'])),
  }
}
