import { text } from 'node:stream/consumers'
import { type AnnotationStatistics, annotationStatistics } from '@reticle/contracts/rest/statistics'
import { callAs } from '@reticle/kit/testing/call'
import { testDatabase } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { jobRange, openService, user } from '../testing/workspace.ts'

const { db } = await testDatabase<AnnotationsDb>([{ schema: 'annotations', migrations }])
const { service, setUp } = openService(db)

const box = { type: 'rectangle', frame: 0, label_id: 40, points: [1, 2, 3, 4] }
const joint = (label_id: number, more: object = {}) => ({
  ...{ type: 'points', frame: 1, label_id, points: [1, 2] },
  ...more,
})
const skeleton = { type: 'skeleton', frame: 1, label_id: 41, elements: [joint(42), joint(43)] }
const at = (frame: number, more: object = {}) => ({
  ...{ type: 'rectangle', frame, points: [0, 0, 1, 1] },
  ...more,
})
const track = (...shapes: ReturnType<typeof at>[]) => ({ frame: 0, label_id: 40, shapes })

type Kind = 'Project' | 'Task' | 'Job'

async function ask(kind: Kind, id: number, labels = true, caller = user(), authors = false) {
  const input = { id, labels, authors }
  const { head, chunks } = await service[`get${kind}AnnotationStatistics`](input, caller)
  const found: AnnotationStatistics = annotationStatistics.parse(JSON.parse(await text(chunks)))
  return { etag: head.etag, ...found }
}

const annotated = async (kind: Kind, id: number) => (await ask(kind, id)).frames.annotated

const none = {
  ...{ rectangle: 0, polygon: 0, polyline: 0, points: 0 },
  ...{ ellipse: 0, cuboid: 0, mask: 0, skeleton: 0 },
}

describe('objects', () => {
  const set = {
    tags: [
      { frame: 0, label_id: 40 },
      { frame: 7, label_id: 40, source: 'auto' },
    ],
    shapes: [
      ...[box, { ...box, frame: 12 }, { ...box, source: 'file' }, skeleton],
      { ...box, type: 'polygon', points: [0, 0, 5, 0, 5, 5], source: 'semi-auto' },
    ],
    tracks: [
      track(at(0), at(3, { outside: true }), at(4, { keyframe: false, outside: true })),
      {
        ...{ frame: 6, label_id: 41, shapes: [at(6, { type: 'skeleton', points: [] })] },
        elements: [42, 43].map((label_id) => ({
          label_id,
          frame: 6,
          shapes: [at(6), at(9, { outside: true })],
        })),
      },
    ],
  }
  const expected = {
    objects: { tags: 2, shapes: 5, tracks: 2, track_keyframes: 4 },
    labels: [
      { label_id: 40, name: 'car', tags: 2, ...none, rectangle: 3, polygon: 1, tracks: 1 },
      { label_id: 41, name: 'person', tags: 0, ...none, skeleton: 1, tracks: 1 },
    ],
    sources: { manual: 6, auto: 1, 'semi-auto': 1, file: 1, consensus: 0 },
    frames: { total: 15, annotated: 7, deleted: 0 },
  }

  test.each(['follow each other', 'share frames'])(
    'objects are counted by kind, type, label and source where jobs %s',
    async (way) => {
      const { task, task_id, workspace } = setUp()
      if (way === 'share frames') workspace.jobs[1] = jobRange(task_id * 10 + 2, 3, 9)
      await task.put(set)
      expect(await ask('Task', task_id)).toMatchObject(expected)
    },
  )

  test('counts of a project are the sums over its tasks', async () => {
    const [one, other] = [setUp(), setUp()]
    for (const { workspace } of [one, other]) workspace.project_id = 70
    other.workspace.deleted_frames = [0]
    await one.task.put(set)
    await other.task.put({ shapes: [box, { ...box, frame: 4 }] })
    const found = await ask('Project', 70)
    expect(found).toMatchObject({
      frames: { total: 30, annotated: 8, deleted: 1 },
      objects: { ...expected.objects, shapes: 7 },
      labels: [
        { label_id: 40, rectangle: 5 },
        { label_id: 41, skeleton: 1 },
      ],
    })
    const dates = await db
      .selectFrom('jobs')
      .select(({ fn }) => fn.max('updated_date').as('newest'))
      .where('task_id', '=', other.task_id)
      .executeTakeFirstOrThrow()
    expect(found.updated_date).toBe(dates.newest.toISOString())
  })

  test('counts of a job contain only its objects', async () => {
    const { task, job_id } = setUp()
    await task.put(set)
    expect(await ask('Job', job_id)).toMatchObject({
      objects: { tags: 1, shapes: 4, tracks: 1, track_keyframes: 2 },
      frames: { total: 5, annotated: 3, deleted: 0 },
    })
  })

  test('a track across several jobs counts once, with a keyframe at each border', async () => {
    const { task, task_id } = setUp()
    await task.put({ tracks: [track(at(0), at(5), at(12, { outside: true }))] })
    const { objects, sources } = await ask('Task', task_id)
    expect(objects).toMatchObject({ tracks: 1, track_keyframes: 4 })
    expect(sources.manual).toBe(1)
  })

  test('a task without annotations has zero counts and no date', async () => {
    const { task_id } = setUp()
    expect(await ask('Task', task_id)).toMatchObject({
      frames: { total: 15, annotated: 0, deleted: 0 },
      objects: { tags: 0, shapes: 0, tracks: 0, track_keyframes: 0 },
      labels: [{ label_id: 40, tags: 0, ...none, tracks: 0 }, { label_id: 41 }],
      sources: { manual: 0, file: 0 },
      updated_date: null,
    })
  })

  test('a task without media has zero counts', async () => {
    const { task_id, workspace } = setUp()
    workspace.jobs = []
    expect((await ask('Task', task_id)).frames).toEqual({ total: 0, annotated: 0, deleted: 0 })
  })
})

