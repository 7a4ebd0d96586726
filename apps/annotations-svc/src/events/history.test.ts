import { randomUUID } from 'node:crypto'
import { labelsChanged } from '@reticle/contracts/events/labels'
import { taskDeleted } from '@reticle/contracts/events/tasks'
import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import { revisionList } from '@reticle/contracts/rest/history'
import { encodeShape, rowLinesHeader } from '@reticle/contracts/row-lines'
import { labelOf, taskRecord, userRecord } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { annotationHandlers } from '../annotations/rpc.ts'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { sweepHistory } from '../history/store/sweep.ts'
import { openHistory, sameLabels } from '../testing/history.ts'
import { box, keyframe, track } from '../testing/objects.ts'
import { bodyOf, openJob, openService, readAnswer, user, whole } from '../testing/workspace.ts'

/** The history of annotations: docs/spec/annotations.md#history */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { deps, service, setUp, receive } = openService(db)
const { bytesAt, setAt, restore, diff, recordsOf, revisionOf } = openHistory(db, service)

const tag = { frame: 1, label_id: 40 }

describe('records of revisions', () => {
  test('revisions of a job or a task have author, action and counts, newest first', async () => {
    const { job, job_id, second, task_id, task, workspace } = setUp()
    const { set } = await job.put({ shapes: [box, box], tags: [tag] })
    await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
    await second.patch('create', { shapes: [{ ...box, frame: 6 }] })
    await job.patch('delete', { shapes: [{ id: set.shapes[1]?.id }] })
    await job.put({ tags: [tag] })
    await restore(job_id, 2)
    await task.clear()
    const counts = (created: number, updated: number, deleted: number) => ({
      counts: { created, updated, deleted },
    })
    const records = await recordsOf(job_id)
    expect(records).toMatchObject([
      { revision: 6, action: 'delete', ...counts(0, 0, 3) },
      { revision: 5, action: 'restore', ...counts(3, 0, 1) },
      { revision: 4, action: 'replace', ...counts(1, 0, 2) },
      { revision: 3, action: 'delete', ...counts(0, 0, 1) },
      { revision: 2, action: 'update', ...counts(0, 1, 0) },
      { revision: 1, action: 'replace', ...counts(3, 0, 0) },
    ])
    expect(records[0]).toEqual({
      ...{ revision: 6, job_id, action: 'delete', ...counts(0, 0, 3), readable: true },
      created_date: expect.stringMatching(/^\d{4}-.*Z$/),
      author: { url: '/users/7', id: 7, username: 'user7', first_name: '', last_name: '' },
      ...{ request_id: 'test', rq_id: null },
    })
    const of = await service.listTaskRevisions({ id: task_id, page_size: '3' }, user())
    expect([of.count, of.results.length]).toEqual([8, 3])
    expect(of.results.map((one) => one.job_id)).toContain(workspace.jobs[1]?.id)
  })

  test('revisions are filtered by revision, author and action', async () => {
    const { job, job_id } = setUp()
    await job.put({ shapes: [box] })
    await service.replaceJobAnnotations({ id: job_id, body: bodyOf({}) }, callAs({ user_id: 9 }))
    const found = async (query: object) => {
      const { results } = await service.listJobRevisions({ id: job_id, ...query }, user())
      return results.map((one) => one.revision)
    }
    expect(await found({ sort: 'revision' })).toEqual([1, 2])
    expect(await found({ revision: 1 })).toEqual([1])
    expect(await found({ author: 'user9' })).toEqual([2])
    expect(await found({ action: 'delete' })).toEqual([])
    const filter = JSON.stringify({ '>=': [{ var: 'revision' }, 2] })
    expect(await found(revisionList.parse({ filter }))).toEqual([2])
  })

  test('the revision of an import names its request', async () => {
    const { job_id } = setUp()
    const query = { target: 'job' as const, id: job_id, mode: 'replace' as const }
    const line = encodeShape({
      ...{ ...box, type: 'rectangle', id: null, group: 0, source: 'file', score: 1 },
      ...{ occluded: false, outside: false, z_order: 0, rotation: 0, attributes: [], elements: [] },
    })
    const sent = {
      call_id: randomUUID(),
      rq_id: 'action=import',
      body: bodyOf(rowLinesHeader + line),
    }
    await service.writeRows({ ...query, ...sent }, user())
    expect(await recordsOf(job_id)).toMatchObject([
      { action: 'import', request_id: null, rq_id: 'action=import' },
    ])
  })

  test('authors have their current names, and none when the account was deleted', async () => {
    const { job_id } = setUp()
    const someone = callAs({ user_id: 50 })
    await service.replaceJobAnnotations({ id: job_id, body: bodyOf({ shapes: [box] }) }, someone)
    const account = userRecord({ id: 50, username: 'renamed', first_name: 'R', last_name: 'N' })
    await receive(userUpdated, { user: account, before_update: { username: 'user50' } })
    expect((await recordsOf(job_id))[0]?.author).toEqual({
      ...{ url: '/users/50', id: 50, username: 'renamed', first_name: 'R', last_name: 'N' },
    })
    await receive(userDeleted, { user: account })
    expect((await recordsOf(job_id))[0]?.author).toBeNull()
  })

  test('a call without changes makes no record, and neither does any call without history', async () => {
    const { job, job_id } = setUp()
    await job.put({})
    await job.patch('delete', { shapes: [{ id: 5 }] })
    expect(await recordsOf(job_id)).toEqual([])
    const off = openJob(withoutHistory, job_id)
    const { set } = await off.put({ shapes: [box, box] })
    await off.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
    await off.patch('delete', { shapes: [{ id: set.shapes[0]?.id }] })
    await off.put({ shapes: [box] })
    expect(await recordsOf(job_id)).toEqual([])
    expect(await storedOf(job_id)).toEqual({ live: 1, history: 0 })
  })
})

