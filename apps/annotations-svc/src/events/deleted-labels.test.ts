import { labelsChanged } from '@reticle/contracts/events/labels'
import { labelOf } from '@reticle/contracts/testing/records'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { dropDeletedLabels } from '../history/store/deleted-labels.ts'
import { sweepHistory } from '../history/store/sweep.ts'
import { openHistory, sameLabels } from '../testing/history.ts'
import { box, joint, skeleton, track } from '../testing/objects.ts'
import { openService, part } from '../testing/workspace.ts'
import { eventHandler } from './consumer.ts'

/** A restore that fails because of deleted labels names them, although labels are stored in another service. */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, setUp, receive } = openService(db)
const { restore, setAt } = openHistory(db, service)

let lastId = 1000
function newId(): number {
  lastId += 1
  return lastId
}

/** Creates a task with labels of these names, under ids that no other test uses. */
function setUpLabels(...names: string[]) {
  const opened = setUp()
  const { workspace, task_id } = opened
  const labels = names.map((name) => labelOf({ id: newId(), name }))
  workspace.labels = { labels_revision: 1, labels }
  const ids = labels.map(({ id }) => id)
  const deleteLabels = async (
    deleted: readonly number[],
    { isNamed = true, by = receive } = {},
  ) => {
    const removed = workspace.labels.labels.filter(({ id }) => deleted.includes(id))
    const left = workspace.labels.labels.filter(({ id }) => !deleted.includes(id))
    const labels_revision = workspace.labels.labels_revision + 1
    workspace.labels = { labels_revision, labels: left }
    await by(labelsChanged, {
      ...{ ...sameLabels, labels_revision, task_ids: [task_id] },
      deleted_label_ids: removed.flatMap(({ id, sublabels }) => [
        id,
        ...sublabels.map((one) => one.id),
      ]),
      ...(isNamed && { deleted_labels: removed.map(({ id, name }) => ({ id, name })) }),
    })
  }
  return { ...opened, ids, deleteLabels }
}

const boxOf = (label_id: number) => ({ ...box, label_id })

async function keptNames(ids: readonly number[]): Promise<string[]> {
  const rows = await db
    .selectFrom('deleted_labels')
    .select('name')
    .where('label_id', 'in', ids)
    .orderBy('label_id')
    .execute()
  return rows.map(({ name }) => name)
}

