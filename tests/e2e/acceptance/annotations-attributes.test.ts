import { describe, expect, test } from 'vitest'
import { sharedTask } from '../../support/annotations.ts'
import type { AnyJson } from '../../support/client.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Values of attributes in annotations: defaults, validation and replacement. */

const world = sharedTask(useTestServer())
const job = world.first
const { stored, refused } = job

const points = [1, 2, 30, 40]
/** Attribute values in the form of a request body, looked up by the names of their attributes. */
const values = (given: Record<string, unknown>) =>
  Object.entries(given).map(([name, value]) => ({ spec_id: world.idOf(name), value }))
const car = (given: Record<string, unknown>, more: AnyJson = {}) => ({
  ...{ frame: 0, label_id: world.idOf('car'), attributes: values(given) },
  ...more,
})
const box = (given: Record<string, unknown>) => car(given, { type: 'rectangle', points })
const keyframe = (frame: number, given: Record<string, unknown> = {}) => ({
  ...{ type: 'rectangle', frame, points, attributes: values(given) },
})
const track = (given: Record<string, unknown>, shapes: AnyJson[]) => car(given, { shapes })

const defaults = { color: 'red', trim: 'red', make: '', parked: 'false', doors: '2' }
const mutable = { color: 'red', parked: 'false', doors: '2' }
const immutable = { trim: 'red', make: '' }

describe('missing attribute values', () => {
  test('tags, shapes and skeleton elements take the defaults of the label, in its order', async () => {
    expect((await stored('tags', car({}))).attributes).toEqual(values(defaults))
    expect((await stored('shapes', box({}))).attributes).toEqual(values(defaults))
    const some = { doors: '3', color: 'blue' }
    const all = { ...defaults, ...some }
    expect((await stored('shapes', box(some))).attributes).toEqual(values(all))
    const joint = { type: 'points', frame: 0, label_id: world.idOf('head'), points: [1, 2] }
    const person = { type: 'skeleton', frame: 0, label_id: world.idOf('person'), elements: [joint] }
    const { elements, attributes } = await stored('shapes', person)
    expect([attributes, elements[0].attributes]).toEqual([[], values({ hat: 'none' })])
  })

  test('a keyframe takes the values of the keyframe before it, and the first one takes the defaults', async () => {
    const { attributes, shapes } = await stored(
      'tracks',
      track({ make: 'Fiat' }, [
        keyframe(0),
        keyframe(1, { color: 'blue' }),
        keyframe(2, { doors: '4' }),
        keyframe(4, { color: 'red' }),
      ]),
    )
    expect(attributes).toEqual(values({ ...immutable, make: 'Fiat' }))
    expect(shapes.map((one: AnyJson) => one.attributes)).toEqual([
      values(mutable),
      values({ ...mutable, color: 'blue' }),
      values({ ...mutable, color: 'blue', doors: '4' }),
      values({ ...mutable, doors: '4' }),
    ])
  })

  test('keyframes inherit values by frame order, not by their order in the request', async () => {
    const sent = [keyframe(3), keyframe(0, { color: 'blue' })]
    const { shapes } = await stored('tracks', track({}, sent))
    expect(shapes.map((one: AnyJson) => one.attributes[0].value)).toEqual(['blue', 'blue'])
  })
})

describe('attributes in the wrong place', () => {
  const invalid = (id: number) => [400, 'attribute_invalid', [`spec_id \`${id}\` is invalid`]]

  test.each(['trim', 'make'])(
    'the immutable attribute %s of a track is refused on a keyframe',
    async (name) => {
      const sent = track({}, [keyframe(0, { [name]: 'red' })])
      expect(await refused('tracks', sent)).toEqual(invalid(world.idOf(name)))
    },
  )

  test.each(['color', 'parked', 'doors'])(
    'the mutable attribute %s is refused on the track itself',
    async (name) => {
      const sent = track({ [name]: 'red' }, [keyframe(0)])
      expect(await refused('tracks', sent)).toEqual(invalid(world.idOf(name)))
    },
  )

  test('an attribute of another label and an unknown attribute are refused', async () => {
    for (const spec_id of [world.idOf('hat'), 999_999]) {
      const attributes = [{ spec_id, value: 'x' }]
      expect(await refused('shapes', { ...box({}), attributes })).toEqual(invalid(spec_id))
      expect(await refused('tags', { ...car({}), attributes })).toEqual(invalid(spec_id))
    }
  })

  test('an attribute that appears twice is refused', async () => {
    const attributes = [...values({ color: 'red' }), ...values({ color: 'red' })]
    const [status, code] = await refused('shapes', { ...box({}), attributes })
    expect([status, code]).toEqual([400, 'duplicate_attribute'])
  })
})

