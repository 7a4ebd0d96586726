import { attributeOf, labelOf } from '@reticle/contracts/testing/records'
import { testDb } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { openJob, openService } from '../testing/workspace.ts'
import { annotationHandlers } from './rpc.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { deps, setUp } = openService(db)

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const tag = { frame: 1, label_id: 40 }
const skeleton = {
  type: 'skeleton',
  frame: 1,
  label_id: 41,
  elements: [{ type: 'points', frame: 1, label_id: 42, points: [1, 2] }],
}
const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 1, 1] }
const track = { frame: 0, label_id: 40, shapes: [keyframe, { ...keyframe, frame: 3 }] }

describe('create', () => {
  test('a create adds objects to the existing ones and returns the created ones', async () => {
    const { job } = setUp()
    await job.put({ shapes: [box] })
    const { set, etag } = await job.patch('create', {
      shapes: [{ ...box, frame: 1 }],
      tracks: [track],
    })
    expect(set.shapes).toHaveLength(1)
    expect(set.shapes[0]).toMatchObject({ frame: 1, id: expect.any(Number) })
    expect(set.tracks[0]?.shapes.every((one) => one.id !== null)).toBe(true)
    const { set: all, etag: now } = await job.get()
    expect(all.shapes).toHaveLength(2)
    expect(now).toBe(etag)
  })

  test('a create rejects objects that have an id', async () => {
    const { job } = setUp()
    await expect(job.patch('create', { shapes: [box, { ...box, id: 5 }] })).rejects.toMatchObject({
      body: { shapes: [{}, { id: ['must be absent'] }] },
    })
  })

  test('an empty body creates nothing and changes nothing', async () => {
    const { job, workspace } = setUp()
    const { set, etag } = await job.patch('create', '')
    expect(set).toEqual({ version: 0, tags: [], shapes: [], tracks: [] })
    expect(etag).toMatch(/-0"$/)
    expect(workspace.notifications).toEqual([])
  })
})

test.each([undefined, 'merge', 'CREATE'])('the action %s is rejected', async (action) => {
  await expect(setUp().job.patch(action, {})).rejects.toMatchObject({
    body: ["Please specify a correct 'action' for the request"],
  })
})

describe('update', () => {
  test('an update replaces the sent members and keeps the others', async () => {
    const { job } = setUp()
    const { set } = await job.put({
      shapes: [{ ...box, group: 3, attributes: [{ spec_id: 91, value: 'Fiat' }] }, box],
    })
    const [first, second] = set.shapes
    const { set: changed } = await job.patch('update', {
      shapes: [{ id: first?.id, frame: 4, points: [9, 9, 10, 10] }],
    })
    expect(changed.shapes).toEqual([{ ...first, frame: 4, points: [9, 9, 10, 10] }])
    expect((await job.get()).set.shapes).toEqual([second, changed.shapes[0]])
  })

  test('an update validates the merged object as a whole', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [box] })
    const attempt = job.patch('update', { shapes: [{ id: set.shapes[0]?.id, type: 'polygon' }] })
    await expect(attempt).rejects.toMatchObject({
      code: 'points_invalid',
      body: { shapes: [{ points: ["invalid length for shape type 'polygon'"] }] },
    })
  })

  test('a new label drops the attribute values of the old label', async () => {
    const { job, workspace } = setUp()
    const size = attributeOf({ id: 95, name: 'size', default_value: 'L' })
    workspace.labels.labels.push(labelOf({ id: 50, name: 'bus', attributes: [size] }))
    const { set } = await job.put({ shapes: [box], tracks: [track] })
    const { set: changed } = await job.patch('update', {
      shapes: [{ id: set.shapes[0]?.id, label_id: 50 }],
      tracks: [{ id: set.tracks[0]?.id, label_id: 50 }],
    })
    expect(changed.shapes[0]?.attributes).toEqual([{ spec_id: 95, value: 'L' }])
    expect(changed.tracks[0]?.attributes).toEqual([{ spec_id: 95, value: 'L' }])
    expect(changed.tracks[0]?.shapes.map((one) => one.attributes)).toEqual([[], []])
  })

  describe('an object without an id is reported at its index', () => {
    const missing = { id: ['must be present and not null'] }

    test.each(['update', 'delete'] as const)(
      'an object without an id is reported by %s',
      async (action) => {
        const { job } = setUp()
        const { set } = await job.put({ shapes: [box, box], tags: [tag] })
        const [first, second] = set.shapes
        for (const [body, expected] of [
          [{ tags: [{ frame: 1 }] }, { tags: [missing] }],
          [{ shapes: [first, {}, second] }, { shapes: [{}, missing] }],
          [{ shapes: [first, { ...second, id: null }] }, { shapes: [{}, missing] }],
          [{ tracks: [{ id: null }, {}] }, { tracks: [missing, missing] }],
          [
            { shapes: [first, {}, first] },
            { shapes: [{}, missing, { id: [`${first?.id} is given twice`] }] },
          ],
        ])
          await expect(job.patch(action, body)).rejects.toMatchObject({
            kind: 'invalid',
            code: 'invalid',
            body: expected,
          })
        expect((await job.get()).set).toEqual(set)
      },
    )

    test('an object without an id is reported beside other invalid entries of the list', async () => {
      const { job } = setUp()
      const attempt = job.patch('delete', { shapes: [7, {}, { id: 'x' }] })
      await expect(attempt).rejects.toMatchObject({
        body: {
          shapes: [{ non_field_errors: [expect.anything()] }, missing, { id: [expect.anything()] }],
        },
      })
    })
  })

  test('an update names every unknown id and changes nothing', async () => {
    const { job, second } = setUp()
    const { set } = await job.put({ shapes: [box] })
    const { set: other } = await second.put({ shapes: [{ ...box, frame: 7 }] })
    const foreign = other.shapes[0]?.id
    const attempt = job.patch('update', {
      shapes: [
        { id: set.shapes[0]?.id, frame: 0 },
        { id: foreign, group: 1 },
      ],
      tags: [{ id: 999 }],
    })
    await expect(attempt).rejects.toMatchObject({
      kind: 'not_found',
      code: 'annotation_not_found',
      more: { missing: { shapes: [foreign], tags: [999] } },
    })
    expect((await job.get()).set).toEqual(set)
  })

  test('an update rejects an id that occurs twice', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [box] })
    const id = set.shapes[0]?.id
    await expect(job.patch('update', { shapes: [{ id }, { id }] })).rejects.toMatchObject({
      body: { shapes: [{}, { id: [`${id} is given twice`] }] },
    })
  })

  test('keyframes keep their ids, new ones get new ids and ids of other tracks are rejected', async () => {
    const { job } = setUp()
    const { set } = await job.put({ tracks: [track, track] })
    const [own, other] = set.tracks
    const [kept] = own?.shapes ?? []
    const shapes = [
      { ...keyframe, id: kept?.id },
      { ...keyframe, frame: 4 },
    ]
    const { set: changed } = await job.patch('update', { tracks: [{ id: own?.id, shapes }] })
    expect(changed.tracks[0]?.id).toBe(own?.id)
    expect(changed.tracks[0]?.shapes.map((one) => one.id)).toEqual([kept?.id, expect.any(Number)])

    const foreign = [{ ...keyframe, id: other?.shapes[0]?.id }]
    await expect(
      job.patch('update', { tracks: [{ id: own?.id, shapes: foreign }] }),
    ).rejects.toMatchObject({ code: 'invalid' })
  })

  test('an update rejects an id that two elements share', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [skeleton] })
    const [own] = set.shapes
    const elements = [42, 43].map((label_id) => ({ ...own?.elements[0], label_id }))
    await expect(
      job.patch('update', { shapes: [{ id: own?.id, elements }] }),
    ).rejects.toMatchObject({
      body: { shapes: [{ id: [`${elements[0]?.id} is given to two parts`] }] },
    })
    expect((await job.get()).set).toEqual(set)
  })

  test('a keyframe that is sent many times is stored once', async () => {
    const { job } = setUp()
    const { set } = await job.put({ tracks: [track] })
    const shapes = Array(130_000).fill(keyframe)
    const { set: changed } = await job.patch('update', {
      tracks: [{ id: set.tracks[0]?.id, shapes }],
    })
    expect(changed.tracks[0]?.shapes).toHaveLength(1)
  })

  test('elements are replaced as a whole', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [skeleton] })
    const elements = [{ type: 'points', frame: 1, label_id: 43, points: [5, 6] }]
    const { set: changed } = await job.patch('update', {
      shapes: [{ id: set.shapes[0]?.id, elements }],
    })
    expect(changed.shapes[0]?.elements.map((one) => one.label_id)).toEqual([43])
  })
})

