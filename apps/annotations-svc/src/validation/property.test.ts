import * as rest from '@reticle/contracts/rest/annotations'
import { sources } from '@reticle/contracts/rest/annotations'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { checkObjects, findRefusal } from '../testing/checking.ts'
import { shape as shapeRule, tag as tagRule, track as trackRule } from '../testing/rules.ts'

/** Compares the fast checks with schemas of the contract and of these labels. */

const schemas = { tag: rest.tag, shape: rest.shape, track: rest.track }
const rules = { tag: tagRule, shape: shapeRule, track: trackRule }
const text = fc.string({ unit: 'grapheme', maxLength: 5 }).filter((one) => !one.includes('\0'))
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
type Values = fc.Arbitrary<{ spec_id: number; value: unknown }[] | undefined>

/** Values of some attributes, in any order. */
const valuesOf = (given: Record<number, fc.Arbitrary<unknown>>): Values =>
  optional(
    fc
      .record(given, { requiredKeys: [] })
      .map((chosen) =>
        Object.entries(chosen).map(([id, value]) => ({ spec_id: Number(id), value })),
      )
      .chain((list) => fc.shuffledSubarray(list, { minLength: list.length })),
  )
const immutable = { 91: text, 93: fc.constantFrom('2', '3.5', '5', '0') }
const mutable = { 90: fc.constantFrom('red', 'blue'), 92: fc.constantFrom('true', 'false') }
const noValues: Values = optional(fc.constant([]))

/** A label, and the attribute values of its objects, tracks and keyframes. */
interface LabelOf {
  label_id: fc.Arbitrary<number>
  all: Values
  immutable: Values
  mutable: Values
}
const car: LabelOf = {
  label_id: fc.constant(40),
  ...{ all: valuesOf({ ...immutable, ...mutable }), immutable: valuesOf(immutable) },
  mutable: valuesOf(mutable),
}
const bare = { all: noValues, immutable: noValues, mutable: noValues }
const person: LabelOf = { label_id: fc.constant(41), ...bare }
const joint: LabelOf = { label_id: fc.constantFrom(42, 43), ...bare }
const anyLabel = fc.constantFrom(car, person)

const frame = fc.integer({ min: 0, max: 4 })
const named = {
  id: optional(fc.option(fc.nat())),
  frame,
  group: optional(fc.option(fc.nat())),
  source: optional(fc.constantFrom(...sources)),
}
const coordinates = (count: number) =>
  fc.array(fc.double({ min: -1e7, max: 1e7, noNaN: true }), { minLength: count, maxLength: count })
const radii = fc.double({ min: 0, max: 1e7, noNaN: true })
/** Run lengths of a mask; the first run may be empty. */
const mask = fc
  .record({
    left: fc.nat(50),
    top: fc.nat(40),
    width: fc.nat(8),
    height: fc.nat(8),
    first: fc.nat(80),
  })
  .map(({ left, top, width, height, first }) => {
    const area = (width + 1) * (height + 1)
    const runs = first < area ? [first, area - first] : []
    return [...runs, left, top, left + width, top + height]
  })
const outlines = {
  rectangle: coordinates(4),
  polygon: coordinates(8),
  polyline: coordinates(6),
  points: coordinates(2),
  cuboid: coordinates(16),
  ellipse: fc.tuple(coordinates(2), radii, radii).map(([centre, ...both]) => [...centre, ...both]),
  mask,
}
const outline = fc.constantFrom(...Object.entries(outlines))
const place = {
  occluded: optional(fc.boolean()),
  outside: optional(fc.boolean()),
  z_order: optional(fc.integer()),
  rotation: optional(fc.double({ min: 0, max: 360, noNaN: true })),
}
const score = optional(fc.double({ min: 0, max: 1, noNaN: true }))
const tag = anyLabel.chain(({ label_id, all }) =>
  fc.record({ ...named, label_id, attributes: all }),
)
const single = (labels: fc.Arbitrary<LabelOf>, at: fc.Arbitrary<number>) =>
  fc.tuple(labels, outline).chain(([{ label_id, all }, [type, points]]) =>
    fc.record({
      ...{ ...named, frame: at, ...place, label_id, score, attributes: all },
      ...{ type: fc.constant(type), points },
    }),
  )
