import { setTimeout as sleep } from 'node:timers/promises'
import { labelsChanged } from '@reticle/contracts/events/labels'
import { attributeOf, labelOf } from '@reticle/contracts/testing/records'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { box, joint, keyframe, skeleton, track } from '../testing/objects.ts'
import {
  bodyOf,
  type FakeWorkspace,
  openService,
  part,
  readAnswer,
  user,
} from '../testing/workspace.ts'
import { sweepLabels } from './sweep.ts'

const { db } = await testDatabase<AnnotationsDb>([{ schema: 'annotations', migrations }])
const { deps, service, setUp, receive } = openService(db)

const moving = track(0, 3)
const set = { tags: [{ frame: 0, label_id: 40 }], shapes: [box, skeleton], tracks: [moving] }

/** Runs the sweep to its end and returns its log entries per job. */
async function sweep(signal = new AbortController().signal) {
  const notifications: { job_id: number; rewritten: number; removed: number }[] = []
  const info = (about: (typeof notifications)[number]) => notifications.push(about)
  const isMore = await sweepLabels(
    { ...deps, log: Object.assign(Object.create(deps.log), { info }) },
    signal,
  )
  return { isMore, notifications }
}

/** Finishes the work that the previous test left for the sweep. */
beforeEach(async () => void (await sweep()))

const rowOf = (job_id: number) =>
  db.selectFrom('jobs').selectAll().where('job_id', '=', job_id).executeTakeFirstOrThrow()

const note = attributeOf({ id: 94, name: 'note', default_value: 'none' })

/** Changes labels in projects-svc; the event is pending until `receive`. */
function relabel(
  { labels }: FakeWorkspace,
  change: (car: FakeWorkspace['labels']['labels'][0]) => void,
) {
  labels.labels_revision += 1
  const [car] = labels.labels
  if (car) change(car)
  return labels.labels_revision
}

const add = (workspace: FakeWorkspace) =>
  relabel(workspace, (car) => car.attributes.push({ ...note }))

function announce(task_id: number, labels_revision: number, more: object = {}) {
  const ids = { task_ids: [task_id], deleted_label_ids: [], deleted_spec_ids: [] }
  const replaced = { replaced_labels: [], replaced_specs: [] }
  const affected_label_ids = [40]
  const owner = { project_id: 7, task_id: null }
  return receive(labelsChanged, {
    ...{ ...owner, ...ids, ...replaced, affected_label_ids, labels_revision },
    ...more,
  })
}

describe('reads after a label change', () => {
  test.each(['event', 'reader'])(
    'the entity tag changes once, by the %s that comes first',
    async (first) => {
      const { job, job_id, task_id, workspace } = setUp()
      const before = await job.put(set)
      const revision = add(workspace)
      if (first === 'event') await announce(task_id, revision)
      const after = await job.get()
      if (first === 'reader') await announce(task_id, revision)
      expect(after.etag).not.toBe(before.etag)
      expect(after.set.shapes.at(-1)?.attributes).toContainEqual({ spec_id: 94, value: 'none' })
      expect(await job.get()).toEqual(after)
      expect((await rowOf(job_id)).revision).toBe(2)
    },
  )

  test.each([
    ['added', 3, (car) => void car.attributes.push({ ...note })],
    ['deleted', 3, (car) => void car.attributes.splice(0, 1)],
    ['mutable', 1, (car) => void Object.assign(car.attributes[1] ?? {}, { mutable: true })],
    ['immutable', 1, (car) => void Object.assign(car.attributes[0] ?? {}, { mutable: false })],
  ] satisfies [string, number, (car: FakeWorkspace['labels']['labels'][0]) => void][])(
    'is the same before and after the sweep: an attribute is %s',
    async (_, rewritten, change) => {
      const { job, task, job_id, task_id, workspace } = setUp()
      const values = [{ spec_id: 90, value: 'blue' }]
      const [start = keyframe(0), end = keyframe(3)] = moving.shapes
      const shapes = [{ ...start, attributes: values }, end]
      const before = await job.put({ ...set, tracks: [{ ...moving, shapes }] })
      await announce(task_id, relabel(workspace, change))
      const [stale, whole] = [await job.get(), await task.get()]
      expect(stale.set).not.toEqual(before.set)
      expect((await sweep()).notifications).toMatchObject([{ job_id, rewritten, removed: 0 }])
      expect(await rowOf(job_id)).toMatchObject({ labels_revision: 2, labels_sweep: null })
      expect([await job.get(), await task.get()]).toEqual([
        { ...stale, length: expect.any(Number) },
        whole,
      ])
      expect((await sweep()).notifications).toEqual([])
    },
  )

  test('a read of a locked job is complete and has a unique entity tag', async () => {
    const { job, task, job_id, workspace } = setUp()
    const [{ etag }, whole] = [await job.put(set), await task.get()]
    add(workspace)
    const responseRows = await db.startTransaction().execute()
    await sql`select from jobs where job_id = ${job_id} for update`.execute(responseRows)
    const meanwhile = await job.get()
    expect(meanwhile.set.tags[0]?.attributes).toContainEqual({ spec_id: 94, value: 'none' })
    expect([etag, (await job.get()).etag]).not.toContain((await task.get()).etag)
    expect((await task.get()).etag).not.toBe(whole.etag)
    await responseRows.rollback().execute()
    const after = await job.get()
    expect(new Set([etag, meanwhile.etag, after.etag]).size).toBe(3)
    expect(after.set).toEqual(meanwhile.set)
  })

  test('a job without objects of the label keeps its entity tag and rows', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    const before = await job.put({ shapes: [skeleton] })
    await announce(task_id, add(workspace))
    expect(await rowOf(job_id)).toMatchObject({ labels_revision: 2, revision: 1 })
    expect(await job.get()).toEqual(before)
    expect((await sweep()).notifications).toEqual([])
  })
})

