import type { AnnotationSet } from '@reticle/contracts/rest/annotations'
import { testDb } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { jobRange, openJob, openService } from '../testing/workspace.ts'

/**
 * Tasks whose jobs share frames (docs/spec/annotations.md#task-level): frames 0 to 4, 3 to 7 and 6 to 9 unless a test
 * overrides them.
 */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp: openOne } = openService(db)

function setUp(...ranges: [number, number][]) {
  const opened = openOne()
  const { workspace } = opened
  const given: [number, number][] = [
    [0, 4],
    [3, 7],
    [6, 9],
  ]
  const used = ranges.length > 0 ? ranges : given
  const ids = used.map((_, n) => workspace.task_id * 10 + n + 1)
  workspace.jobs = used.map(([start, stop], n) => jobRange(ids[n] ?? 0, start, stop))
  const [a = openJob(service, 0), b = a, c = a] = ids.map((id) => openJob(service, id))
  return { ...opened, a, b, c }
}

type Kind = 'tags' | 'shapes' | 'tracks'
const idsOf = (set: AnnotationSet, kind: Kind = 'shapes') => set[kind].map((one) => one.id ?? 0)
const framesOf = ({ tracks }: AnnotationSet) =>
  tracks.map((one) =>
    one.shapes.map(({ frame, outside }) => (outside ? `${frame}x` : frame)).join(' '),
  )

const tag = (frame: number) => ({ frame, label_id: 40 })
const box = (frame: number, points = [0, 0, 10, 10]) => ({
  ...{ type: 'rectangle', frame, label_id: 40, points },
})
const at = (frame: number, given: object = {}) => ({
  ...{ type: 'rectangle', frame, points: [10 * frame, 0, 10 * frame + 10, 10] },
  ...given,
})
const track = (...shapes: { frame: number }[]) => ({
  ...{ frame: shapes[0]?.frame, label_id: 40, shapes },
})

