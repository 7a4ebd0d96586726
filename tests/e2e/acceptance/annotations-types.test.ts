import { describe, expect, test } from 'vitest'
import { emptySet, refusalOf, sharedTask } from '../../support/annotations.ts'
import type { AnyJson } from '../../support/client.ts'
import { openRandom } from '../../support/random.ts'
import { useTestServer } from '../../support/test-server.ts'

/** The fields that an object may have, and how they are read back. See docs/spec/annotations.md#shapes. */

const world = sharedTask(useTestServer())
const job = world.first
const { stored, refused } = job

const plain = () => world.idOf('plain')
const shape = (type: string, points: unknown, more: AnyJson = {}) => ({
  ...{ type, frame: 0, label_id: plain(), points },
  ...more,
})
const box = (more: AnyJson = {}) => shape('rectangle', [1, 2, 30, 40], more)
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
/** Builds a skeleton with one element. */
const person = (joint: AnyJson = {}, more: AnyJson = {}) => ({
  ...{ type: 'skeleton', frame: 0, label_id: world.idOf('person') },
  elements: [{ type: 'points', frame: 0, label_id: world.idOf('head'), points: [1, 2], ...joint }],
  ...more,
})

describe('the number of coordinates of a shape', () => {
  const cases: [type: string, accepted: number[], refused: number[]][] = [
    ['rectangle', [4], [0, 3, 5, 8]],
    ['polygon', [6, 8, 300], [0, 4, 5, 7]],
    ['polyline', [4, 6], [0, 2, 3, 5]],
    ['points', [2, 4], [0, 1, 3]],
    ['ellipse', [4], [0, 3, 5]],
    ['cuboid', [16], [0, 14, 15, 17, 18]],
    ['mask', [], [0, 1, 3]],
  ]
  test.each(cases)(
    'a %s with %j coordinates is stored, and with %j it is refused',
    async (type, accepted, wrong) => {
      for (const count of accepted) {
        const points = numbers(count)
        expect((await stored('shapes', shape(type, points))).points).toEqual(points)
      }
      for (const count of wrong) {
        const text = `invalid length for shape type '${type}'`
        expect(await refused('shapes', shape(type, numbers(count)))).toEqual([
          ...[400, 'points_invalid', { shapes: [{ points: [text] }] }],
        ])
      }
    },
  )

  test('a skeleton has no coordinates, and its list may be missing', async () => {
    expect((await stored('shapes', person())).points).toEqual([])
    expect((await stored('shapes', person({}, { points: [] }))).points).toEqual([])
    const [status, code] = await refused('shapes', person({}, { points: [1, 2] }))
    expect([status, code]).toEqual([400, 'points_invalid'])
  })

  test('skeleton elements and keyframes follow the rules of shapes', async () => {
    const text = "invalid length for shape type 'points'"
    expect(await refused('shapes', person({ points: [1, 2, 3] }))).toEqual([
      ...[400, 'points_invalid', { shapes: [{ elements: [{ points: [text] }] }] }],
    ])
    const track = { frame: 0, label_id: plain(), shapes: [box(), box({ frame: 1, points: [1] })] }
    expect(await refused('tracks', track)).toEqual([
      ...[400, 'points_invalid'],
      { tracks: [{ shapes: [{}, { points: ["invalid length for shape type 'rectangle'"] }] }] },
    ])
  })

  test.each([['1'], [null], [true], [[1]], [{}]])(
    '%j is refused as a coordinate',
    async (value) => {
      const text = 'Value must be a float or an integer'
      expect(await refused('shapes', box({ points: [1, 2, 3, value] }))).toEqual([
        ...[400, 'invalid', { shapes: [{ points: { 3: [text] } }] }],
      ])
    },
  )

  test.each(['NaN', 'Infinity', '-Infinity', '1.', '.5', '+1', '0x10', '01'])(
    '%s is refused as invalid JSON',
    async (literal) => {
      const raw = JSON.stringify({ shapes: [box({ points: [1, 2, 3, 8] })] }).replace('8', literal)
      const answer = await job.put(undefined, { raw })
      expect(refusalOf(answer).slice(0, 2)).toEqual([400, 'parse_error'])
      expect(answer.body.detail).toMatch(/^JSON parse error - /)
    },
  )

  test('a coordinate beyond a double or ten million is refused, and ten million is stored', async () => {
    const raw = (literal: string) =>
      JSON.stringify({ shapes: [box({ points: [1, 2, 3, 8] })] }).replace('8]', `${literal}]`)
    for (const literal of ['1e400', '-1e400', '10000000.1', '-1e12']) {
      const answer = await job.put(undefined, { raw: raw(literal) })
      expect(refusalOf(answer).slice(0, 2), literal).toEqual([400, 'invalid'])
      expect(Object.keys(answer.body.shapes[0].points), literal).toEqual(['3'])
    }
    const points = [-1e7, 1e7, -9_999_999.999, 0]
    expect((await stored('shapes', box({ points }))).points).toEqual(points)
  })

  test('an object can have at most 200,000 coordinates', async () => {
    const most = Array.from({ length: 200_000 }, (_, index) => index % 100)
    expect((await stored('shapes', shape('polygon', most))).points).toEqual(most)
    const [status, code] = await refused('shapes', shape('polygon', [...most, 1, 2]))
    expect([status, code]).toEqual([400, 'points_invalid'])
  })

  test('radii of ellipses cannot be negative, and corners of boxes can be in any order', async () => {
    expect((await stored('shapes', shape('ellipse', [5, 5, 0, 3]))).points).toEqual([5, 5, 0, 3])
    for (const points of [
      [5, 5, -1, 3],
      [5, 5, 1, -0.1],
    ]) {
      const [status, code] = await refused('shapes', shape('ellipse', points))
      expect([status, code]).toEqual([400, 'points_invalid'])
    }
    const points = [30, 40, -5, 2000]
    expect((await stored('shapes', box({ points }))).points).toEqual(points)
  })

  test('every double is read back as the same number', async () => {
    const random = openRandom(20_260_301)
    const known = [
      5e-324,
      -5e-324,
      2.2250738585072014e-308,
      0.1,
      9999999.999999998,
      -0,
      1e21 / 1e14,
    ]
    const value = () => {
      const kind = random.below(4)
      if (kind === 0) return random.pick(known)
      if (kind === 1) return random.double(1e7)
      return (random.next() - 0.5) * 10 ** (random.below(14) - 6)
    }
    const boxOf = () => {
      const score = random.isTrue(0.5) ? random.next() : Math.abs(random.double(1))
      return box({ points: [value(), value(), value(), value()], score, rotation: score * 360 })
    }
    for (let runs = 0; runs < 5; runs++) {
      const shapes = Array.from({ length: 1000 }, boxOf)
      expect((await job.put(undefined, { raw: exactly({ shapes }) })).status).toBe(200)
      const seen = (await job.read()).shapes.map(numbersOf)
      const expected = shapes.map((one) => numbersOf(one).map((number) => number + 0)) // -0 is stored as 0
      expect(seen).toStrictEqual(expected)
    }
  })
})