describe('delete', () => {
  test('a delete returns the deleted objects and ignores unknown ids', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [box, skeleton], tracks: [track] })
    const [first, second] = set.shapes
    const { set: deleted } = await job.patch('delete', {
      shapes: [{ id: 999 }, { id: second?.id }, { id: first?.id, points: 'ignored' }],
    })
    expect(deleted.shapes).toEqual([second, first])
    expect((await job.get()).set).toMatchObject({ shapes: [], tracks: set.tracks })
  })

  test('a delete of unknown objects changes nothing', async () => {
    const { job } = setUp()
    const { etag } = await job.put({ shapes: [box] })
    expect((await job.patch('delete', { shapes: [{ id: 999 }] })).etag).toBe(etag)
  })

  test('a DELETE request empties the target', async () => {
    const { job, workspace } = setUp()
    await job.put({ shapes: [box], tracks: [track] })
    const { head } = await job.clear()
    const { set, etag } = await job.get()
    expect(set).toEqual({ version: 0, tags: [], shapes: [], tracks: [] })
    expect(head.etag).toBe(etag)
    expect(workspace.notifications.at(-1)?.change).toMatchObject({
      action: 'delete',
      jobs: [{ shapes: 1, tracks: 1, is_annotated: false }],
    })
  })
})

describe('put', () => {
  test('a put ignores the sent ids and assigns new ones', async () => {
    const { job } = setUp()
    const { set } = await job.put({ shapes: [box] })
    const { set: again } = await job.put(set)
    expect(again.shapes).toHaveLength(1)
    expect(again.shapes[0]?.id).not.toBe(set.shapes[0]?.id)
    expect({ ...again.shapes[0], id: 0 }).toEqual({ ...set.shapes[0], id: 0 })
  })

  test('a put of an empty set empties the target, and a put without a body is rejected', async () => {
    const { job } = setUp()
    await job.put({ shapes: [box] })
    await expect(job.put('')).rejects.toMatchObject({ code: 'parse_error' })
    expect((await job.get()).set.shapes).toHaveLength(1)
    expect((await job.put({})).set.shapes).toEqual([])
    expect((await job.get()).set.shapes).toEqual([])
  })
})