const skeleton = frame.chain((at) =>
  fc.record({
    ...{ ...named, frame: fc.constant(at), ...place, score, label_id: person.label_id },
    type: fc.constant('skeleton'),
    elements: fc.array(single(fc.constant(joint), fc.constant(at)), { minLength: 1, maxLength: 2 }),
  }),
)
const shape = fc.oneof({ weight: 3, arbitrary: single(anyLabel, frame) }, skeleton)
const keyframesOf = (type: string, points: fc.Arbitrary<number[]>, values: Values) => {
  const keyframe = { ...place, type: fc.constant(type), frame, points, attributes: values }
  return fc.uniqueArray(fc.record({ ...keyframe, keyframe: optional(fc.boolean()) }), {
    minLength: 1,
    maxLength: 3,
    selector: (one) => one.frame,
  })
}
const singleTrack = (labels: fc.Arbitrary<LabelOf>) =>
  fc.tuple(labels, outline).chain(([label, [type, points]]) =>
    fc.record({
      ...{ ...named, label_id: label.label_id, attributes: label.immutable },
      shapes: keyframesOf(type, points, label.mutable),
    }),
  )
const skeletonTrack = fc.record({
  ...{ ...named, label_id: person.label_id },
  shapes: keyframesOf('skeleton', fc.constant([]), noValues),
  elements: fc.array(singleTrack(fc.constant(joint)), { minLength: 1, maxLength: 2 }),
})
const track = fc.oneof({ weight: 3, arbitrary: singleTrack(anyLabel) }, skeletonTrack)
const cases = [
  ['tag', tag],
  ['shape', shape],
  ['track', track],
] as const

/** JSON object as it would arrive. */
const sent = (given: unknown) => JSON.parse(JSON.stringify(given))

/** Values that may be valid in other places. */
const others = [
  ...[
    undefined,
    null,
    0,
    1,
    4,
    5,
    -1,
    0.5,
    40,
    41,
    42,
    90,
    91,
    92,
    93,
    360,
    361,
    1e7,
    1e8,
    2 ** 31,
  ],
  ...[
    'red',
    'TRUE',
    'true',
    '3',
    '6',
    'rectangle',
    'mask',
    'skeleton',
    'auto',
    true,
    [],
    [1, 2],
    {},
  ],
  ...[
    [0, 1, 1, 1, 1, 1],
    [1, 1, 1, 1],
    [{ spec_id: 91, value: 7 }],
    [{ spec_id: 90, value: 'blue' }],
  ],
]

/** Replaces one member at any depth. */
const mutated = (whole: fc.Arbitrary<object>) =>
  fc
    .tuple(whole, fc.nat(), fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom(...others)))
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

  test('a valid object is accepted, and the stored object matches the contract', async () => {
    await fc.assert(
      fc.asyncProperty(whole, async (given) => {
        const object = sent(given)
        const [stored] = await checkObjects(kind, [object])
        expect(schema.parse(stored)).toEqual(stored)
        const {
          attributes: _values,
          id,
          shapes: _shapes,
          elements: _elements,
          frame: _frame,
          ...rest
        } = parsed(schema, object)
        expect(id === undefined || stored?.id === null).toBe(true)
        if (rest.type === 'mask') delete rest.points // a full mask has a short form
        expect(stored).toMatchObject({ ...rest, group: rest.group ?? 0 })
      }),
      { numRuns: 200 },
    )
  })

  test('an object is rejected exactly when it breaks a rule', async () => {
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.oneof(whole, mutated(whole)), async (given) => {
        const object = sent(given)
        const { success } = rules[kind].safeParse(object)
        const found = await findRefusal(kind, [object])
        if (found) refused++
        if (kind !== 'track' || found?.code !== 'frame_out_of_range')
          expect({ isRight: success, found: found?.body }).toEqual({
            isRight: !found,
            found: found?.body,
          })
      }),
      { numRuns: 1500 },
    )
    expect(refused).toBeGreaterThan(300)
    expect(refused).toBeLessThan(1200)
  })
})

/** -0 is stored as 0. */
function parsed(schema: z.ZodType, given: unknown): Record<string, unknown> {
  return JSON.parse(JSON.stringify(schema.parse(given)))
}