const numbersOf = ({ points, score, rotation }: AnyJson): number[] => [...points, score, rotation]

/** Serializes as JSON but keeps -0, which `JSON.stringify` writes as 0. */
const exactly = (value: AnyJson): string =>
  JSON.stringify(value, (_, one) => (Object.is(one, -0) ? 'minus zero' : one)).replaceAll(
    '"minus zero"',
    '-0',
  )

describe('masks', () => {
  test.each([
    [[1, 2, 1, 4, 1, 2, 1, 10, 20, 13, 22]],
    [[0, 4, 0, 0, 1, 1]],
    [[1, 0, 0, 0, 0]],
    [[64 * 48, 0, 0, 63, 47]],
  ])('the mask %j is read back as it was sent', async (points) => {
    expect((await stored('shapes', shape('mask', points))).points).toEqual(points)
  })

  test('four numbers are a full box, and 4.0 counts as a whole number', async () => {
    const { points } = await stored('shapes', shape('mask', [10, 20, 13, 22]))
    expect(points).toEqual([0, 12, 10, 20, 13, 22])
    const raw = JSON.stringify({ shapes: [shape('mask', [0, 4, 0, 0, 1, 1])] }).replace('4', '4.0')
    const { body } = await job.put(undefined, { raw })
    expect(body.shapes[0].points).toEqual([0, 4, 0, 0, 1, 1])
  })

  test.each([
    ['too few runs', [1, 2, 1, 4, 1, 2, 10, 20, 13, 22]],
    ['too many runs', [0, 5, 0, 0, 1, 1]],
    ['an inner run of length 0', [1, 0, 3, 0, 0, 1, 1]],
    ['a negative run', [-1, 5, 0, 0, 1, 1]],
    ['half a pixel', [0.5, 3.5, 0, 0, 1, 1]],
    ['a box that ends before it starts', [0, 4, 1, 0, 0, 1]],
    ['a box upside down', [0, 4, 0, 1, 1, 0]],
    ['a box left of the frame', [0, 6, -1, 0, 1, 1]],
    ['a box right of the frame', [0, 2, 63, 0, 64, 0]],
    ['a box below the frame', [0, 2, 0, 47, 0, 48]],
  ])('a mask with %s is refused', async (_what, points) => {
    const [status, code, body] = await refused('shapes', shape('mask', points))
    expect([status, code]).toEqual([400, 'mask_invalid'])
    expect(Object.keys(body.shapes[0])).toEqual(['points'])
  })
})