describe('entity tags', () => {
  test('an entity tag permits one write and is stale afterwards', async () => {
    const { job } = setUp()
    const { etag } = await job.get()
    const { etag: next } = await job.put({ shapes: [box] }, etag)
    const late = { kind: 'precondition', code: 'annotations_changed', more: { etag: next } }
    await expect(job.put({}, etag)).rejects.toMatchObject(late)
    await expect(job.patch('create', {}, etag)).rejects.toMatchObject(late)
    await expect(job.patch('update', {}, etag)).rejects.toMatchObject(late)
    await expect(job.patch('delete', {}, etag)).rejects.toMatchObject(late)
    await expect(job.clear(etag)).rejects.toMatchObject(late)
    expect((await job.get()).etag).toBe(next)
    expect((await job.put({}, '*')).set.shapes).toEqual([])
  })

  test('a task has one entity tag that covers all its jobs', async () => {
    const { task, second } = setUp()
    const { etag } = await task.put({ shapes: [box] })
    await second.put({ shapes: [{ ...box, frame: 6 }] })
    await expect(task.put({}, etag)).rejects.toMatchObject({ kind: 'precondition' })
    expect((await task.get()).etag).toMatch(/^"t\d+-[0-9a-f]{16}"$/)
  })

  test('an If-Match header that is not an entity tag is rejected', async () => {
    await expect(setUp().job.put({}, 'a31-1')).rejects.toMatchObject({ kind: 'invalid' })
  })
})