describe('tags and shapes', () => {
  test('an object is stored in every job with its frame and is one object of the task', async () => {
    const { task, a, b, c } = setUp()
    const polyline = { type: 'polyline', frame: 3, label_id: 40, points: [0, 0, 5, 5] }
    const { set } = await task.put({ tags: [tag(4), tag(9)], shapes: [box(7), polyline] })
    expect(set.shapes.map((one) => one.frame)).toEqual([7, 3])
    const shown = (await task.get()).set
    expect(shown).toEqual({ ...set, shapes: set.shapes.toReversed() })
    const stored = await Promise.all([a, b, c].map(async (one) => (await one.get()).set))
    expect(stored.map((one) => one.shapes.map((shape) => shape.frame))).toEqual([[3], [3, 7], [7]])
    expect(stored.map((one) => one.tags.map((own) => own.frame))).toEqual([[4], [4], [9]])
    expect(idsOf(stored[0] ?? set)).toEqual([set.shapes[1]?.id])
    expect(new Set(stored.flatMap((one) => idsOf(one))).size).toBe(4)
  })

  test('an object is stored in three jobs that share its frame', async () => {
    const { task, a, b, c } = setUp([0, 5], [2, 7], [4, 9])
    const { set } = await task.put({ tags: [tag(4)], shapes: [box(4), box(4), box(5), box(2)] })
    for (const job of [a, b, c]) expect((await job.get()).set.tags).toHaveLength(1)
    expect((await c.get()).set.shapes.map((one) => one.frame)).toEqual([4, 4, 5])
    const shown = (await task.get()).set
    expect(shown.shapes.map((one) => one.frame)).toEqual([2, 4, 4, 5])
    expect(idsOf(shown).toSorted()).toEqual(idsOf(set).toSorted())
    const { set: deleted } = await task.patch('delete', { shapes: [{ id: set.shapes[0]?.id }] })
    expect(deleted.shapes).toEqual([set.shapes[0]])
    for (const job of [a, b, c]) {
      const left = (await job.get()).set.shapes
      expect(left.filter((one) => one.frame === 4)).toHaveLength(1)
    }
  })

  test.each([
    ['rectangles', 'rectangle', [0, 0, 100, 10], [25, 0, 100, 10], [26, 0, 100, 10]],
    [
      ...(['polygons', 'polygon', [0, 0, 10, 0, 10, 10, 0, 10]] as const),
      ...([
        [0, 0, 10, 0, 10, 7.5, 0, 7.5],
        [0, 0, 10, 0, 10, 7.4, 0, 7.4],
      ] as const),
    ],
  ])(
    '%s are one object when three quarters of them overlap',
    async (_, type, own, like, unlike) => {
      const { task, a, b } = setUp()
      const { set } = await a.put({ shapes: [{ ...box(3), type, points: own }] })
      await b.put({ shapes: [{ ...box(3), type, points: like }] })
      expect((await task.get()).set.shapes).toEqual(set.shapes)
      await b.put({ shapes: [{ ...box(3), type, points: unlike }] })
      expect((await task.get()).set.shapes).toHaveLength(2)
    },
  )

  test.each([
    ['another label', { label_id: 41, type: 'ellipse' }, 2],
    ['another type', { type: 'ellipse' }, 2],
    ['an ellipse a little moved', { type: 'ellipse', points: [0, 0, 10, 9] }, 2],
    ['turned, which rectangles do not count', { rotation: 5 }, 1],
  ])('shapes of two jobs are merged or kept apart by their rules: %s', async (_, given, count) => {
    const { task, a, b } = setUp()
    const type = 'points' in given ? 'ellipse' : 'rectangle'
    await a.put({ shapes: [{ ...box(4), type }] })
    await b.put({ shapes: [{ ...box(4), ...given }] })
    expect((await task.get()).set.shapes).toHaveLength(count)
  })

  test('equal shapes pair one to one, and equal shapes of one job stay separate', async () => {
    const { task, a, b } = setUp()
    const first = (await a.put({ shapes: [box(3), box(3)] })).set
    await b.put({ shapes: [box(3), box(3), box(3)], tags: [tag(3)] })
    const { set } = await task.get()
    expect(set.shapes).toHaveLength(3)
    expect(idsOf(set).slice(0, 2)).toEqual(idsOf(first))
    await task.put({ shapes: [box(3), box(3)], tags: [tag(3), tag(3)] })
    const again = (await task.get()).set
    expect([again.shapes.length, again.tags.length]).toEqual([2, 2])
  })

  test('shapes are paired for the best total similarity', async () => {
    const { task, a, b } = setUp()
    // The first shapes of both jobs are the most similar pair, but pairing them leaves the others too far apart.
    await a.put({ shapes: [box(3, [0, 0, 100, 1]), box(3, [16, 0, 116, 1])] })
    await b.put({ shapes: [box(3, [5, 0, 105, 1]), box(3, [-11, 0, 89, 1])] })
    expect((await task.get()).set.shapes).toHaveLength(2)
  })

  test('skeletons are distinguished by their joints', async () => {
    const { task } = setUp()
    const joint = (label_id: number, x: number) => ({
      type: 'points',
      frame: 3,
      label_id,
      points: [x, 1],
    })
    const person = (x: number) => ({
      ...{ type: 'skeleton', frame: 3, label_id: 41 },
      elements: [joint(42, x), joint(43, x + 1)],
    })
    const { set } = await task.put({ shapes: [person(1), person(5), person(5)] })
    expect((await task.get()).set).toEqual(set)
  })

  test('each object of a large task is returned once, in the order of the request', async () => {
    const { task, b } = setUp()
    const shapes = Array.from({ length: 2100 }, (_, n) => box(9 - (n % 10), [n, 0, n + 1, 1]))
    const { set } = await task.put({ shapes })
    expect(set.shapes.map((one) => one.points)).toEqual(shapes.map((one) => one.points))
    const shown = (await task.get()).set.shapes
    expect(shown.map((one) => one.id).toSorted()).toEqual(idsOf(set).toSorted())
    expect((await b.get()).set.shapes).toHaveLength(5 * 210)
    const frames = shown.map((one) => one.frame)
    expect(frames).toEqual(frames.toSorted((x, y) => x - y))
  })
})