describe('fields of objects', () => {
  const kept = { group: 0, source: 'manual', attributes: [] }
  const drawn = { occluded: false, outside: false, z_order: 0, rotation: 0 }

  test('missing fields get their defaults', async () => {
    const number = expect.any(Number)
    const own = { id: number, frame: 0, label_id: plain(), ...kept }
    expect(await stored('tags', { frame: 0, label_id: plain() })).toEqual(own)
    const points = [1, 2, 30, 40]
    const alike = { type: 'rectangle', points, ...drawn }
    expect(await stored('shapes', box())).toEqual({ ...own, ...alike, score: 1, elements: [] })
    const track = { frame: 0, label_id: plain(), shapes: [{ type: 'rectangle', frame: 0, points }] }
    expect(await stored('tracks', track)).toEqual({
      ...own,
      shapes: [{ id: number, frame: 0, keyframe: true, attributes: [], ...alike }],
      elements: [],
    })
    const { elements } = await stored('shapes', person({ label_id: world.idOf('foot') }))
    const joint = {
      id: number,
      frame: 0,
      label_id: world.idOf('foot'),
      ...kept,
      ...drawn,
      score: 1,
    }
    expect(elements).toEqual([{ ...joint, type: 'points', points: [1, 2] }])
  })

  test('fields are read back as sent, up to the limits of their ranges', async () => {
    const far = { occluded: true, outside: true, z_order: -2_147_483_648, rotation: 360, score: 0 }
    for (const source of ['manual', 'auto', 'semi-auto', 'file', 'consensus']) {
      const most = { group: 2_147_483_647, source, ...far }
      expect(await stored('shapes', box(most))).toMatchObject(most)
    }
    const above = { z_order: 2_147_483_647, rotation: 359.999, score: 0.5, outside: true }
    expect(await stored('shapes', box(above))).toMatchObject(above)
    expect(await stored('shapes', box({ group: null }))).toMatchObject({ group: 0 })
    expect(
      await stored('shapes', shape('mask', [0, 1, 1, 1, 1, 1], { rotation: 12 })),
    ).toMatchObject({
      rotation: 12,
    })
    const joint = { occluded: true, outside: true, score: 0.25, group: 3, source: 'auto' }
    expect((await stored('shapes', person(joint))).elements[0]).toMatchObject(joint)
  })

  test.each([
    [{ frame: '0' }, 'invalid'],
    [{ frame: 1.5 }, 'invalid'],
    [{ frame: -1 }, 'invalid'],
    [{ frame: null }, 'invalid'],
    [{ frame: undefined }, 'required'],
    [{ frame: 5 }, 'frame_out_of_range'],
    [{ frame: 10 }, 'frame_out_of_range'],
    [{ label_id: '40' }, 'invalid'],
    [{ label_id: null }, 'invalid'],
    [{ label_id: undefined }, 'required'],
    [{ group: -1 }, 'invalid'],
    [{ group: 2 ** 31 }, 'invalid'],
    [{ group: '1' }, 'invalid'],
    [{ source: 'robot' }, 'source_invalid'],
    [{ source: null }, 'source_invalid'],
    [{ attributes: {} }, 'invalid'],
    [{ attributes: null }, 'invalid'],
    [{ id: 'x' }, 'invalid'],
    [{ type: 'circle' }, 'invalid'],
    [{ type: 'Rectangle' }, 'invalid'],
    [{ type: null }, 'invalid'],
    [{ type: undefined }, 'required'],
    [{ points: null }, 'invalid'],
    [{ points: { 0: 1 } }, 'invalid'],
    [{ occluded: 1 }, 'invalid'],
    [{ occluded: null }, 'invalid'],
    [{ outside: 'false' }, 'invalid'],
    [{ z_order: 0.5 }, 'invalid'],
    [{ z_order: 2 ** 31 }, 'invalid'],
    [{ rotation: 360.5 }, 'invalid'],
    [{ rotation: -1 }, 'invalid'],
    [{ rotation: '90' }, 'invalid'],
    [{ score: 1.1 }, 'invalid'],
    [{ score: -0.1 }, 'invalid'],
    [{ score: null }, 'invalid'],
    [{ elements: {} }, 'invalid'],
    [{ elements: [{}] }, 'elements_invalid'],
  ])('the field %j is refused by name, as %s', async (wrong, code) => {
    const [name = ''] = Object.keys(wrong)
    const [status, errorCode, body] = await refused('shapes', box(wrong))
    expect([status, errorCode]).toEqual([400, code])
    expect(body).toEqual({ shapes: [{ [name]: [expect.any(String)] }] })
  })

  test('unknown fields are ignored', async () => {
    const known = await stored('shapes', box())
    const { id: _, ...rest } = await stored('shapes', box({ clientID: 7, keyframe: false, x: {} }))
    expect(known).toMatchObject(rest)
  })

  test('a set accepts any version and no intervals, and any of its arrays may be missing', async () => {
    for (const json of [{}, { version: 7 }, { intervals: [] }, { tags: [], other: [{}] }]) {
      const { status, body } = await job.put(json)
      expect([status, body], JSON.stringify(json)).toEqual([200, emptySet])
    }
    for (const [json, name] of [
      [{ version: 'x' }, 'version'],
      [{ version: 1.5 }, 'version'],
      [{ intervals: [{}] }, 'intervals'],
      [{ shapes: {} }, 'shapes'],
      [{ tags: null }, 'tags'],
      [{ tracks: 'all' }, 'tracks'],
    ] as const) {
      const { status, body } = await job.put(json)
      expect([status, Object.keys(body)]).toEqual([400, [name]])
    }
    for (const raw of ['[]', '"x"', 'null', '7'])
      expect(refusalOf(await job.put(undefined, { raw })).slice(0, 2)).toEqual([400, 'invalid'])
  })
})