test('a write with an entity tag from before a label change is rejected', async () => {
  const { job, workspace } = setUp()
  const { etag } = await job.put(set)
  add(workspace)
  const write = job.patch('create', { shapes: [box] }, etag)
  await expect(write).rejects.toMatchObject({ code: 'annotations_changed' })
})

test.each(['create', 'update', 'delete'])(
  'a %s returns the entity tag that the next read has',
  async (way) => {
    const { job, workspace } = setUp()
    const [tag] = (await job.put(set)).set.tags
    add(workspace)
    const tags = way === 'create' ? set.tags : [{ id: tag?.id }]
    const { etag } = await job.patch(way, { tags })
    expect((await job.get()).etag).toBe(etag)
  },
)

test('elements of a deleted sublabel are removed, and skeletons without elements are deleted', async () => {
  const { job, job_id, task_id, workspace } = setUp()
  const before = await job.put({ shapes: [box, skeleton, { ...skeleton, elements: [joint(42)] }] })
  const person = workspace.labels.labels[1]
  const revision = relabel(workspace, () => person?.sublabels.shift())
  await announce(task_id, revision, { deleted_label_ids: [42], affected_label_ids: [41] })
  const stale = await job.get()
  expect(stale.etag).not.toBe(before.etag)
  expect(stale.set.shapes.map((one) => one.elements.map((part) => part.label_id))).toEqual([
    [43],
    [],
  ])
  const { revision: raised } = await rowOf(job_id)
  await sweep()
  expect(await rowOf(job_id)).toMatchObject({ revision: raised, shapes: 2, labels_revision: 2 })
  expect(await job.get()).toMatchObject({ set: stale.set, etag: stale.etag })
  const event = await db
    .selectFrom('outbox')
    .select('data')
    .where('key', '=', `task:${task_id}`)
    .orderBy('id', 'desc')
    .executeTakeFirst()
  expect(event?.data).toMatchObject({ action: 'delete', jobs: [{ job_id, shapes: 1 }] })
})

test('a deleted and a changed label in one event raise the revision once', async () => {
  const { job, job_id, task_id, workspace } = setUp()
  await job.put(set)
  const revision = add(workspace)
  workspace.labels.labels.pop()
  await announce(task_id, revision, { deleted_label_ids: [41, 42, 43] })
  expect(await rowOf(job_id)).toMatchObject({ revision: 2, shapes: 1, labels_noted: 2 })
  await sweep()
  expect((await job.get()).set.shapes).toHaveLength(1)
})