const withoutHistory = annotationHandlers({
  ...deps,
  settings: { ...deps.settings, historyDays: 0 },
})

/** Counts the live rows of a job and the rows of its history. */
async function storedOf(job_id: number) {
  const { rows } = await sql<{ live: number; history: number }>`
    select count(*) filter (where is_live)::int as live, count(*) filter (where not is_live)::int as history
    from (
      ${sql.join(
        ['shapes', 'tags', 'tracks'].map(
          (table) => sql`select jobs.generation = one.generation as is_live
            from ${sql.table(table)} as one join jobs using (job_id) where job_id = ${job_id}
            union all select false from ${sql.table(`replaced_${table}`)} where job_id = ${job_id}`,
        ),
        sql` union all `,
      )}
    ) one`.execute(db)
  return rows[0]
}

test.each(['update', 'delete'] as const)(
  'the %s of a track of a task stores each piece once in the history',
  async (action) => {
    const { task, job_id, second } = setUp()
    const { set } = await task.put({ tracks: [track(0, 9)] })
    expect((await second.get()).set.tracks).toHaveLength(1)
    await task.patch(action, { tracks: [{ id: set.tracks[0]?.id, group: 3 }] })
    expect((await storedOf(job_id))?.history).toBe(1)
  },
)

describe('a revision', () => {
  test('a revision that never existed is not found', async () => {
    const { job, job_id } = setUp()
    await expect(bytesAt(job_id, 1)).rejects.toMatchObject({ kind: 'not_found' })
    await job.put({ shapes: [box] })
    await expect(bytesAt(job_id, 2)).rejects.toMatchObject({ kind: 'not_found' })
    await expect(restore(job_id, 2)).rejects.toMatchObject({ kind: 'not_found' })
    await expect(diff(job_id, 1, 2)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a revision that was not kept is gone, and the newest one is always readable', async () => {
    const { job, job_id } = setUp()
    await openJob(withoutHistory, job_id).put({ shapes: [box] })
    await openJob(withoutHistory, job_id).put({ shapes: [box, box] })
    const expired = { kind: 'gone', code: 'revision_expired' }
    await expect(bytesAt(job_id, 1)).rejects.toMatchObject(expired)
    expect((await setAt(job_id, 2)).shapes).toHaveLength(2)
    await job.put({})
    await expect(bytesAt(job_id, 2)).rejects.toMatchObject(expired)
  })

  test('a user without permission cannot read revisions', async () => {
    const { job, job_id } = setUp()
    await job.put({ shapes: [box] })
    const stranger = callAs({ user_id: 8 })
    const calls = [
      service.listJobRevisions({ id: job_id }, stranger),
      service.getJobRevision({ id: job_id, revision: 1, ...whole }, stranger),
      service.getJobAnnotationsDiff({ id: job_id, from: 1 }, stranger),
      service.restoreJobRevision({ id: job_id, revision: 1 }, stranger),
    ]
    for (const call of calls) await expect(call).rejects.toMatchObject({ kind: 'forbidden' })
  })

  test('a revision can be read for selected frames and labels', async () => {
    const { job, job_id } = setUp()
    const joint = { type: 'points', frame: 4, label_id: 42, points: [1, 2] }
    const skeleton = { type: 'skeleton', frame: 4, label_id: 41, elements: [joint] }
    const { set } = await job.put({
      shapes: [box, { ...box, frame: 4 }, skeleton],
      tracks: [
        { ...track(0, 1), shapes: [keyframe(0), { ...keyframe(1), outside: true }] },
        track(3),
      ],
    })
    await job.put({})
    const read = async (selection: Partial<typeof whole>) => {
      const input = { id: job_id, revision: 1, ...whole, ...selection }
      return (await readAnswer(service.getJobRevision(input, user()))).set
    }
    const [first, , third] = set.shapes
    expect(await read({ frames: [{ first: 2, last: 2 }] })).toMatchObject({
      ...{ shapes: [first], tracks: [] },
    })
    expect((await read({ frames: [{ first: 4, last: 9 }] })).tracks).toEqual(set.tracks.slice(1))
    expect(await read({ label_id: [41] })).toMatchObject({ shapes: [third], tracks: [] })
  })

  test('a revision is read with the current labels', async () => {
    const { job, job_id, workspace } = setUp()
    const attributes = [{ spec_id: 91, value: 'Fiat' }]
    await job.put({ shapes: [{ ...box, attributes }] })
    await job.put({})
    workspace.labels = {
      labels_revision: 2,
      labels: workspace.labels.labels.map((one) => ({ ...one, attributes: [] })),
    }
    expect((await setAt(job_id, 1)).shapes).toMatchObject([{ label_id: 40, attributes: [] }])
    const { bytes } = await restore(job_id, 1)
    expect(JSON.parse(bytes).shapes).toMatchObject([{ label_id: 40, attributes: [] }])
  })
})

describe('a diff of two revisions', () => {
  test('a diff lists created, updated and deleted objects', async () => {
    const { job, job_id } = setUp()
    const { set } = await job.put({ shapes: [box, box, box], tags: [tag], tracks: [track(0, 3)] })
    const [first, second] = set.shapes
    await job.patch('update', { shapes: [{ id: first?.id, z_order: 4 }] })
    await job.patch('delete', { shapes: [{ id: second?.id }], tracks: set.tracks })
    const { set: added } = await job.patch('create', { tags: [tag] })
    const none = { tags: [], shapes: [], tracks: [] }
    expect(await diff(job_id, 1)).toEqual({
      ...{ from: 1, to: 4 },
      created: { ...none, tags: added.tags },
      updated: { ...none, shapes: [{ before: first, after: { ...first, z_order: 4 } }] },
      deleted: { ...none, shapes: [second], tracks: set.tracks },
    })
    expect(await diff(job_id, 3, 2)).toMatchObject({
      ...{ from: 3, to: 2, updated: none, deleted: none },
      created: { tags: [], shapes: [second], tracks: set.tracks },
    })
    expect(await diff(job_id, 2, 2)).toEqual({
      ...{ from: 2, to: 2, created: none, updated: none, deleted: none },
    })
  })

  test('a diff across a replacement has all objects, and across a restore only changed ones', async () => {
    const { job, job_id } = setUp()
    const { set: before } = await job.put({ shapes: [box], tags: [tag] })
    const { set: after } = await job.put({ shapes: [box] })
    const over = await diff(job_id, 1, 2)
    expect([over.created.shapes, over.deleted.shapes]).toEqual([after.shapes, before.shapes])
    expect(over.updated).toEqual({ tags: [], shapes: [], tracks: [] })
    await restore(job_id, 1)
    expect(await diff(job_id, 1, 3)).toMatchObject({
      created: { shapes: [] },
      deleted: { shapes: [] },
    })
  })
})

describe('a restore of a revision', () => {
  test('a restore creates a revision and an event like a PUT, respects If-Match and is applied once per call', async () => {
    const { job, job_id, workspace } = setUp()
    const { etag } = await job.put({ shapes: [box] })
    await job.put({})
    await expect(restore(job_id, 1, etag)).rejects.toMatchObject({ kind: 'precondition' })
    const call = { ...user(), call_id: randomUUID() }
    const again = () => service.restoreJobRevision({ id: job_id, revision: 1 }, call)
    const { head } = await again()
    expect(head.etag).toBe(`"a${job_id}-3"`)
    expect(workspace.notifications.at(-1)?.change).toMatchObject({
      action: 'restore',
      jobs: [{ job_id, revision: 3, shapes: 1, is_annotated: true }],
    })
    await again()
    expect(await revisionOf(job_id)).toBe(3)
  })

  test('a restore with objects of a deleted label is rejected and names the label', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put({ shapes: [box], tags: [tag] })
    workspace.labels.labels.shift()
    await receive(labelsChanged, { ...sameLabels, task_ids: [task_id], deleted_label_ids: [40] })
    expect(await recordsOf(job_id)).toMatchObject([
      { action: 'label_change', counts: { created: 0, updated: 0, deleted: 2 } },
      { action: 'replace' },
    ])
    expect((await setAt(job_id, 1)).shapes).toMatchObject([{ label_id: 40 }])
    await expect(restore(job_id, 1)).rejects.toMatchObject({
      ...{ kind: 'conflict', code: 'label_missing', more: { missing: [40] } },
    })
    expect((await job.get()).set.shapes).toEqual([])
  })

  test('a restore returns to the set from before the task got the labels of a project', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put({ shapes: [box] })
    const { set } = await job.get()
    await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 3 }] })
    await job.put({})
    workspace.labels = { labels_revision: 1, labels: [labelOf({ id: 140 })] }
    const pairs = [{ from: 40, to: 140 }]
    await receive(labelsChanged, {
      ...sameLabels,
      task_id,
      task_ids: [task_id],
      replaced_labels: pairs,
    })
    for (const [revision, z_order] of [
      [1, 0],
      [2, 3],
    ] as const) {
      const { bytes } = await restore(job_id, revision)
      expect(JSON.parse(bytes).shapes).toMatchObject([{ label_id: 140, z_order, attributes: [] }])
    }
  })
})

