import { labelsChanged } from '@reticle/contracts/events/labels'
import { projectDeleted } from '@reticle/contracts/events/projects'
import { draftDropped, jobCreated, jobDeleted, taskDeleted } from '@reticle/contracts/events/tasks'
import {
  attributeOf,
  jobRecord,
  labelOf,
  projectRecord,
  taskRecord,
} from '@reticle/contracts/testing/records'
import { testDb } from '@reticle/kit/testing/db'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { box, skeleton, track } from '../testing/objects.ts'
import { bodyOf, openService, part, user } from '../testing/workspace.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { service, workspaces, setUp, receive } = openService(db)

const set = {
  tags: [{ frame: 0, label_id: 40 }],
  shapes: [box, skeleton, { ...box, frame: 6 }],
  tracks: [track(0, 7)],
}

const jobsOf = (task_id: number) =>
  db.selectFrom('jobs').selectAll().where('task_id', '=', task_id).orderBy('job_id').execute()

async function rowsOf(task_id: number): Promise<number> {
  const counts = await Promise.all(
    (['tags', 'shapes', 'tracks'] as const).map((table) =>
      db.selectFrom(table).select('id').where('task_id', '=', task_id).execute(),
    ),
  )
  return counts.flat().length
}

test('a new job is inserted once by its event', async () => {
  const job = jobRecord({ id: 5001, task_id: 500 })
  await receive(jobCreated, { job })
  await receive(jobCreated, { job })
  expect(await jobsOf(500)).toMatchObject([{ job_id: 5001, revision: 0 }])
})

test('the deletion of a job deletes its annotations and keeps those of other jobs', async () => {
  const { task, task_id, job_id } = setUp()
  await task.put(set)
  await receive(jobDeleted, { job: jobRecord({ id: job_id, task_id }) })
  expect((await jobsOf(task_id)).map((one) => one.job_id)).not.toContain(job_id)
  // A shape, and the pieces of the track in two jobs.
  expect(await rowsOf(task_id)).toBe(3)
})

test('the deletion of a task deletes its annotations', async () => {
  const [deleted, kept] = [setUp(), setUp()]
  await deleted.task.put(set)
  await kept.task.put(set)
  await receive(taskDeleted, { task: taskRecord({ id: deleted.task_id }), job_ids: [] })
  expect([await rowsOf(deleted.task_id), (await jobsOf(deleted.task_id)).length]).toEqual([0, 0])
  // A tag, three shapes, and the track, which is visible in all three jobs.
  expect(await rowsOf(kept.task_id)).toBe(7)
})

test('annotations of tasks in a dropped draft are deleted', async () => {
  const [deleted, kept] = [setUp(), setUp()]
  await deleted.task.put(set)
  await kept.task.put(set)
  await receive(draftDropped, { draft_id: 'd', task_ids: [deleted.task_id] })
  expect([await rowsOf(deleted.task_id), await rowsOf(kept.task_id)]).toEqual([0, 7])
})

test('a task that is deleted while a body arrives keeps none of the objects', async () => {
  const { task_id, workspace } = setUp()
  async function* body() {
    workspaces.splice(workspaces.indexOf(workspace), 1)
    await receive(taskDeleted, { task: taskRecord({ id: task_id }), job_ids: [] })
    yield* bodyOf(set)
  }
  const write = service.replaceTaskAnnotations({ id: task_id, body: body() }, user())
  await expect(write).rejects.toMatchObject({ kind: 'not_found' })
  expect([await rowsOf(task_id), (await jobsOf(task_id)).length]).toEqual([0, 0])
})

test('the deletion of a project deletes the annotations of its tasks', async () => {
  const { task, task_id } = setUp()
  await task.put(set)
  await receive(projectDeleted, { project: projectRecord({ id: 7 }), task_ids: [task_id] })
  expect(await rowsOf(task_id)).toBe(0)
})

