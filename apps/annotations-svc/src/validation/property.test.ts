import * as rest from '@reticle/contracts/rest/annotations'
import { sources } from '@reticle/contracts/rest/annotations'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { check, refusal } from '../testing/checking.ts'

/** The checks against the schema of the contract: zod says what an object is, the fast path does it. */

const schemas = { tag: rest.tag, shape: rest.shape, track: rest.track }
const text = fc.string({ unit: 'grapheme', maxLength: 5 }).filter((one) => !one.includes('\0'))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const attributes = optional(
  fc.uniqueArray(fc.record({ spec_id: fc.constant(91), value: text }), {
    maxLength: 1,
  }),
)
const frame = fc.integer({ min: 0, max: 4 })
const named = {
  id: optional(fc.option(fc.nat())),
  frame,
  label_id: fc.constant(40),
  group: optional(fc.option(fc.nat())),
  source: optional(fc.constantFrom(...sources)),
}
const coordinates = (count: number) =>
  fc.array(fc.double({ min: -1e7, max: 1e7, noNaN: true }), { minLength: count, maxLength: count })
const outline = fc.constantFrom(
  ...([
    ['rectangle', 4],
    ['polygon', 8],
    ['polyline', 6],
    ['points', 2],
    ['cuboid', 16],
  ] as const),
)
const place = {
  occluded: optional(fc.boolean()),
  outside: optional(fc.boolean()),
  z_order: optional(fc.integer()),
  rotation: optional(fc.double({ min: 0, max: 360, noNaN: true })),
}
const tag = fc.record({ ...named, attributes })
const shape = outline.chain(([type, count]) =>
  fc.record({
    ...named,
    ...place,
    attributes,
    type: fc.constant(type),
    score: optional(fc.double({ min: 0, max: 1, noNaN: true })),
    points: coordinates(count),
  }),
)
const track = outline.chain(([type, count]) => {
  const keyframe = { ...place, type: fc.constant(type), frame, points: coordinates(count) }
  const shapes = fc.uniqueArray(fc.record({ ...keyframe, keyframe: optional(fc.boolean()) }), {
    minLength: 1,
    maxLength: 3,
    selector: (one) => one.frame,
  })
  return fc.record({ ...named, attributes, shapes })
})
const cases = [
  ['tag', tag],
  ['shape', shape],
  ['track', track],
] as const

/** An object of JSON, as it would arrive. */
const sent = (given: unknown) => JSON.parse(JSON.stringify(given))

/** One member, maybe deep inside, replaced by something else. */
const spoilt = (whole: fc.Arbitrary<object>) =>
  fc
    .tuple(whole, fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constant(undefined)))
    .map(([object, at, other]) => {
      const copy = sent(object)
      const slots = slotsOf(copy)
      const slot = slots[at % slots.length]
      if (slot) Reflect.set(slot.holder, slot.key, other)
      return sent(copy)
    })

function slotsOf(value: unknown): { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    { holder: value, key },
    ...slotsOf(inner),
  ])
}

describe.each(cases)('a %s', (kind, whole) => {
  const schema: z.ZodType = schemas[kind]

  test('that is well formed is accepted, and what is stored is one of the contract', async () => {
    await fc.assert(
      fc.asyncProperty(whole, async (given) => {
        const object = sent(given)
        const [stored] = await check(kind, [object])
        expect(schema.parse(stored)).toEqual(stored)
        const {
          attributes: _values,
          id,
          shapes: _shapes,
          frame: _frame,
          ...rest
        } = parsed(schema, object)
        expect(id === undefined || stored?.id === null).toBe(true)
        expect(stored).toMatchObject({ ...rest, group: rest.group ?? 0 })
      }),
      { numRuns: 200 },
    )
  })

  test('that the contract does not know is refused', async () => {
    await fc.assert(
      fc.asyncProperty(spoilt(whole), async (given) => {
        const isKnown = schema.safeParse(given).success
        const refused = await refusal(kind, [given])
        const hasValues = /"value":(?:true|false|-?\d)/.test(JSON.stringify(given))
        expect(isKnown || refused !== undefined || hasValues).toBe(true)
      }),
      { numRuns: 500 },
    )
  })
})

/** -0 is stored as 0. */
function parsed(schema: z.ZodType, given: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema.parse(given)))
}