describe('order and ids', () => {
  test('a thousand objects are returned in the order sent, and read back by frame', async () => {
    const frames = numbers(1000).map((index) => (index * 7) % 5)
    const keyframe = (frame: number) => ({ type: 'points', frame, points: [frame, 1] })
    const set = {
      tags: frames.slice(0, 300).map((frame, group) => ({ frame, label_id: plain(), group })),
      shapes: frames.slice(0, 400).map((frame, group) => box({ frame, group })),
      tracks: frames.slice(0, 300).map((frame, group) => ({
        ...{ frame, label_id: plain(), group },
        shapes: [keyframe(4), keyframe(frame)].slice(frame === 4 ? 1 : 0),
      })),
    }
    const groups = (list: AnyJson[]) => list.map((one) => one.group)
    const frameThenId = (a: AnyJson, b: AnyJson) => a.frame - b.frame || a.id - b.id
    await job.clear()
    for (const answer of [await job.put(set), await job.patch('create', set)]) {
      expect(answer.status).toBe(200)
      for (const kind of ['tags', 'shapes', 'tracks'] as const)
        expect(groups(answer.body[kind])).toEqual(groups(set[kind]))
    }
    const read = await job.read()
    expect([read.tags.length, read.shapes.length, read.tracks.length]).toEqual([600, 800, 600])
    expect(read.tags).toEqual([...read.tags].sort(frameThenId))
    expect(read.shapes).toEqual([...read.shapes].sort(frameThenId))
    expect(read.tracks).toEqual([...read.tracks].sort((a: AnyJson, b: AnyJson) => a.id - b.id))
    for (const track of read.tracks)
      expect(track.shapes).toEqual(
        [...track.shapes].sort((a: AnyJson, b: AnyJson) => a.frame - b.frame),
      )
  })

  test('keyframes and skeleton elements have their own ids, which stay the same', async () => {
    const joint = (frame: number) => ({ type: 'points', frame, points: [1, 2] })
    const elements = ['head', 'foot'].map((name) => ({
      ...{ frame: 0, label_id: world.idOf(name) },
      shapes: [joint(0), joint(3)],
    }))
    const { idOf } = world
    const track = {
      ...{ frame: 0, label_id: idOf('person'), elements },
      shapes: [0, 3].map((frame) => ({ type: 'skeleton', frame })),
    }
    const answer = await job.write({ shapes: [person()], tracks: [track] })
    const [{ id, elements: parts }] = answer.shapes
    const [kept] = answer.tracks
    const inside = kept.elements.flatMap((one: AnyJson) => [
      one.id,
      ...one.shapes.map((at: AnyJson) => at.id),
    ])
    const ids = [id, parts[0].id, kept.id, ...kept.shapes.map((one: AnyJson) => one.id), ...inside]
    expect(ids.length).toBe(11)
    expect(ids.every((one) => Number.isInteger(one) && one > 0)).toBe(true)
    expect(new Set(ids).size).toBe(11)
    expect(await job.read()).toEqual(answer)
  })
})