describe('attribute values', () => {
  test.each([
    ['make', 7, '7'],
    ['make', 0.1, '0.1'],
    ['make', 1e21, '1e+21'],
    ['make', true, 'true'],
    ['make', false, 'false'],
    ['make', '', ''],
    ['make', ' x\n"\t', ' x\n"\t'],
    ['make', 'x'.repeat(4096), 'x'.repeat(4096)],
    ['make', '👩'.repeat(4096), '👩'.repeat(4096)],
    ['color', 'blue', 'blue'],
    ['trim', 'red', 'red'],
    ['parked', 'TRUE', 'true'],
    ['parked', 'False', 'false'],
    ['parked', true, 'true'],
    ['doors', '5', '5'],
    ['doors', 2, '2'],
    ['doors', '3.5', '3.5'],
    ['doors', '4e0', '4e0'],
  ])('the attribute %s accepts %j', async (name, value, kept) => {
    const { attributes } = await stored('shapes', box({ [name]: value }))
    expect(attributes).toEqual(values({ ...defaults, [name]: kept }))
  })

  test.each([
    ['color', 'green'],
    ['color', 'Blue'],
    ['color', ''],
    ['trim', 'green'],
    ['parked', 'yes'],
    ['parked', 1],
    ['doors', '6'],
    ['doors', 1.9],
    ['doors', 'two'],
    ['doors', ''],
    ['doors', 'NaN'],
    ['doors', 'Infinity'],
    ['doors', '0x3'],
  ])('the attribute %s refuses %j', async (name, value) => {
    const [status, code, body] = await refused('shapes', box({ [name]: value }))
    expect([status, code]).toEqual([400, 'attribute_value_invalid'])
    expect(Object.keys(body.shapes[0].attributes[0])).toEqual(['value'])
  })

  test.each([[null], [{}], [['x']], ['x'.repeat(4097)], ['a\0b'], ['\ud800']])(
    'every attribute refuses the value %j',
    async (value) => {
      for (const [kind, object] of [
        ['shapes', box({ make: value })],
        ['tags', car({ make: value })],
        ['tracks', track({ make: value }, [keyframe(0)])],
      ] as const) {
        const [status, code, body] = await refused(kind, object)
        expect([status, code]).toEqual([400, 'invalid'])
        expect(Object.keys(body[kind][0].attributes[0])).toEqual(['value'])
      }
    },
  )

  test('a value needs the id of its attribute as a whole number, and a value', async () => {
    const [attribute] = values({ make: 'x' })
    for (const [wrong, code] of [
      [{ value: 'x' }, 'required'],
      [{ spec_id: '1', value: 'x' }, 'invalid'],
      [{ spec_id: attribute?.spec_id }, 'required'],
      ['x', 'invalid'],
    ] as const) {
      const answer = await refused('shapes', { ...box({}), attributes: [wrong] })
      expect(answer.slice(0, 2), JSON.stringify(wrong)).toEqual([400, code])
    }
  })
})

test('an object that gets another label loses its old attribute values', async () => {
  const { id, attributes } = await stored('shapes', box({ make: 'Fiat' }))
  expect(attributes).toHaveLength(5)
  const other = { shapes: [{ id, label_id: world.idOf('plain') }] }
  expect((await job.patch('update', other)).body.shapes[0].attributes).toEqual([])
  const back = { shapes: [{ id, label_id: world.idOf('car') }] }
  const { body } = await job.patch('update', back)
  expect(body.shapes[0].attributes).toEqual(values(defaults))
})

test('an update with a list of attributes replaces all values', async () => {
  const { id } = await stored('shapes', box({ make: 'Fiat', color: 'blue' }))
  const { body } = await job.patch('update', { shapes: [{ id, attributes: values({ doors: 4 }) }] })
  expect(body.shapes[0].attributes).toEqual(values({ ...defaults, doors: '4' }))
  const untouched = await job.patch('update', { shapes: [{ id, z_order: 1 }] })
  expect(untouched.body.shapes[0].attributes).toEqual(values({ ...defaults, doors: '4' }))
})
