import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unzip } from '../../support/archives.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createImages } from '../../support/pictures.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Query parameters of GET annotations. See docs/spec/annotations.md#interpolated-reads. */

const reticle = useTestServer()
let api: ApiClient
/** A task of ten frames, two jobs of five, labels `car` and `lorry` and the skeleton `person`. */
let task: AnyJson
let jobs: AnyJson[]
let car: number
let lorry: number
let person: AnyJson
beforeAll(async () => {
  api = reticle.admin
  task = await newTask()
  jobs = await jobsOf(api, task.id)
  const { results } = await api.done('GET', `/labels?task_id=${task.id}&sort=id`)
  const labelled = (name: string) => results.find((one: AnyJson) => one.name === name)
  car = labelled('car').id
  lorry = labelled('lorry').id
  person = labelled('person')
})

const circle = (n: number, name: string) =>
  `<circle r="1" cx="${n}" cy="1" data-type="element node" data-element-id="${n}" data-node-id="${n}" data-label-name="${name}"></circle>`
const skeleton = {
  ...{ name: 'person', type: 'skeleton', svg: circle(1, 'head') + circle(2, 'foot') },
  sublabels: [
    { name: 'head', type: 'points' },
    { name: 'foot', type: 'points' },
  ],
}
const newTask = async () =>
  taskWithMedia(api, {
    files: await createImages(10),
    labels: [{ name: 'car' }, { name: 'lorry' }, skeleton],
    segment_size: 5,
  })

const set = (of: string) => `/${of}/annotations/`
const readWith = (of: string, query: Record<string, string>) =>
  api.call('GET', `${set(of)}?${new URLSearchParams(query)}`)
const framesOf = ({ tags, shapes, tracks }: AnyJson) =>
  [tags, shapes, tracks].map((list) => list.map((one: AnyJson) => one.frame))
const box = (frame: number, given: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame, label_id: car, points: [1, 2, 30, 40] },
  ...given,
})
const at = (frame: number, given: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame, points: [0, 0, 10, 10] },
  ...given,
})