describe('retention', () => {
  const dayMs = 86_400_000
  const sweep = (days: number, historyDays = 90) =>
    sweepHistory(db, { historyDays }, new Date(Date.now() + days * dayMs))

  test('replaced rows are dropped after the retention time, and the revision valid then is kept', async () => {
    const { job, job_id } = setUp()
    await job.put({ shapes: [box, box], tracks: [track(0)] })
    const { set } = await job.put({ shapes: [box, box] })
    await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
    await sql`update revisions set created_date = now() - interval '91 days'
      where job_id = ${job_id} and revision <= 2`.execute(db)
    await sweep(0)
    expect((await recordsOf(job_id)).map((one) => one.readable)).toEqual([true, true, false])
    await expect(bytesAt(job_id, 1)).rejects.toMatchObject({ code: 'revision_expired' })
    expect((await setAt(job_id, 2)).shapes).toMatchObject([{ z_order: 0 }, { z_order: 0 }])
    expect(await storedOf(job_id)).toEqual({ live: 2, history: 1 })
    await sweep(91)
    await expect(bytesAt(job_id, 2)).rejects.toMatchObject({ code: 'revision_expired' })
    expect(await storedOf(job_id)).toEqual({ live: 2, history: 0 })
    expect(await setAt(job_id, 3)).toEqual((await job.get()).set)
  })

  test('a job keeps a thousand readable revisions', async () => {
    const { job, job_id } = setUp()
    const { set } = await job.put({ shapes: [box] })
    await job.put({ shapes: [box] })
    await job.put({ shapes: [box] })
    await sql`update jobs set revision = 1002 where job_id = ${job_id}`.execute(db)
    await expect(bytesAt(job_id, 2)).rejects.toMatchObject({ code: 'revision_expired' })
    expect((await recordsOf(job_id)).map((one) => one.readable)).toEqual([true, false, false])
    await sweep(0)
    expect(await storedOf(job_id)).toEqual({ live: 1, history: 0 })
    expect(set.shapes).toHaveLength(1)
  })

  test('disabling history drops all of it', async () => {
    const { job, job_id } = setUp()
    await job.put({ shapes: [box] })
    const { set } = await job.put({ shapes: [box] })
    await job.patch('delete', { shapes: set.shapes })
    await sweep(0, 0)
    expect(await recordsOf(job_id)).toEqual([])
    expect(await storedOf(job_id)).toEqual({ live: 0, history: 0 })
    await expect(bytesAt(job_id, 2)).rejects.toMatchObject({ code: 'revision_expired' })
    expect(await setAt(job_id, 3)).toMatchObject({ shapes: [] })
  })

  test('the deletion of the task deletes its history', async () => {
    const { job, job_id, task_id } = setUp()
    const { set } = await job.put({ shapes: [box] })
    await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
    await job.put({})
    await receive(taskDeleted, { task: taskRecord({ id: task_id }), job_ids: [job_id] })
    for (const table of ['shapes', 'replaced_shapes', 'revisions'] as const) {
      const rows = await db.selectFrom(table).selectAll().where('job_id', '=', job_id).execute()
      expect(rows).toEqual([])
    }
  })
})
