import { annotationFields, getQuery } from '@reticle/contracts/rest/annotation-query'
import type { AnnotationSet } from '@reticle/contracts/rest/annotations'
import { testDb } from '@reticle/kit/testing/db'
import { createFilterOracle } from '@reticle/kit/testing/json-logic'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { anExpression, values } from '../testing/queries.ts'
import { jobRange, openJob, openService } from '../testing/workspace.ts'

/** Query parameters of GET on a task whose jobs have frames 0 to 4, 5 to 9 and 10 to 14. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp } = openService(db)

const query = (given: Record<string, string>) => {
  const { frames, label_id, filter, interpolate } = getQuery.parse(given)
  return { frames, label_id, filter, interpolate }
}
const filter = (given: unknown) => query({ filter: JSON.stringify(given) })

const box = (frame: number, given: object = {}) => ({
  ...{ type: 'rectangle', frame, label_id: 40, points: [1, 2, 3, 4] },
  ...given,
})
const at = (frame: number, given: object = {}) => ({
  ...{ type: 'rectangle', frame, points: [frame, 0, frame + 10, 10] },
  ...given,
})
const joint = (label_id: number, frame: number) => ({
  type: 'points',
  frame,
  label_id,
  points: [1, 2],
})
const person = (frame: number) => ({
  ...{ type: 'skeleton', frame, label_id: 41 },
  elements: [joint(42, frame), joint(43, frame)],
})
const framesOf = (set: AnnotationSet) => ({
  tags: set.tags.map((one) => one.frame),
  shapes: set.shapes.map((one) => one.frame),
  tracks: set.tracks.map((one) => one.frame),
})

describe('frames', () => {
  /** Creates tags and shapes on every frame of the first job, and tracks on frames 0, 1 to 2, and from 3 on. */
  async function setUpFrames() {
    const { job, ...rest } = setUp()
    const all = [0, 1, 2, 3, 4]
    const gone = { outside: true }
    await job.put({
      tags: all.map((frame) => ({ frame, label_id: 40 })),
      shapes: all.map((frame) => box(frame)),
      tracks: [
        { frame: 0, label_id: 40, shapes: [at(0), at(1, gone)] },
        { frame: 1, label_id: 40, shapes: [at(1), at(3, gone)] },
        { frame: 3, label_id: 40, shapes: [at(3)] },
      ],
    })
    return { job, ...rest }
  }

  test.each([
    ['0', [0], [0]],
    ['2', [2], [1]],
    ['4', [4], [3]],
    ['0,4', [0, 4], [0, 3]],
    ['1-3', [1, 2, 3], [1, 3]],
    ['5-900', [], []],
    ['0-900', [0, 1, 2, 3, 4], [0, 1, 3]],
  ])(
    'frames=%s selects tags and shapes on the frames and tracks that are visible there',
    async (frames, own, tracks) => {
      const { job } = await setUpFrames()
      const { set } = await job.get(query({ frames }))
      expect(framesOf(set)).toEqual({ tags: own, shapes: own, tracks })
    },
  )

  test('tracks are returned whole, and the entity tag is that of the full set', async () => {
    const { job } = await setUpFrames()
    const all = await job.get()
    const some = await job.get(query({ frames: '2' }))
    expect(some.set.tracks).toEqual(all.set.tracks.slice(1, 2))
    expect(some.etag).toBe(all.etag)
    expect(some.length).toBeGreaterThan(0)
  })

  test('a frame with many objects is streamed', async () => {
    const { job } = setUp()
    await job.put({ shapes: Array.from({ length: 2500 }, (_, n) => box(n % 5 === 0 ? 1 : 2)) })
    const few = await job.get(query({ frames: '1' }))
    const many = await job.get(query({ frames: '2' }))
    expect([few.set.shapes.length, few.length === undefined]).toEqual([500, false])
    expect([many.set.shapes.length, many.length === undefined]).toEqual([500 * 4, false])
    await job.patch('create', { shapes: [box(2)] })
    const more = await job.get(query({ frames: '2' }))
    expect([more.set.shapes.length, more.length]).toEqual([2001, undefined])
  })

  test('a small response equals a streamed one byte for byte', async () => {
    const { job } = await setUpFrames()
    await job.patch('create', { tracks: Array.from({ length: 98 }, () => track('ключ')) })
    const few = await job.get(query({ frames: '1,2' }))
    await job.patch('create', { tracks: [track('ключ')] })
    const many = await job.get(query({ frames: '1,2' }))
    expect([few.length === undefined, many.length]).toEqual([false, undefined])
    expect(few.set.tracks).toHaveLength(99)
    expect({ ...many.set, tracks: many.set.tracks.slice(0, 99) }).toEqual(few.set)
  })
  const track = (value: string) => ({
    ...{ frame: 0, label_id: 40, shapes: [at(0)] },
    attributes: [{ spec_id: 91, value }],
  })

  test('frames of a task select objects in all jobs, and a track across jobs is one whole track', async () => {
    const { task } = setUp()
    await task.put({
      shapes: [box(1), box(6), box(7), box(12)],
      tracks: [
        { frame: 2, label_id: 40, shapes: [at(2), at(6), at(12, { outside: true })] },
        { frame: 0, label_id: 40, shapes: [at(0)] },
      ],
    })
    const { set } = await task.get(query({ frames: '7,12' }))
    expect(framesOf(set)).toEqual({ tags: [], shapes: [7, 12], tracks: [2, 0] })
    expect(set.tracks[0]?.shapes.map((one) => one.frame)).toEqual([2, 4, 5, 6, 9, 10, 12])
    expect(framesOf((await task.get(query({ frames: '4' }))).set).tracks).toEqual([2, 0])
    expect(framesOf((await task.get(query({ frames: '13' }))).set).tracks).toEqual([0])
  })

  test('a read of one job of a task without tracks is a small response', async () => {
    const { task } = setUp()
    await task.put({ shapes: [box(1), box(6), box(7), box(12)] })
    const all = await task.get()
    const some = await task.get(query({ frames: '7' }))
    expect(some.set.shapes).toEqual(all.set.shapes.slice(2, 3))
    expect([some.etag, some.length === undefined]).toEqual([all.etag, false])
  })

  test('frames of overlapping jobs select each object once', async () => {
    const { task, workspace } = setUp()
    const [a = 0, b = 0] = workspace.jobs.map((one) => one.id)
    workspace.jobs = [jobRange(a, 0, 5), jobRange(b, 4, 9)]
    await task.put({ shapes: [5, 4, 8, 0].map((frame) => box(frame)) })
    expect(framesOf((await task.get(query({ frames: '0,4-5' }))).set).shapes).toEqual([0, 4, 5])
  })

  test('frames of a ground-truth job select only frames of the job', async () => {
    const { workspace, task_id } = setUp()
    workspace.truth = { ...jobRange(task_id * 10 + 9, 0, 14), frames: [1, 8] }
    const truth = openJob(service, task_id * 10 + 9)
    await truth.put({
      shapes: [box(1), box(8)],
      tracks: [{ frame: 1, label_id: 40, shapes: [at(1)] }],
    })
    const found = async (frames: string) => framesOf((await truth.get(query({ frames }))).set)
    expect(await found('2-7')).toEqual({ tags: [], shapes: [], tracks: [] })
    expect(await found('2-8')).toEqual({ tags: [], shapes: [8], tracks: [1] })
    const { set } = await truth.get(query({ interpolate: 'true' }))
    expect(set.tracks[0]?.shapes.map((one) => one.frame)).toEqual([1, 8])
  })
})