describe('annotated frames', () => {
  test.each([
    ['a hidden shape is on', { shapes: [{ ...box, outside: true }] }, 0],
    ['two shapes are on', { shapes: [box, box] }, 1],
    ['a tag is on', { tags: [{ frame: 4, label_id: 40 }] }, 1],
    ['a track passes through', { tracks: [track(at(1), at(3))] }, 4],
    ['a track is hidden on', { tracks: [track(at(0), at(1, { outside: true }), at(4))] }, 2],
    [
      'a skeleton has a joint to be seen on',
      { shapes: [{ ...skeleton, elements: [joint(42, { outside: true }), joint(43)] }] },
      1,
    ],
    [
      'all joints of a skeleton are hidden on',
      { shapes: [{ ...skeleton, elements: [joint(42, { outside: true })] }] },
      0,
    ],
    [
      'a part of a track is to be seen on',
      {
        tracks: [
          {
            ...{ frame: 0, label_id: 41, shapes: [at(0, { type: 'skeleton', points: [] })] },
            elements: [
              { label_id: 42, frame: 0, shapes: [at(0), at(1, { outside: true })] },
              { label_id: 43, frame: 0, shapes: [at(0, { outside: true }), at(4)] },
            ],
          },
        ],
      },
      2,
    ],
  ])('the frames that %s are counted correctly', async (_, set, expected) => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put(set)
    expect(await annotated('Job', job_id)).toBe(expected)
    expect(await annotated('Task', task_id)).toBe(expected)
    workspace.jobs[1] = jobRange(task_id * 10 + 2, 4, 9)
    if (!('tracks' in set)) expect(await annotated('Task', task_id)).toBe(expected)
  })

  test('deleted frames are not annotated, but their keyframes still hide tracks', async () => {
    const { job, job_id, workspace } = setUp()
    await job.put({ tracks: [track(at(0), at(2, { outside: true }))] })
    workspace.deleted_frames = [2, 3]
    const { frames } = await ask('Job', job_id)
    expect(frames).toEqual({ total: 5, annotated: 2, deleted: 2 })
  })

  test('frames of a ground-truth job are counted within the job', async () => {
    const { workspace, task_id } = setUp()
    const id = task_id * 10 + 9
    workspace.truth = { ...jobRange(id, 0, 14), frames: [2, 7, 11] }
    workspace.deleted_frames = [7, 8]
    const input = {
      id,
      body: [Buffer.from(JSON.stringify({ tracks: [{ ...track(at(2)), frame: 2 }] }))],
    }
    async function* body() {
      yield* input.body
    }
    await service.replaceJobAnnotations({ id, body: body() }, user())
    expect(await ask('Job', id)).toMatchObject({
      frames: { total: 3, annotated: 2, deleted: 1 },
      objects: { tracks: 1 },
    })
    expect((await ask('Task', task_id)).objects.tracks).toBe(0)
  })
})