describe('an object of a task', () => {
  test('a filter applies to the object of the task, not to its copies in later jobs', async () => {
    const { task, a, b } = setUp()
    await a.put({ shapes: [{ ...box(4), group: 1 }, box(3)] })
    await b.put({ shapes: [{ ...box(4), group: 2 }] })
    const groupsOf = async (value: number) => {
      const filter = { op: '==', field: 'group', value } as const
      return (await task.get({ filter })).set.shapes.map((one) => one.group)
    }
    expect([await groupsOf(1), await groupsOf(2), await groupsOf(0)]).toEqual([[1], [], [0]])
  })

  test('an update by the id of any copy changes all copies', async () => {
    const { task, a, b, workspace } = setUp()
    const { set } = await task.put({ shapes: [box(3)] })
    const [other] = idsOf((await b.get()).set)
    const { set: changed } = await task.patch('update', { shapes: [{ id: other, group: 7 }] })
    expect(changed.shapes).toEqual([{ ...set.shapes[0], group: 7 }])
    expect((await a.get()).set.shapes).toEqual(changed.shapes)
    expect((await b.get()).set.shapes).toMatchObject([{ id: other, group: 7 }])
    expect(workspace.notifications.at(-1)?.change.jobs.map((one) => one.shapes)).toEqual([1, 1])
  })

  test('an object that moves to another frame keeps its id, and so do copies in jobs that keep it', async () => {
    const { task, task_id, a, b, c } = setUp()
    const { set } = await task.put({ shapes: [box(3)] })
    const [id] = idsOf(set)
    const [other] = idsOf((await b.get()).set)
    const move = (frame: number) => task.patch('update', { shapes: [{ id, frame }] })
    await move(4)
    expect(idsOf((await b.get()).set)).toEqual([other])
    await move(0)
    expect([idsOf((await a.get()).set), idsOf((await b.get()).set)]).toEqual([[id], []])
    await move(7)
    expect([idsOf((await a.get()).set), idsOf((await b.get()).set)]).toEqual([[], [id]])
    expect((await c.get()).set.shapes).toMatchObject([{ frame: 7 }])
    expect((await task.get()).set.shapes).toEqual([{ ...set.shapes[0], frame: 7 }])
    const counts = await db
      .selectFrom('jobs')
      .select('shapes')
      .where('task_id', '=', task_id)
      .orderBy('job_id')
      .execute()
    expect(counts.map((one) => one.shapes)).toEqual([0, 1, 1])
  })

  test('an update merges copies that differ between jobs', async () => {
    const { task, a, b } = setUp()
    const [id] = idsOf((await a.put({ shapes: [box(3)] })).set)
    const [other] = idsOf((await b.put({ shapes: [box(3, [0, 0, 10, 9])] })).set)
    const { set } = await task.patch('update', { shapes: [{ id: other, source: 'file' }] })
    expect(set.shapes).toMatchObject([{ id, points: [0, 0, 10, 10], source: 'file' }])
    expect((await b.get()).set.shapes).toMatchObject([{ id: other, points: [0, 0, 10, 10] }])
  })

  test.each(['update', 'delete'])(
    '%s rejects an object that is named twice by different ids',
    async (action) => {
      const { task, a, b } = setUp()
      await task.put({ shapes: [box(0), box(3)], tracks: [track(at(0), at(9))] })
      const [first, own] = idsOf((await a.get()).set)
      const [other] = idsOf((await b.get()).set)
      const shapes = [{ id: first }, { id: own }, { id: other }]
      const twice = { id: [`${other} is given twice`] }
      await expect(task.patch(action, { shapes })).rejects.toMatchObject({
        ...{ kind: 'invalid', body: { shapes: [{}, {}, twice] } },
      })
      const pieces = [
        ...idsOf((await a.get()).set, 'tracks'),
        ...idsOf((await b.get()).set, 'tracks'),
      ]
      await expect(
        task.patch(action, { tracks: pieces.map((id) => ({ id })) }),
      ).rejects.toMatchObject({ body: { tracks: [{}, { id: [`${pieces[1]} is given twice`] }] } })
      expect((await a.get()).set.shapes).toHaveLength(2)
    },
  )

  test('a deletion removes all copies', async () => {
    const { task, a, b } = setUp()
    const { set } = await task.put({ tags: [tag(3)], shapes: [box(3), box(3, [50, 0, 60, 9])] })
    const [tagged] = idsOf((await b.get()).set, 'tags')
    const [, second] = idsOf((await b.get()).set)
    const { set: deleted } = await task.patch('delete', {
      tags: [{ id: tagged }],
      shapes: [{ id: second }],
    })
    expect(deleted).toEqual({ ...set, shapes: [set.shapes[1]] })
    for (const job of [a, b])
      expect((await job.get()).set).toMatchObject({ tags: [], shapes: [{}] })
  })

  test('a deletion of many objects removes all copies', async () => {
    const { task, b } = setUp()
    const shapes = Array.from({ length: 150 }, (_, n) => box(3, [20 * n, 0, 20 * n + 10, 10]))
    const { set } = await task.put({ shapes })
    const ids = idsOf((await b.get()).set)
    const { set: deleted } = await task.patch('delete', { shapes: ids.map((id) => ({ id })) })
    expect(deleted).toEqual(set)
    expect((await task.get()).set.shapes).toEqual([])
  })
})