test('a write waits for the lock of a job and gives up after the time limit', async () => {
  const { job, job_id } = setUp()
  await job.put({ shapes: [box] })
  await db.transaction().execute(async (tx) => {
    await tx.selectFrom('jobs').select('job_id').where('job_id', '=', job_id).forUpdate().execute()
    const settings = { ...deps.settings, lockWaitMs: 100 }
    const impatient = openJob(annotationHandlers({ ...deps, settings }), job_id)
    await expect(impatient.patch('create', { shapes: [box] })).rejects.toMatchObject({
      kind: 'conflict',
      code: 'annotations_locked',
      retry_after: 2,
    })
  })
})

test('a write emits one event and sends it to projects-svc before it returns', async () => {
  const { job, job_id, task_id, workspace } = setUp()
  const { set } = await job.put({ shapes: [box, box], tracks: [track] })
  const ids = {
    tags: [],
    shapes: set.shapes.map((one) => one.id),
    tracks: set.tracks.map((one) => one.id),
  }
  const counts = { tags: 0, shapes: 2, tracks: 1, is_annotated: true, ids }
  const jobs = [{ job_id, revision: 1, ...counts }]
  const change = { task_id, project_id: 7, action: 'replace', jobs }
  const events = await db
    .selectFrom('outbox')
    .selectAll()
    .where('key', '=', `task:${task_id}`)
    .execute()
  expect(events.map((one) => one.data)).toEqual([change])
  expect(workspace.notifications).toEqual([{ event_id: events[0]?.event_id, change }])
})

test('the event has counts of created and deleted objects when the action does not imply them', async () => {
  const { job, workspace } = setUp()
  const detailsOf = (at: number) => workspace.notifications[at]?.change.jobs[0]?.by_action
  await job.put({ shapes: [box, box] })
  expect(detailsOf(0)).toBeUndefined()
  await job.put({ shapes: [box], tracks: [track] })
  expect(detailsOf(1)).toEqual({ create: { shapes: 1, tracks: 1 }, delete: { shapes: 2 } })
  await job.put({})
  expect(detailsOf(2)).toEqual({ delete: { shapes: 1, tracks: 1 } })
})

test('the event leaves out the ids of more than a hundred objects', async () => {
  const { job, workspace } = setUp()
  await job.put({ shapes: Array.from({ length: 101 }, () => box) })
  expect(workspace.notifications[0]?.change.jobs[0]).toMatchObject({ shapes: 101 })
  expect(workspace.notifications[0]?.change.jobs[0]?.ids).toBeUndefined()
})

test('a read fills in attributes that were added to a label after the write', async () => {
  const { job, task, workspace, job_id } = setUp()
  await job.put({ shapes: [box], tags: [{ frame: 0, label_id: 40 }], tracks: [track] })
  const { labels } = workspace
  labels.labels_revision += 1
  const [car] = labels.labels
  const rest = car?.attributes.filter((one) => one.id !== 91) ?? []
  if (car)
    car.attributes = [
      ...rest,
      attributeOf({ id: 99, name: 'état', mutable: true, default_value: 'à neuf' }),
    ]

  const values = [
    { spec_id: 90, value: 'red' },
    { spec_id: 92, value: 'false' },
    { spec_id: 99, value: 'à neuf' },
  ]
  for (const { set } of [await job.get(), await task.get()]) {
    expect(set.shapes[0]?.attributes).toEqual(values)
    expect(set.tags[0]?.attributes).toEqual(values)
    expect(set.tracks[0]?.attributes).toEqual([])
    expect(set.tracks[0]?.shapes[1]?.attributes).toEqual(values)
  }
  await job.put((await job.get()).set)
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('job_id', '=', job_id)
    .executeTakeFirstOrThrow()
  expect(row.labels_revision).toBe(2)
})