describe('authors', () => {
  const authorsOf = async (kind: Kind, id: number) => ask(kind, id, true, user(), true)

  test('authors come from the history, most active first, with the date of the oldest record', async () => {
    const { job, second, job_id, task_id, workspace } = setUp()
    workspace.project_id = 71
    const { set } = await job.put({ shapes: [box, box, box] })
    await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 3 }] })
    await second.put({ tags: [{ frame: 6, label_id: 40 }] })
    const names = { username: 'user9', first_name: 'Nina', last_name: '' }
    await db
      .insertInto('authors')
      .values({ id: 9, ...names })
      .execute()
    const ofSecond = db.updateTable('revisions').where('job_id', '=', job_id + 1)
    await ofSecond.set({ author_id: 9, created_date: new Date(Date.UTC(2026, 0, 2)) }).execute()
    const user7 = { user: { id: 7, url: '/users/7', username: 'user7' } }
    const first = { ...user7, created: 3, updated: 1, deleted: 0 }
    const last = { user: { id: 9 }, created: 1, updated: 0, deleted: 0 }
    for (const [kind, id] of [
      ['Task', task_id],
      ['Project', 71],
    ] as const) {
      expect(await authorsOf(kind, id)).toMatchObject({
        ...{ authors: [first, last], authors_since: '2026-01-02T00:00:00.000Z' },
      })
    }
    expect((await authorsOf('Job', job_id)).authors).toMatchObject([first])
  })

  test('a deleted author is shown without a user, and the entity tag changes', async () => {
    const { job, job_id } = setUp()
    await job.put({ shapes: [box] })
    const before = await authorsOf('Job', job_id)
    await db.updateTable('revisions').set({ author_id: 99 }).where('job_id', '=', job_id).execute()
    const after = await authorsOf('Job', job_id)
    expect(after.authors).toEqual([{ user: null, created: 1, updated: 0, deleted: 0 }])
    expect(after.etag).not.toBe(before.etag)
  })

  test('authors are empty without history and absent when not requested', async () => {
    const { job_id } = setUp()
    expect(await authorsOf('Job', job_id)).toMatchObject({ authors: [], authors_since: null })
    expect(await ask('Job', job_id)).not.toHaveProperty('authors')
    expect(await ask('Job', job_id)).not.toHaveProperty('authors_since')
  })
})

describe('the entity tag', () => {
  const changes = {
    annotations: async ({ job }: ReturnType<typeof setUp>) => job.put({ shapes: [box] }),
    'names of labels': async ({ workspace }: ReturnType<typeof setUp>) => {
      workspace.labels.labels_revision += 1
    },
    'deleted frames': async ({ workspace }: ReturnType<typeof setUp>) => {
      workspace.deleted_frames = [3]
    },
  }
  test.each(Object.entries(changes))(
    'the entity tag changes with %s, and only then',
    async (_, change) => {
      const opened = setUp()
      const { task_id, job_id } = opened
      const tags = async () => [(await ask('Task', task_id)).etag, (await ask('Job', job_id)).etag]
      const before = await tags()
      expect(await tags()).toEqual(before)
      await change(opened)
      const [task, job] = await tags()
      expect(before).not.toContain(task)
      expect(before).not.toContain(job)
    },
  )

  test('the entity tag differs without labels, which are then absent', async () => {
    const { task_id } = setUp()
    const [all, some] = [await ask('Task', task_id), await ask('Task', task_id, false)]
    expect(all.etag).not.toBe(some.etag)
    expect(some).not.toHaveProperty('labels')
  })

  test('the entity tag is returned before anything is counted', async () => {
    const { task_id } = setUp()
    const { head, chunks } = await service.getTaskAnnotationStatistics(
      { id: task_id, labels: true, authors: false },
      user(),
    )
    expect(head.etag).toMatch(/^"s/)
    await chunks[Symbol.asyncIterator]().return?.()
  })
})

test('a user without permission cannot read statistics', async () => {
  const { task_id, job_id } = setUp()
  const stranger = callAs({ user_id: 8 })
  for (const selection of [
    ask('Task', task_id, true, stranger),
    ask('Job', job_id, true, stranger),
  ])
    await expect(selection).rejects.toMatchObject({ kind: 'forbidden' })
  await expect(ask('Project', 999_999)).rejects.toMatchObject({ kind: 'not_found' })
})