describe('labels', () => {
  test('label_id selects objects but not their elements, and combines with other conditions', async () => {
    const { job } = setUp()
    await job.put({
      tags: [
        { frame: 0, label_id: 40 },
        { frame: 1, label_id: 41 },
      ],
      shapes: [box(0), person(0), person(1)],
      tracks: [{ frame: 0, label_id: 40, shapes: [at(0)] }],
    })
    const found = async (given: Record<string, string>) =>
      framesOf((await job.get(query(given))).set)
    expect(await found({ label_id: '41' })).toEqual({ tags: [1], shapes: [0, 1], tracks: [] })
    expect(await found({ label_id: '40' })).toEqual({ tags: [0], shapes: [0], tracks: [0] })
    expect(await found({ label_id: '42' })).toEqual({ tags: [], shapes: [], tracks: [] })
    expect(await found({ label_id: '40,41', frames: '1' })).toEqual({
      tags: [1],
      shapes: [1],
      tracks: [0],
    })
    expect(await found({ label_id: '41', frames: '0' })).toEqual({
      tags: [],
      shapes: [0],
      tracks: [],
    })
    const filter = '{"==":[{"var":"frame"},0]}'
    expect(await found({ label_id: '40', frames: '0-1', filter })).toEqual({
      tags: [0],
      shapes: [0],
      tracks: [0],
    })
  })
})