describe('reading a part of a set', () => {
  beforeAll(async () => {
    const frames = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    await api.done('PUT', set(`tasks/${task.id}`), {
      json: {
        tags: [{ frame: 1, label_id: car }],
        shapes: frames.map((frame) => box(frame, { label_id: frame % 2 === 0 ? car : lorry })),
        tracks: [
          { frame: 2, label_id: lorry, shapes: [at(2), at(7, { outside: true })] },
          { frame: 8, label_id: car, shapes: [at(8, { occluded: true })] },
        ],
      },
    })
  })

  test.each([
    ['frames=1', [[1], [1], []]],
    ['frames=0-2,6', [[1], [0, 1, 2, 6], [2]]],
    ['frames=7,9', [[], [7, 9], [8]]],
    ['frames=10-99', [[], [], []]],
    ['frames=', [[1], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], [2, 8]]],
    ['label_id=LORRY&frames=0-6', [[], [1, 3, 5], [2]]],
    ['label_id=CAR,LORRY&frames=8', [[], [8], [8]]],
    ['label_id=CAR', [[1], [0, 2, 4, 6, 8], [8]]],
    ['filter={"<":[{"var":"frame"},3]}&label_id=LORRY', [[], [1], [2]]],
    ['filter={"var":"occluded"}&frames=5-9', [[], [5, 6, 7, 8, 9], [2, 8]]],
    ['filter={"==":[{"var":"occluded"},true]}', [[], [], [8]]],
    ['filter={"==":[{"var":"type"},null]}', [[1], [], []]],
    ['page=7&no_such=1&frames=3', [[], [3], [2]]],
  ])('the query %s returns the matching objects', async (query, expected) => {
    const given = query.replace('LORRY', String(lorry)).replace('CAR', String(car))
    const { body } = await readWith(
      `tasks/${task.id}`,
      Object.fromEntries(new URLSearchParams(given)),
    )
    expect(framesOf(body)).toEqual(expected)
  })

  test('the frames of a query on a job are limited to the job', async () => {
    const { body } = await readWith(`jobs/${jobs[1].id}`, { frames: '4-5' })
    expect(framesOf(body).slice(0, 2)).toEqual([[], [5]])
  })

  test('the entity tag of a partial read is that of the whole set, and 304 works with it', async () => {
    const of = `jobs/${jobs[0].id}`
    const whole = await readWith(of, {})
    const some = await readWith(of, { frames: '1' })
    const etag = some.headers.get('etag') ?? ''
    expect(etag).toBe(whole.headers.get('etag'))
    const again = await api.call('GET', `${set(of)}?frames=1`, {
      headers: { 'if-none-match': etag },
    })
    expect(again.status).toBe(304)
  })

  test('`filter` on rotation finds rotated boxes and ellipses only', async () => {
    const of = `jobs/${(await jobsOf(api, (await newTaskOf()).id))[0].id}`
    const turned = { rotation: 12.5 }
    await api.done('PUT', set(of), {
      json: {
        shapes: [
          box(0),
          box(1, turned),
          box(2, { ...turned, type: 'ellipse', points: [20, 20, 5, 5] }),
          box(3, { ...turned, type: 'polygon', points: [0, 0, 9, 0, 0, 9] }),
        ].map(relabelled),
        tracks: [
          { frame: 0, label_id: other, shapes: [at(0), at(1, turned)] },
          { frame: 1, label_id: other, shapes: [at(1)] },
        ],
      },
    })
    const types = { in: [{ var: 'type' }, ['rectangle', 'ellipse']] }
    const filter = JSON.stringify({ and: [types, { '!=': [{ var: 'rotation' }, 0] }] })
    expect(framesOf((await readWith(of, { filter })).body)).toEqual([[], [1, 2], [0]])
    const steep = JSON.stringify({ '>': [{ var: 'rotation' }, 12.4] })
    expect(framesOf((await readWith(of, { filter: steep })).body)).toEqual([[], [1, 2, 3], [0]])
  })

  let other = 0
  const relabelled = (shape: AnyJson) => ({ ...shape, label_id: other })
  async function newTaskOf() {
    const made = await taskWithMedia(api)
    const { results } = await api.done('GET', `/labels?task_id=${made.id}`)
    other = results[0].id
    return made
  }

  test.each([
    ['frames', 'a-b', /^"a-b" is neither a frame nor a range of frames/],
    ['frames', '5-2', /^"5-2" is neither/],
    ['frames', '-1', /^"-1" is neither/],
    ['frames', '1.5', /^"1.5" is neither/],
    ['label_id', 'car', /^"car" is no id of a label/],
    ['interpolate', 'perhaps', /^Must be a valid boolean/],
  ])('%s=%s is answered 400 with the reason', async (name, value, expected) => {
    for (const of of [`tasks/${task.id}`, `jobs/${jobs[0].id}`]) {
      const { status, body } = await readWith(of, { [name]: value })
      expect([status, Object.keys(body)]).toEqual([400, [name]])
      expect(body[name][0]).toMatch(expected)
    }
  })

  test.each([
    ['{', /^filter: can't parse filter expression/],
    ['{}', /^filter shouldn't be empty/],
    ['{"==":[{"var":"points"},1]}', /^filter: term 'points' is not supported/],
    ['{"==":[{"var":"rotation"},"steep"]}', /^filter: value 'steep' is not valid for 'rotation'/],
  ])('filter=%s is answered 400 with the reason', async (filter, expected) => {
    const { status, body } = await readWith(`jobs/${jobs[0].id}`, { filter })
    expect(status).toBe(400)
    expect(body[0]).toMatch(expected)
  })

  test('a parameter that is sent twice is answered 400', async () => {
    const { status, body } = await api.call('GET', `${set(`jobs/${jobs[0].id}`)}?frames=1&frames=2`)
    expect([status, Object.keys(body)]).toEqual([400, ['frames']])
  })

  test('the removed export parameters are answered 410, even beside valid parameters', async () => {
    const { status } = await readWith(`jobs/${jobs[0].id}`, { frames: '1', format: 'COCO 1.0' })
    expect(status).toBe(410)
  })
})

describe('interpolated reads of tracks', () => {
  let made: AnyJson
  let of: string
  beforeAll(async () => {
    made = await newTask()
    of = `tasks/${made.id}`
    const { results } = await api.done('GET', `/labels?task_id=${made.id}&sort=id`)
    car = results.find((one: AnyJson) => one.name === 'car').id
    person = results.find((one: AnyJson) => one.name === 'person')
  })
  afterAll(() => api.done('PATCH', `/${of}/data/meta`, { json: { deleted_frames: [] } }))

  /** Returns the positions of one track on some frames. */
  async function positions(track: AnyJson, frames = '0-4'): Promise<AnyJson[]> {
    await api.done('PUT', set(of), { json: { tracks: [{ frame: 0, label_id: car, ...track }] } })
    const { body } = await readWith(of, { frames, interpolate: 'true' })
    return body.tracks[0].shapes
  }
  const half = async (left: AnyJson, right: AnyJson) => {
    const [shape] = await positions({ shapes: [at(0, left), at(2, right)] }, '1')
    return shape
  }

  test.each([
    ['rectangle', [0, 0, 10, 10], [8, 0, 18, 10], [4, 0, 14, 10]],
    ['polygon', [0, 0, 10, 0, 0, 10], [10, 0, 20, 0, 10, 10], [5, 0, 15, 0, 5, 10]],
    ['polyline', [0, 0, 10, 0], [0, 10, 5, 10, 10, 10], [0, 5, 2.5, 5, 10, 5]],
    ['mask', [0, 4, 0, 0, 1, 1], [0, 4, 8, 8, 9, 9], [0, 4, 0, 0, 1, 1]],
  ])(
    'the frame halfway between two keyframes of a %s is interpolated',
    async (type, left, right, expected) => {
      const shape = await half({ type, points: left }, { type, points: right })
      expect(shape).toMatchObject({ id: null, keyframe: false, frame: 1, points: expected })
    },
  )

  test.each([
    [350, 10, 0],
    [10, 350, 0],
    [0, 180, 90],
    [270, 90, 0],
  ])(
    'halfway from %d to %d degrees is %d: the shorter arc wins, and half a turn goes up',
    async (left, right, expected) => {
      expect((await half({ rotation: left }, { rotation: right })).rotation).toBe(expected)
    },
  )

  test('stored and computed positions can be told apart, and hidden frames have no position', async () => {
    const shapes = [at(1), at(3, { points: [4, 0, 14, 10] }), at(4, { outside: true })]
    const found = await positions({ frame: 1, shapes })
    expect(
      found.map(({ id, frame, keyframe, points }) => [id > 0, frame, keyframe, points[0]]),
    ).toEqual([
      [true, 1, true, 0],
      [false, 2, false, 2],
      [true, 3, true, 4],
    ])
  })

  test('without `frames` a track keeps its last keyframe to the end of the job or task', async () => {
    await api.done('PUT', set(of), {
      json: { tracks: [{ frame: 6, label_id: car, shapes: [at(6)] }] },
    })
    const seen = async (target: string) => {
      const { body } = await readWith(target, { interpolate: 'yes' })
      return body.tracks.map(({ shapes }: AnyJson) => shapes.map((one: AnyJson) => one.frame))
    }
    expect(await seen(of)).toEqual([[6, 7, 8, 9]])
    const [first, second] = await jobsOf(api, made.id)
    expect(await seen(`jobs/${first.id}`)).toEqual([])
    expect(await seen(`jobs/${second.id}`)).toEqual([[6, 7, 8, 9]])
  })

  test('elements of a skeleton are interpolated independently', async () => {
    const [head, foot] = person.sublabels
    const joint = (frame: number, points: number[], given: AnyJson = {}) =>
      at(frame, { type: 'points', points, ...given })
    const bones = at(0, { type: 'skeleton', points: [] })
    const elements = [
      { frame: 0, label_id: head.id, shapes: [joint(0, [0, 0]), joint(4, [8, 4])] },
      {
        frame: 0,
        label_id: foot.id,
        shapes: [joint(0, [5, 5]), joint(2, [5, 5], { outside: true })],
      },
    ]
    const track = { frame: 0, label_id: person.id, shapes: [bones], elements }
    await api.done('PUT', set(of), { json: { tracks: [track] } })
    const { body } = await readWith(of, { frames: '1-3', interpolate: 'true' })
    const [found] = body.tracks
    expect(found.shapes.map((one: AnyJson) => one.frame)).toEqual([1, 2, 3])
    expect(
      found.elements.map(({ shapes }: AnyJson) => shapes.map((one: AnyJson) => one.points)),
    ).toEqual([
      [
        [2, 1],
        [4, 2],
        [6, 3],
      ],
      [[5, 5]],
    ])
  })

  test('interpolated numbers equal those of an export, and deleted frames are left out', async () => {
    const curve = (frame: number, points: number[]) => at(frame, { type: 'polygon', points })
    const shapes = [
      curve(0, [0, 0, 10, 0, 7, 13]),
      curve(2, [50, 0, 60, 0, 50, 20]),
      curve(4, [3, 1, 14, 2, 11, 9, 5, 12]),
    ]
    await api.done('PATCH', `/${of}/data/meta`, { json: { deleted_frames: [2] } })
    const found = await positions({ shapes })
    expect(found.map((one) => one.frame)).toEqual([0, 1, 3, 4])
    const query = 'format=COCO%201.0&save_images=false'
    const request = await api.finished(await api.done('POST', `/${of}/dataset/export?${query}`))
    const { bytes } = await api.bytes(request.result_url)
    const files = await unzip(bytes)
    const { annotations } = JSON.parse(String(files.get('annotations/instances_default.json')))
    const exported = annotations.map((one: AnyJson) => one.segmentation[0].map(rounded))
    expect(exported.slice(0, 4)).toEqual(found.map((one) => one.points.map(rounded)))
  })
  const rounded = (value: number) => Math.round(value * 100) / 100

  test('deleted frames have no position but their keyframes count, and restored frames have positions again', async () => {
    const shapes = [at(0), at(2, { points: [90, 0, 100, 10] }), at(4, { points: [4, 0, 14, 10] })]
    const lefts = async () =>
      (await positions({ shapes })).map(({ frame, points }) => [frame, points[0]])
    await api.done('PATCH', `/${of}/data/meta`, { json: { deleted_frames: [2] } })
    expect(await lefts()).toEqual([
      [0, 0],
      [1, 45],
      [3, 47],
      [4, 4],
    ])
    await api.done('PATCH', `/${of}/data/meta`, { json: { deleted_frames: [] } })
    expect((await lefts())[2]).toEqual([2, 90])
  })
})
