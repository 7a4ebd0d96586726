import { isDeepStrictEqual } from 'node:util'
import { assert, constantFrom, option, property, record as records, string } from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ambiguousKeys, wireOf } from './message.ts'

const trip = (schema: z.ZodType, value: unknown) => {
  const { toWire, fromWire } = wireOf(schema)
  return fromWire(JSON.parse(JSON.stringify(toWire(value))))
}

const record = z.object({
  id: z.int(),
  name: z.string(),
  owner: z.object({ id: z.int() }).nullable(),
  words: z.array(z.string()),
})
const patch = z
  .object({ name: z.string(), owner_id: z.int().nullable(), words: z.array(z.string()) })
  .partial()

test('null is omitted from a message and restored after it', () => {
  const value = { id: 1, name: 'a', owner: null, words: [] }
  expect(wireOf(record).toWire(value)).toEqual({ id: 1, name: 'a', words: [] })
  expect(trip(record, value)).toEqual(value)
})

test('a zero that proto3 omits is restored as zero', () => {
  expect(wireOf(record).fromWire({})).toEqual({ id: 0, name: '', owner: null, words: [] })
})

test.each([
  [{}, {}],
  [{ owner_id: null }, { cleared: ['owner_id'] }],
  [
    { owner_id: 0, name: '' },
    { owner_id: 0, name: '' },
  ],
  [{ words: [] }, { cleared: ['words'] }],
  [
    { words: ['a'], owner_id: null },
    { words: ['a'], cleared: ['owner_id'] },
  ],
])('a patch %j tells "set to nothing" from "not sent"', (value, message) => {
  expect(wireOf(patch).toWire(value)).toEqual(message)
  expect(trip(patch, value)).toEqual(value)
})

test('every patch is restored unchanged', () => {
  const anyPatch = records(
    {
      name: string(),
      owner_id: option(constantFrom(0, 1, -7)),
      words: constantFrom([], [''], ['a', 'b']),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  void assert(property(anyPatch, (value) => isDeepStrictEqual(trip(patch, value), value)))
})

test('only keys that may be both absent and empty need "cleared"', () => {
  expect(ambiguousKeys(patch.shape)).toEqual(['owner_id', 'words'])
  expect(ambiguousKeys(record.shape)).toEqual([])
})

test('recursive shapes are supported', () => {
  const branch = z.object({
    name: z.string(),
    parent: z.int().nullable(),
    get children() {
      return z.array(branch)
    },
  })
  const leaf = { name: 'b', parent: 1, children: [] }
  const value = { name: 'a', parent: null, children: [leaf] }
  expect(trip(branch, value)).toEqual(value)
})

test('maps, free JSON and results of a transform are supported', () => {
  const given = z.object({
    counts: z.record(z.string(), z.int()),
    extra: z.unknown(),
    page: z.string().transform(Number).pipe(z.int()),
    flag: z.preprocess((one) => one === 'True', z.boolean()).default(false),
  })
  const value = { counts: { a: 1 }, extra: { b: [null] }, page: 3, flag: true }
  expect(trip(given, value)).toEqual(value)
})

test.each([[null], [false], [0], [''], [[]], [{ a: { b: null } }]])(
  'free JSON %j keeps its value',
  (extra) => {
    expect(trip(z.object({ extra: z.unknown() }), { extra })).toEqual({ extra })
  },
)

test.each([[null], [[]], [[{ id: 0, words: [''] }]]])(
  'a nullable list keeps its value %j',
  (list) => {
    const item = z.object({ id: z.int(), words: z.array(z.string()) })
    expect(trip(z.object({ list: z.array(item).nullable() }), { list })).toEqual({ list })
  },
)

test('a nullable map keeps its value', () => {
  const shape = z.object({ counts: z.record(z.string(), z.int()).nullable() })
  for (const counts of [null, {}, { a: 1 }]) expect(trip(shape, { counts })).toEqual({ counts })
  expect(trip(shape, {})).toEqual({ counts: null })
})

test('an optional key that is absent stays absent', () => {
  expect(trip(z.object({ note: z.string().optional() }), {})).toEqual({})
})

test.each([
  ['a transform without an end', z.string().transform(Number)],
  ['a union of different types', z.union([z.string(), z.array(z.string())])],
  ['a list that may be null or absent', z.array(z.string()).nullable().optional()],
  ['a list of lists', z.array(z.array(z.string()))],
  ['a date', z.date()],
])('%s is rejected when the table is loaded, not when it is called', (_, schema) => {
  expect(() => wireOf(schema)).toThrow(TypeError)
})