describe('labels', () => {
  const change = {
    ...{
      project_id: 7,
      task_id: null,
      labels_revision: 2,
      deleted_label_ids: [],
      deleted_spec_ids: [],
    },
    ...{ replaced_labels: [], replaced_specs: [] },
  }

  test.each(['put', 'create', 'update'])(
    'a %s that was checked before a label was deleted is rejected',
    async (way) => {
      const { job, job_id, task_id } = setUp()
      const { set: before } = await job.put({ shapes: [skeleton] })
      const shapes = way === 'update' ? [{ id: before.shapes[0]?.id, group: 2 }] : [box]
      async function* body() {
        await receive(labelsChanged, { ...change, task_ids: [task_id], deleted_label_ids: [40] })
        yield* bodyOf({ shapes })
      }
      const input = { id: job_id, body: body() }
      const write =
        way === 'put'
          ? service.replaceJobAnnotations(input, user())
          : service.updateJobAnnotations({ ...input, action: way }, user())
      await expect(write).rejects.toMatchObject({ kind: 'conflict', code: 'annotations_locked' })
      expect((await job.get()).set).toEqual(before)
    },
  )

  test('the deletion of a label deletes its objects with counts, a new revision and an event', async () => {
    const { task, task_id, workspace } = setUp()
    const { etag } = await task.put(set)
    await receive(labelsChanged, { ...change, task_ids: [task_id], deleted_label_ids: [40] })
    const after = await task.get()
    expect(after.set).toMatchObject({ tags: [], shapes: [{ label_id: 41 }], tracks: [] })
    expect(after.etag).not.toBe(etag)
    expect(await jobsOf(task_id)).toMatchObject([
      { tags: 0, shapes: 1, tracks: 0, revision: 2 },
      { tags: 0, shapes: 0, tracks: 0, revision: 2 },
      { tags: 0, shapes: 0, tracks: 0, revision: 2 },
    ])
    const events = await db
      .selectFrom('outbox')
      .select('data')
      .where('key', '=', `task:${task_id}`)
      .orderBy('id')
      .execute()
    expect(events.at(-1)?.data).toMatchObject({
      action: 'delete',
      jobs: [
        { tags: 1, shapes: 1, tracks: 1, is_annotated: true },
        { shapes: 1, tracks: 1, is_annotated: false },
        { shapes: 0, tracks: 1, is_annotated: false },
      ],
    })
    expect(workspace.notifications).toHaveLength(1)
  })

  test('a label change without deletions does not change annotations', async () => {
    const { task, task_id } = setUp()
    const { etag } = await task.put(set)
    await receive(labelsChanged, { ...change, task_ids: [task_id], affected_label_ids: [] })
    expect((await task.get()).etag).toBe(etag)
  })

  test('elements of a deleted sublabel are no longer returned', async () => {
    const { job, task_id, workspace } = setUp()
    await job.put({ shapes: [skeleton] })
    const { labels } = workspace
    labels.labels_revision = 2
    const person = labels.labels[1]
    if (person) person.sublabels = person.sublabels.filter((one) => one.id !== 42)
    await receive(labelsChanged, { ...change, task_ids: [task_id], deleted_label_ids: [42] })
    expect((await job.get()).set.shapes[0]?.elements.map((one) => one.label_id)).toEqual([43])
  })

  test('a task that moved has the labels and attributes of its new project', async () => {
    const { task, task_id, workspace } = setUp()
    const tricky = '{"spec_id":91,"label_id":40,'
    const shapes = [{ ...box, attributes: [{ spec_id: 91, value: tricky }] }, skeleton]
    const { etag } = await task.put({ ...set, shapes })
    const attributes = [
      attributeOf({ id: 191, default_value: '-' }),
      attributeOf({ id: 190, mutable: true, values: ['red'] }),
    ]
    const sublabels = [part(142, 'head'), part(143, 'foot')]
    workspace.labels = {
      labels_revision: 1,
      labels: [labelOf({ id: 140, attributes }), labelOf({ id: 141, sublabels })],
    }
    const pairs = (ids: number[]) => ids.map((id) => ({ from: id, to: id + 100 }))
    await receive(labelsChanged, {
      ...{ ...change, project_id: null, task_id, task_ids: [task_id] },
      replaced_labels: pairs([40, 41, 42, 43]),
      replaced_specs: pairs([90, 91]),
    })
    const after = await task.get()
    expect(after.etag).not.toBe(etag)
    expect(after.set.shapes).toMatchObject([
      { label_id: 141, elements: [{ label_id: 142 }, { label_id: 143 }] },
      {
        label_id: 140,
        attributes: [
          { spec_id: 191, value: tricky },
          { spec_id: 190, value: 'red' },
        ],
      },
    ])
    expect(after.set.tags).toMatchObject([{ label_id: 140 }])
    expect(after.set.tracks[0]?.shapes[1]?.attributes).toEqual([{ spec_id: 190, value: 'red' }])
  })
})