describe('tracks', () => {
  test('tracks of different jobs are one when they are similar on the shared frames', async () => {
    const { task, a, b } = setUp()
    const [own] = idsOf((await a.put({ tracks: [track(at(0), at(4))] })).set, 'tracks')
    await b.put({ tracks: [track(at(3), at(7)), track(at(3, { points: [500, 0, 510, 9] }))] })
    const { set } = await task.get()
    expect(idsOf(set, 'tracks')[0]).toBe(own)
    expect(framesOf(set)).toEqual(['0 3 4 7 8x', '3 8x'])
    await b.put({ tracks: [track(at(3, { points: [36, 0, 46, 10] }))] })
    expect(framesOf((await task.get()).set)).toEqual(['0 4 5x', '3 8x'])
  })

  test.each([
    ['another label', { label_id: 41 }],
    ['another type', { shapes: [at(3, { type: 'ellipse' }), at(7, { type: 'ellipse' })] }],
    ['hidden on the shared frames', { frame: 3, shapes: [at(3, { outside: true }), at(5)] }],
  ])('tracks are separate when they differ: %s', async (_, given) => {
    const { task, a, b } = setUp()
    await a.put({ tracks: [track(at(0), at(4))] })
    await b.put({ tracks: [{ ...track(at(3), at(7)), ...given }] })
    expect((await task.get()).set.tracks).toHaveLength(2)
  })

  test('similar tracks of one job stay separate', async () => {
    const { task } = setUp()
    const { set } = await task.put({ tracks: [track(at(0), at(9)), track(at(0), at(9))] })
    expect(framesOf(set)).toEqual(['0 3 4 6 7 9', '0 3 4 6 7 9'])
    expect((await task.get()).set).toEqual(set)
  })

  test('merged tracks are changed and deleted as one', async () => {
    const { task, a, b, c } = setUp()
    const [own] = idsOf((await a.put({ tracks: [track(at(0), at(4))] })).set, 'tracks')
    const [other] = idsOf((await b.put({ tracks: [track(at(3), at(7))] })).set, 'tracks')
    await c.put({ tracks: [track(at(6), at(9))] })
    expect(framesOf((await task.get()).set)).toEqual(['0 3 4 6 7 9'])
    const { set } = await task.patch('update', { tracks: [{ id: other, group: 3 }] })
    expect(set.tracks).toMatchObject([{ id: own, group: 3 }])
    expect((await task.get()).set).toEqual(set)
    expect((await b.get()).set.tracks).toMatchObject([{ id: other, group: 3 }])
    await task.patch('delete', { tracks: [{ id: idsOf((await c.get()).set, 'tracks')[0] }] })
    for (const job of [a, b, c]) expect((await job.get()).set.tracks).toEqual([])
  })

  test('a merged track is hidden in a job without a piece of it and continues in a later job', async () => {
    const { task, b } = setUp([0, 4], [5, 9], [10, 14])
    await task.put({ tracks: [track(at(0), at(14))] })
    expect(framesOf((await task.get()).set)).toEqual(['0 4 5 9 10 14'])
    await b.patch('delete', { tracks: (await b.get()).set.tracks })
    expect(framesOf((await task.get()).set)).toEqual(['0 4 5x 10 14'])
  })

  test('a track ends with its job even when the next job has no annotations', async () => {
    const { task, a } = setUp([0, 4], [5, 9])
    await a.put({ tracks: [track(at(4))] })
    expect(framesOf((await task.get()).set)).toEqual(['4 5x'])
  })

  test('tracks of a task are ordered by their id in the task', async () => {
    const { task, a, b } = setUp([0, 4], [5, 9])
    await task.put({ tracks: [track(at(0), at(9)), track(at(1), at(9))] })
    const [first] = (await a.get()).set.tracks
    await a.patch('delete', { tracks: [first] })
    const [id] = idsOf((await b.get()).set, 'tracks')
    const shown = idsOf((await task.get()).set, 'tracks')
    expect(shown).toContain(id)
    expect(shown).toEqual(shown.toSorted((x, y) => x - y))
  })

  test('tracks of a job are ordered by their ids', async () => {
    const { task, b } = setUp([0, 4], [5, 9])
    await task.put({ tracks: [track(at(0), at(9))] })
    await b.patch('create', { tracks: [track(at(5))] })
    await task.patch('create', { tracks: [track(at(1), at(9)), track(at(6))] })
    const shown = idsOf((await b.get()).set, 'tracks')
    expect(shown).toHaveLength(4)
    expect(shown).toEqual(shown.toSorted((x, y) => x - y))
  })

  test('tracks that are never visible are stored unchanged', async () => {
    const { task, a } = setUp()
    const hidden = track(at(1, { outside: true }), at(8, { outside: true }))
    const { set } = await task.put({ tracks: [hidden] })
    expect(framesOf(set)).toEqual(['1x 8x'])
    expect((await task.get()).set).toEqual(set)
    expect((await a.get()).set).toEqual(set)
  })

  test('tracks are clipped to the job that they are written to, and to the task', async () => {
    const { task, a, c } = setUp()
    const { set } = await a.put({ tracks: [track(at(2), at(8))] })
    expect(set.tracks[0]?.shapes).toMatchObject([
      { frame: 2, points: [20, 0, 30, 10] },
      { frame: 4, points: [40, 0, 50, 10] },
    ])
    expect((await a.get()).set).toEqual(set)
    const { set: ofTask } = await task.put({ tracks: [track(at(7), at(20))] })
    expect(framesOf(ofTask)).toEqual(['7 9'])
    expect(ofTask.tracks[0]?.shapes[1]?.points).toEqual([90, 0, 100, 10])
    expect((await c.get()).set.tracks).toHaveLength(1)
    await expect(task.put({ tracks: [track(at(1)), track(at(10), at(12))] })).rejects.toMatchObject(
      { code: 'frame_out_of_range', body: { tracks: [{}, { frame: [expect.any(String)] }] } },
    )
  })
})