describe('a restore that fails because of deleted labels', () => {
  test('the error names each label once, or its id when the name is unknown', async () => {
    const { job, job_id, ids, deleteLabels } = setUpLabels('car', 'a "red" bus', 'tram', 'car')
    const [car = 0, bus = 0, tram = 0, second = 0] = ids
    await job.put({ shapes: [second, tram, bus, car, car].map(boxOf) })
    await deleteLabels([car, bus])
    await deleteLabels([tram], { isNamed: false })
    await deleteLabels([second])
    await expect(restore(job_id, 1)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'label_missing',
      message: expect.stringContaining(
        `Revision 1 cannot be restored: it has objects of labels that were deleted since: "car", "a "red" bus", id ${tram}.`,
      ),
      more: {
        missing: ids,
        missing_labels: [
          { id: car, name: 'car' },
          { id: bus, name: 'a "red" bus' },
          { id: tram, name: null },
          { id: second, name: 'car' },
        ],
      },
    })
    expect((await job.get()).set.shapes).toEqual([])
  })

  test.each([
    ['a tag', (label_id: number) => ({ tags: [{ frame: 1, label_id }] })],
    ['a track', (label_id: number) => ({ tracks: [{ ...track(0, 3), label_id }] })],
    ['a box', (label_id: number) => ({ shapes: [boxOf(label_id)] })],
  ])('the error names the label of %s that was deleted before its label', async (_, setOf) => {
    const { job, job_id, ids, deleteLabels } = setUpLabels('car', 'bus')
    const [car = 0] = ids
    await job.put(setOf(car))
    await job.put({})
    await deleteLabels([car])
    await expect(restore(job_id, 1)).rejects.toMatchObject({
      code: 'label_missing',
      message: expect.stringContaining('deleted since: "car".'),
    })
  })

  test('the error names a skeleton but not its sublabels', async () => {
    const { job, job_id, workspace, deleteLabels } = setUpLabels()
    const [id, head, foot] = [newId(), newId(), newId()]
    const sublabels = [part(head, 'head'), part(foot, 'foot')]
    workspace.labels.labels = [labelOf({ id, name: 'person', type: 'skeleton', sublabels })]
    await job.put({ shapes: [{ ...skeleton, label_id: id, elements: [joint(head), joint(foot)] }] })
    await deleteLabels([id])
    await expect(restore(job_id, 1)).rejects.toMatchObject({
      more: { missing_labels: [{ id, name: 'person' }] },
    })
  })

  test('the error names the first ten of thousands and fits into a gRPC trailer', async () => {
    const longest = '😀'.repeat(64)
    const names = Array.from({ length: 3000 }, (_, at) => (at < 9 ? longest : `label ${at}`))
    const { job, job_id, ids, deleteLabels } = setUpLabels(...names)
    await job.put({ shapes: ids.map(boxOf) })
    await deleteLabels(ids)
    const error = await restore(job_id, 1).then(String, (thrown) => thrown)
    expect(error).toMatchObject({
      message: expect.stringContaining('"label 9" and 2990 more.'),
      more: { missing: ids.slice(0, 10) },
    })
    expect(error.more.missing_labels).toHaveLength(10)
    expect(Buffer.byteLength(JSON.stringify(error))).toBeLessThan(8 * 1024)
  })

  test('the error names a label that the task had before it moved into a project', async () => {
    const { job, job_id, task_id, ids, workspace, deleteLabels } = setUpLabels('car', 'bus')
    const [car = 0, bus = 0] = ids
    await job.put({ shapes: [boxOf(car), boxOf(bus)] })
    await deleteLabels([car])
    const to = newId()
    workspace.labels = { labels_revision: 1, labels: [labelOf({ id: to, name: 'bus' })] }
    const replaced_labels = [{ from: bus, to }]
    await receive(labelsChanged, { ...sameLabels, task_id, task_ids: [task_id], replaced_labels })
    await expect(restore(job_id, 1)).rejects.toMatchObject({
      more: { missing_labels: [{ id: car, name: 'car' }] },
    })
    expect((await setAt(job_id, 1)).shapes).toMatchObject([{ label_id: car }, { label_id: to }])
  })
})

describe('names of deleted labels', () => {
  const dayMs = 86_400_000
  const sweep = (days: number, historyDays = 90) =>
    sweepHistory(db, { historyDays }, new Date(Date.now() + days * dayMs))

  test('a name is kept while a revision may have objects of the label', async () => {
    const { job, job_id, ids, deleteLabels } = setUpLabels('car')
    await job.put({ shapes: ids.map(boxOf) })
    await deleteLabels(ids)
    await sweep(89)
    await expect(restore(job_id, 1)).rejects.toMatchObject({ code: 'label_missing' })
    expect(await keptNames(ids)).toEqual(['car'])
    await sweep(91)
    await expect(restore(job_id, 1)).rejects.toMatchObject({ code: 'revision_expired' })
    expect(await keptNames(ids)).toEqual([])
  })

  test('the oldest names beyond a maximum number are dropped', async () => {
    await dropDeletedLabels(db, 'infinity')
    const { ids, deleteLabels } = setUpLabels('a', 'b', 'c', 'd')
    for (const id of ids) await deleteLabels([id])
    await dropDeletedLabels(db, new Date(0), 2)
    expect(await keptNames(ids)).toEqual(['c', 'd'])
  })

  test('no names are kept without history', async () => {
    const { ids, deleteLabels } = setUpLabels('car')
    const by = createDeliverer(
      db,
      eventHandler(() => undefined, { historyDays: 0 }),
    )
    await deleteLabels(ids, { by })
    expect(await keptNames(ids)).toEqual([])
    const kept = setUpLabels('bus')
    await kept.deleteLabels(kept.ids)
    await sweep(0, 0)
    expect(await keptNames(kept.ids)).toEqual([])
  })
})
