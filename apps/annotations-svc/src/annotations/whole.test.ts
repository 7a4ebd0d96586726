import { arrayOf, rowKinds } from '@reticle/contracts/row-lines'
import { testDb } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { bodyOf, openService, readAnswer, user } from '../testing/workspace.ts'

/** Updates that replace objects as a whole, as the CVAT-compatible dialect requires them. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp: setUpAll } = openService(db)

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const tag = { frame: 1, label_id: 40 }
const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 1, 1] }
const track = { frame: 0, label_id: 40, shapes: [keyframe, { ...keyframe, frame: 3 }] }

function setUp() {
  const all = setUpAll()
  const { job_id, workspace } = all
  const input = (id: number, set: unknown) => ({
    ...{ id, action: 'update', is_whole: true, body: bodyOf(set) },
  })
  const replaceIn = (id: number, set: unknown) =>
    readAnswer(service.updateTaskAnnotations(input(id, set), user()))
  return {
    ...all,
    replace: (set: unknown) => readAnswer(service.updateJobAnnotations(input(job_id, set), user())),
    replaceInTask: (set: unknown) => replaceIn(workspace.task_id, set),
  }
}

test('members that are not sent get their defaults', async () => {
  const { job, replace } = setUp()
  const given = { group: 3, source: 'auto', z_order: 2, rotation: 5, occluded: true, score: 0.5 }
  const values = [{ spec_id: 91, value: 'Fiat' }]
  const { set } = await job.put({ shapes: [{ ...box, ...given, attributes: values }, box] })
  const [first, second] = set.shapes
  const { set: changed } = await replace({ shapes: [{ id: first?.id, ...box, frame: 4 }] })
  expect(changed.shapes).toEqual([{ ...second, id: first?.id, frame: 4 }])
  expect((await job.get()).set.shapes).toEqual([second, ...changed.shapes])
})

test('objects without an id are created, in the order in which they were sent', async () => {
  const { job, replace } = setUp()
  const { set } = await job.put({ tags: [tag], shapes: [box], tracks: [track] })
  const [shape] = set.shapes
  const sent = {
    tags: [{ ...tag, id: null, frame: 3 }],
    shapes: [
      { ...box, frame: 3 },
      { ...box, id: shape?.id, group: 7 },
      { ...box, frame: 1 },
    ],
    tracks: [{ ...track, id: set.tracks[0]?.id, source: 'file' }, track],
  }
  const { set: answer, etag } = await replace(sent)
  expect(answer.shapes.map(({ frame, group }) => [frame, group])).toEqual([
    ...[
      [3, 0],
      [2, 7],
      [1, 0],
    ],
  ])
  expect(answer.shapes[1]?.id).toBe(shape?.id)
  expect(answer.tracks.map(({ source }) => source)).toEqual(['file', 'manual'])
  const { set: all, etag: now } = await job.get()
  expect([all.tags.length, all.shapes.length, all.tracks.length]).toEqual([2, 3, 2])
  expect(now).toBe(etag)
  for (const kind of rowKinds)
    for (const one of answer[arrayOf[kind]]) expect(all[arrayOf[kind]]).toContainEqual(one)
})

describe('in a task', () => {
  test('objects are stored in every job that has their frame', async () => {
    const { replaceInTask, job, second, task } = setUp()
    await replaceInTask({ shapes: [box, { ...box, frame: 7 }], tracks: [track] })
    expect((await job.get()).set.shapes).toHaveLength(1)
    expect((await second.get()).set.shapes).toHaveLength(1)
    const { set } = await task.get()
    expect([set.shapes.length, set.tracks.length]).toEqual([2, 1])
  })
})

test.each([
  [{ points: [1, 2, 3, 4] }, ['type', 'frame', 'label_id']],
  [{ type: 'rectangle', frame: 2, label_id: 40 }, ['points']],
])('missing members of %j are rejected and nothing is changed', async (sent, missing) => {
  const { job, replace } = setUp()
  const { set, etag } = await job.put({ shapes: [box] })
  const attempt = replace({ shapes: [{ id: set.shapes[0]?.id, ...sent }, box] })
  await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
  const refused = await attempt.catch((thrown) => thrown)
  expect(Object.keys(refused.body.shapes[0]).sort()).toEqual(missing.sort())
  expect((await job.get()).etag).toBe(etag)
})

test('unknown ids and ids that occur twice are reported', async () => {
  const { job, replace } = setUp()
  const { set } = await job.put({ shapes: [box] })
  const id = set.shapes[0]?.id
  await expect(replace({ shapes: [box, { ...box, id: 999 }] })).rejects.toMatchObject({
    code: 'annotation_not_found',
    more: { missing: { shapes: [999] } },
  })
  const twice = [{ ...box }, { ...box, id }, { ...box, id }]
  await expect(replace({ shapes: twice })).rejects.toMatchObject({
    body: { shapes: [{}, {}, { id: [`${id} is given twice`] }] },
  })
  expect((await job.get()).set.shapes).toEqual(set.shapes)
})

test('many replaced objects are returned in the order of the request', async () => {
  const { job, replace } = setUp()
  const { set } = await job.put({ shapes: [box] })
  const many = Array.from({ length: 2500 }, (_, index) => ({ ...box, z_order: index }))
  const sent = [...many, { ...box, id: set.shapes[0]?.id, z_order: -1 }]
  const { set: answer } = await replace({ shapes: sent })
  expect(answer.shapes.map((one) => one.z_order)).toEqual(sent.map((one) => one.z_order))
})