describe('a filter', () => {
  test('a filter compares text fields by equality and by substring', async () => {
    const { job } = setUp()
    const ellipse = { type: 'ellipse', points: [5, 5, 2, 2] }
    await job.put({
      shapes: [box(0, { source: 'semi-auto' }), box(1, { ...ellipse, rotation: 30 }), person(2)],
    })
    const type = { var: 'type' }
    const found = async (given: unknown) => framesOf((await job.get(filter(given))).set).shapes
    expect(await found({ in: [type, ['ellipse', 'skeleton']] })).toEqual([1, 2])
    expect(await found({ '<': [type, 'rectangle'] })).toEqual([1])
    expect(await found({ in: ['AUTO', { var: 'source' }] })).toEqual([0])
    expect(await found({ '==': [type, 'no such'] })).toEqual([])
    expect(await found({ in: [type, []] })).toEqual([])
    expect(await found({ '>': [{ var: 'id' }, 2 ** 40] })).toEqual([])
    expect(await found({ '>': [{ var: 'id' }, 0.5] })).toEqual([0, 1, 2])
  })

  test('a filter finds the same tags and shapes as json-logic-js', async () => {
    const { job } = setUp()
    const isTrue = createFilterOracle(annotationFields)
    const { id: _, type: __, ...rest } = values
    const type = fc.constantFrom('rectangle', 'ellipse')
    const given = fc.array(fc.record({ ...rest, type, label_id: fc.constant(40) }), {
      minLength: 12,
      maxLength: 12,
    })
    const expressions = fc.array(anExpression, { minLength: 20, maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(given, expressions, async (objects, selection) => {
        const { set: all } = await job.put({
          tags: objects
            .slice(0, 4)
            .map(({ frame, label_id, group, source }) => ({ frame, label_id, group, source })),
          shapes: objects.map((one) => ({ ...one, points: [5, 5, 6, 6] })),
        })
        for (const one of selection) {
          const { set } = await job.get(filter(one))
          const ids = (list: readonly { id?: number | null }[]) =>
            list.map(({ id }) => id ?? 0).sort((a, b) => a - b)
          const tags = all.tags.filter((tag) => isTrue(one, { ...nothing, ...tag }))
          const shapes = all.shapes.filter((shape) => isTrue(one, { ...shape }))
          expect([ids(set.tags), ids(set.shapes)], JSON.stringify(one)).toEqual([
            ids(tags),
            ids(shapes),
          ])
        }
      }),
      { numRuns: 10 },
    )
  }, 60_000)
  const nothing = {
    type: null,
    score: null,
    occluded: null,
    outside: null,
    z_order: null,
    rotation: null,
  }

  test('a filter keeps a whole track when one of its keyframes matches', async () => {
    const { job } = setUp()
    await job.put({
      tracks: [
        { frame: 0, label_id: 40, shapes: [at(0), at(2, { rotation: 30 })] },
        { frame: 0, label_id: 40, shapes: [at(0), at(3, { occluded: true })] },
      ],
    })
    const turned = await job.get(filter({ '!=': [{ var: 'rotation' }, 0] }))
    expect(turned.set.tracks.map((one) => one.shapes.length)).toEqual([2])
    const none = {
      and: [
        { '!=': [{ var: 'rotation' }, 0] },
        { var: 'occluded' },
        { '==': [{ var: 'frame' }, 0] },
      ],
    }
    expect((await job.get(filter(none))).set.tracks).toEqual([])
    expect((await job.get(filter({ '==': [{ var: 'score' }, null] }))).set.tracks).toHaveLength(2)
  })

  test('a filter on a task matches a track across jobs as a whole', async () => {
    const { task } = setUp()
    const turned = at(7, { rotation: 30 })
    await task.put({ tracks: [{ frame: 2, label_id: 40, shapes: [at(2), turned, at(12)] }] })
    const { set } = await task.get(filter({ '==': [{ var: 'rotation' }, 30] }))
    expect(set.tracks[0]?.shapes.map((one) => one.frame)).toEqual([2, 4, 5, 7, 9, 10, 12])
  })
})

describe('interpolated positions', () => {
  const interpolate = (frames = '') => query({ frames, interpolate: 'true' })

  test('each visible frame has one position, and stored positions keep their id and are keyframes', async () => {
    const { job } = setUp()
    const { set: stored } = await job.put({
      shapes: [box(3)],
      tracks: [{ frame: 0, label_id: 40, shapes: [at(0), at(2), at(3, { outside: true })] }],
    })
    const { set, etag } = await job.get(interpolate())
    const [first, second] = stored.tracks[0]?.shapes ?? []
    const computed = { ...first, id: null, frame: 1, keyframe: false, points: [1, 0, 11, 10] }
    expect(set.tracks).toEqual([{ ...stored.tracks[0], shapes: [first, computed, second] }])
    expect(set.shapes).toEqual(stored.shapes)
    expect(etag).toBe((await job.get()).etag)
  })

  test('only requested frames have positions, and tracks without positions are left out', async () => {
    const { job } = setUp()
    await job.put({
      tracks: [
        { frame: 0, label_id: 40, shapes: [at(0), at(4)] },
        { frame: 0, label_id: 40, shapes: [at(0), at(1, { outside: true })] },
      ],
    })
    const { set } = await job.get(interpolate('1,3-99'))
    expect(set.tracks.map((one) => one.shapes.map(({ frame }) => frame))).toEqual([[1, 3, 4]])
  })

  test('deleted frames have no positions, but their keyframes still affect interpolation', async () => {
    const { job, workspace } = setUp()
    await job.put({
      tracks: [
        { frame: 0, label_id: 40, shapes: [at(0), at(2, { points: [90, 0, 100, 10] }), at(4)] },
        { frame: 2, label_id: 40, shapes: [at(2), at(3, { outside: true })] },
      ],
    })
    workspace.deleted_frames = [2]
    const { set } = await job.get(interpolate())
    expect(
      set.tracks.map((one) => one.shapes.map(({ frame, points }) => [frame, points[0]])),
    ).toEqual([
      [
        [0, 0],
        [1, 45],
        [3, 47],
        [4, 4],
      ],
    ])
    expect((await job.get()).set.tracks).toHaveLength(2)
  })

  test('a track that is hidden by a keyframe on a deleted frame stays hidden', async () => {
    const { job, workspace } = setUp()
    const shapes = [at(0), at(2, { outside: true })]
    await job.put({ tracks: [{ frame: 0, label_id: 40, shapes }] })
    workspace.deleted_frames = [2]
    expect((await job.get(interpolate('2-3'))).set.tracks).toEqual([])
    const { set } = await job.get(interpolate('1-3'))
    expect(set.tracks.map((one) => one.shapes.map(({ frame }) => frame))).toEqual([[1]])
  })

  test('cuboids in point clouds rotate along the shorter arc', async () => {
    const { job, workspace } = setUp()
    const cuboid = (angle: number) => [0, 0, 0, 0, 0, angle, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0]
    const shapes = [
      at(0, { type: 'cuboid', points: cuboid(3) }),
      at(2, { type: 'cuboid', points: cuboid(-3) }),
    ]
    await job.put({ tracks: [{ frame: 0, label_id: 40, shapes }] })
    const angle = async () => (await job.get(interpolate('1'))).set.tracks[0]?.shapes[0]?.points[5]
    expect(await angle()).toBe(0)
    workspace.dimension = '3d'
    expect(await angle()).toBeCloseTo(Math.PI)
  })

  test('a track across several jobs has positions on all frames', async () => {
    const { task } = setUp()
    await task.put({ tracks: [{ frame: 2, label_id: 40, shapes: [at(2), at(12)] }] })
    const { set } = await task.get(interpolate())
    expect(set.tracks.map((one) => one.shapes.map(({ points }) => points[0]))).toEqual([
      Array.from({ length: 13 }, (_, n) => Math.min(12, n + 2)),
    ])
  })

  test('positions have the attributes of the previous keyframe, including later added attributes', async () => {
    const { job, workspace } = setUp()
    const color = (value: string) => ({ attributes: [{ spec_id: 90, value }] })
    await job.put({
      tracks: [{ frame: 0, label_id: 40, shapes: [at(0, color('red')), at(2, color('blue'))] }],
    })
    const colors = async () =>
      (await job.get(interpolate())).set.tracks[0]?.shapes.map(
        (one) => one.attributes.find(({ spec_id }) => spec_id === 90)?.value,
      )
    expect(await colors()).toEqual(['red', 'red', 'blue', 'blue', 'blue'])
    workspace.labels.labels_revision = 2
    workspace.labels.labels[0]?.attributes.splice(1, 1)
    expect(await colors()).toEqual(['red', 'red', 'blue', 'blue', 'blue'])
    const { set } = await job.get(query({ frames: '0' }))
    expect(set.tracks[0]?.attributes).toEqual([])
  })
})