test.each([
  ['is waited for', 50, '2'],
  ['is not waited for when it takes long', 1000, '1-2'],
])('during a read, the transaction of the label event %s', async (_, ms, tag) => {
  const { job, job_id, workspace } = setUp()
  await job.put(set)
  const labels_noted = add(workspace)
  const reading = await db.transaction().execute(async (tx) => {
    await sql`update jobs set revision = revision + 1, labels_noted = ${labels_noted}
      where job_id = ${job_id}`.execute(tx)
    const answer = job.get().then(({ etag }) => etag)
    await Promise.race([answer, sleep(ms)])
    return { answer }
  })
  expect(await reading.answer).toBe(`"a${job_id}-${tag}"`)
})

test('values move along when a task moves to a label with different mutability', async () => {
  const { job, task_id, workspace } = setUp()
  const own = [{ spec_id: 91, value: 'Fiat' }]
  await job.put({ tracks: [{ ...moving, attributes: own }] })
  const attributes = [attributeOf({ id: 191, mutable: true })]
  workspace.labels = { labels_revision: 1, labels: [labelOf({ id: 140, attributes })] }
  await announce(task_id, 1, {
    ...{ project_id: null, task_id, affected_label_ids: [] },
    replaced_labels: [{ from: 40, to: 140 }],
    replaced_specs: [{ from: 91, to: 191 }],
  })
  await sweep()
  const [moved] = (await job.get()).set.tracks
  expect(moved).toMatchObject({ label_id: 140, attributes: [] })
  for (const one of moved?.shapes ?? [])
    expect(one.attributes).toEqual([{ spec_id: 191, value: 'Fiat' }])
})

describe('the sweep', () => {
  const many = 20_000

  /** Creates a job with many tags under the first labels, marked as older than the current ones. */
  async function setUpMany() {
    const opened = setUp()
    const { job, task_id, job_id, workspace } = opened
    await job.put({ tags: [{ frame: 0, label_id: 40 }] })
    const { generation } = await rowOf(job_id)
    await sql`insert into tags select ${task_id}, ${job_id}, 1, 40, 10000000 + n, 0, 0, null, ${generation}
      from generate_series(1, ${many}) n`.execute(db)
    await sql`update jobs set tags = tags + ${many} where job_id = ${job_id}`.execute(db)
    await announce(task_id, add(workspace))
    return opened
  }

  /** Stops the sweep after some batches. */
  async function sweepSome(job_id: number) {
    const stopping = new AbortController()
    const stopped = sweep(stopping.signal)
    await vi.waitFor(
      async () => expect((await rowOf(job_id)).labels_sweep).toMatchObject({ kind: 'tag' }),
      { timeout: 60_000, interval: 1 },
    )
    stopping.abort()
    return stopped
  }

  test('the sweep continues where it was stopped, and replicas share the work', async () => {
    const { job_id } = await setUpMany()
    expect((await sweepSome(job_id)).notifications).toEqual([])
    expect(await rowOf(job_id)).toMatchObject({ labels_revision: 1, labels_noted: 2 })
    const { xmin: first } = await version()
    const rounds: Awaited<ReturnType<typeof sweep>>[] = []
    while ((await rowOf(job_id)).labels_revision === 1)
      rounds.push(...(await Promise.all([sweep(), sweep()])))
    const sum = rounds
      .flatMap((one) => one.notifications)
      .reduce((all, one) => all + one.rewritten, 0)
    expect(sum).toBeLessThan(many)
    expect((await version()).xmin).toBe(first)
    expect((await incomplete(job_id)).rows).toEqual([{ count: 0 }])
  }, 60_000)

  const version = async () => {
    const { rows } = await sql<{ xmin: string }>`
      select xmin::text from tags where id = 10000001`.execute(db)
    return rows[0] ?? { xmin: '' }
  }
  const incomplete = (job_id: number, spec = 94) =>
    sql<{ count: number }>`select count(*)::int as count from tags
      where job_id = ${job_id} and attributes not like ${`%"spec_id":${spec}%`}`.execute(db)

  test('the sweep loses no concurrent write', async () => {
    const { job, job_id } = await setUpMany()
    const swept = (async () => {
      while ((await sweep()).isMore);
    })()
    const kept: number[] = []
    for (let round = 0; round < 10; round++) {
      const tags = [0, 1].map((group) => ({ frame: round % 5, label_id: 40, group }))
      const [one, other] = (await job.patch('create', { tags })).set.tags
      await job.patch('update', {
        tags: [{ id: one?.id, frame: (round + 3) % 5, group: 50 + round }],
      })
      await job.patch('delete', { tags: [{ id: other?.id }] })
      kept.push(one?.id ?? 0)
    }
    await swept
    await sweep()
    expect(await rowOf(job_id)).toMatchObject({ labels_revision: 2, tags: many + 11 })
    const { set: after } = await job.get()
    expect(after.tags).toHaveLength(many + 11)
    const groups = new Map(after.tags.map((tag) => [tag.id, tag.group]))
    expect(kept.map((id) => groups.get(id))).toEqual(kept.map((_, round) => 50 + round))
    expect((await incomplete(job_id)).rows).toEqual([{ count: 0 }])
  }, 60_000)

  test('the sweep runs again for writes that were checked with older labels', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put(set)
    async function* body() {
      await announce(task_id, add(workspace))
      await sweep()
      yield* bodyOf({ shapes: [box] })
    }
    const input = { id: job_id, action: 'create', body: body() }
    const written = await readAnswer(service.updateJobAnnotations(input, user()))
    const read = await job.get()
    expect(read.etag).not.toBe(written.etag)
    for (const shape of read.set.shapes.filter((one) => one.label_id === 40))
      expect(shape.attributes).toContainEqual({ spec_id: 94, value: 'none' })
    expect((await sweep()).notifications).toMatchObject([{ job_id, rewritten: 1 }])
    expect(await job.get()).toMatchObject({ set: read.set, etag: read.etag })
  })

  test('the sweep restarts when such a write inserts rows behind its position', async () => {
    const { job, job_id, task_id, workspace } = await setUpMany()
    await sweep()
    async function* body() {
      await announce(
        task_id,
        relabel(workspace, (car) => void car.attributes.push({ ...note, id: 95 })),
      )
      await sweepSome(job_id)
      yield* bodyOf({ tags: [{ frame: 0, label_id: 40 }] })
    }
    const input = { id: job_id, action: 'create', body: body() }
    await readAnswer(service.updateJobAnnotations(input, user()))
    expect((await rowOf(job_id)).labels_revision).toBe(2)
    await job.get()
    await sweep()
    expect(await rowOf(job_id)).toMatchObject({ labels_revision: 3, tags: many + 2 })
    expect((await incomplete(job_id, 95)).rows).toEqual([{ count: 0 }])
  }, 60_000)

  test('the sweep skips a locked job, and a job whose labels changed again', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put(set)
    await announce(task_id, add(workspace))
    const responseRows = await db.startTransaction().execute()
    await sql`select from jobs where job_id = ${job_id} for update`.execute(responseRows)
    expect(await sweep()).toEqual({ isMore: true, notifications: [] })
    await responseRows.rollback().execute()
    await announce(task_id, 3)
    expect(await sweep()).toEqual({ isMore: true, notifications: [] })
    relabel(workspace, (car) => car.attributes.pop())
    expect(await sweep()).toMatchObject({ isMore: false, notifications: [{ job_id }] })
    expect(await rowOf(job_id)).toMatchObject({ labels_revision: 3, labels_sweep: null })
  })

  test('the sweep skips a deleted task', async () => {
    const { job, job_id, task_id, workspace } = setUp()
    await job.put(set)
    await announce(task_id, add(workspace))
    workspace.task_id = 0
    expect(await sweep()).toEqual({ isMore: false, notifications: [] })
    await db.deleteFrom('jobs').where('job_id', '=', job_id).execute()
  })
})

test('elements of a skeleton get new attributes', async () => {
  const { job, task_id, workspace } = setUp()
  await job.put(set)
  const person = workspace.labels.labels[1]
  const revision = relabel(workspace, () => {
    if (person) person.sublabels = [{ ...part(42, 'head'), attributes: [note] }, part(43, 'foot')]
  })
  await announce(task_id, revision, { affected_label_ids: [41] })
  await sweep()
  const elements = (await job.get()).set.shapes.find((one) => one.label_id === 41)?.elements
  expect(elements?.map((one) => one.attributes)).toEqual([[{ spec_id: 94, value: 'none' }], []])
})
