import { setTimeout as sleep } from 'node:timers/promises'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { bodyOf, openJob, openService, readAnswer, user } from '../testing/workspace.ts'
import { annotationHandlers } from './rpc.ts'

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { deps, service, setUp } = openService(db)

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const keyframe = { type: 'rectangle', frame: 0, points: [0, 0, 1, 1] }

test('concurrent writers of one job never mix their sets, and a reader sees exactly one of them', async () => {
  const { job, job_id } = setUp()
  const setOf = (group: number) => ({
    shapes: Array.from({ length: 1500 }, () => ({ ...box, group })),
  })
  await job.put(setOf(9))
  const writers = [1, 2, 3, 4].map((group) => job.put(setOf(group)))
  const readers = Array.from({ length: 8 }, () => job.get())
  for (const { set } of await Promise.all([...readers, ...writers])) {
    expect(set.shapes).toHaveLength(1500)
    expect(new Set(set.shapes.map((one) => one.group)).size).toBe(1)
  }
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('job_id', '=', job_id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ revision: 5, shapes: 1500 })
})

test('objects created during a replacement are kept beside the new set', async () => {
  const { job, job_id } = setUp()
  await job.put({ shapes: [box, box] })
  const added = {
    shapes: Array.from({ length: 1500 }, () => box),
    tags: [{ frame: 1, label_id: 40 }],
  }
  const text = JSON.stringify(added)
  async function* body() {
    yield Buffer.from(text.slice(0, -100))
    await job.put({ shapes: [{ ...box, group: 5 }] })
    yield Buffer.from(text.slice(-100))
  }
  const input = { id: job_id, action: 'create', body: body() }
  const { set } = await readAnswer(service.updateJobAnnotations(input, user()))
  expect(set.shapes).toHaveLength(1500)
  const all = (await job.get()).set
  expect([all.tags.length, all.shapes.length]).toEqual([1, 1501])
  expect(all.shapes.filter((one) => one.group === 5)).toHaveLength(1)
  const { set: deleted } = await job.patch('delete', { shapes: all.shapes })
  expect(deleted.shapes).toHaveLength(1501)
})

describe('an update of many objects', () => {
  test('an update with a slow body does not block other writers', async () => {
    const { job, job_id } = setUp()
    const { set } = await job.put({ shapes: Array.from({ length: 4000 }, () => box) })
    const text = JSON.stringify({ shapes: set.shapes.map(({ id }) => ({ id, z_order: 5 })) })
    async function* body() {
      yield Buffer.from(text.slice(0, -100))
      await impatient.patch('create', { tags: [{ frame: 1, label_id: 40 }] })
      yield Buffer.from(text.slice(-100))
    }
    const settings = { ...deps.settings, lockWaitMs: 100 }
    const impatient = openJob(annotationHandlers({ ...deps, settings }), job_id)
    const input = { id: job_id, action: 'update', body: body() }
    const { set: changed } = await readAnswer(service.updateJobAnnotations(input, user()))
    expect(changed.shapes).toHaveLength(4000)
    expect(changed.shapes.every((one) => one.z_order === 5)).toBe(true)
    expect((await job.get()).set.tags).toHaveLength(1)
  })

  test('a body that breaks off in the middle changes nothing', async () => {
    const { job, job_id } = setUp()
    const { set, etag } = await job.put({ shapes: Array.from({ length: 4000 }, () => box) })
    const text = JSON.stringify({ shapes: set.shapes.map(({ id }) => ({ id, z_order: 5 })) })
    const input = { id: job_id, action: 'update', body: bodyOf(text.slice(0, -100)) }
    await expect(service.updateJobAnnotations(input, user())).rejects.toMatchObject({
      code: 'parse_error',
    })
    expect((await job.get()).etag).toBe(etag)
  })
})

describe('a deletion of many objects', () => {
  test('a large deletion returns the objects as they were, in batches', async () => {
    const { job, task, job_id } = setUp()
    const { set } = await task.put({
      tags: [{ frame: 1, label_id: 40 }],
      shapes: Array.from({ length: 1100 }, () => box),
      tracks: [{ frame: 0, label_id: 40, shapes: [keyframe, { ...keyframe, frame: 7 }] }],
    })
    const deleted = { ...set, shapes: [...set.shapes.toReversed(), { id: 999 }] }
    const removed = await db.transaction().execute(async (tx) => {
      await tx
        .selectFrom('jobs')
        .where('job_id', '=', job_id)
        .select('job_id')
        .forUpdate()
        .execute()
      const answer = task.patch('delete', deleted)
      await tx.updateTable('shapes').set({ z_order: 9 }).where('job_id', '=', job_id).execute()
      await sleep(200)
      return { answer }
    })
    const { set: answered, length, etag } = await removed.answer
    expect(length).toBeUndefined()
    expect(answered.shapes.map((one) => one.id)).toEqual(
      set.shapes.map((one) => one.id).toReversed(),
    )
    expect(answered.shapes.every((one) => one.z_order === 9)).toBe(true)
    expect([answered.tags, answered.tracks]).toEqual([set.tags, set.tracks])
    expect(await task.get()).toMatchObject({ set: { tags: [], shapes: [], tracks: [] }, etag })
    expect((await job.get()).set.shapes).toEqual([])
  })

  test('a large deletion with a stale entity tag deletes nothing', async () => {
    const { job } = setUp()
    const { set, etag } = await job.put({ shapes: Array.from({ length: 1100 }, () => box) })
    await expect(job.patch('delete', set, '"a1-7"')).rejects.toMatchObject({ kind: 'precondition' })
    expect((await job.get()).etag).toBe(etag)
  })
})

describe('number of statements', () => {
  /** Returns the number of statements that `run` executes on a job that already has rows. */
  async function counted(
    run: (job: ReturnType<typeof openJob>) => Promise<unknown>,
    historyDays = 90,
  ) {
    const { job, job_id } = setUp()
    await job.put({})
    const watched = countStatements(db)
    const settings = { ...deps.settings, historyDays }
    const counts = { ...deps, settings, db: watched.db, bulk: watched.db }
    await run(openJob(annotationHandlers(counts), job_id))
    return watched.statements()
  }

  test('a first save needs six statements: the job twice, timeouts, objects, counts and event', async () => {
    expect(await counted((job) => job.put({ shapes: [box] }))).toBe(6)
  })

  test.each([
    ['as many: what is replaced becomes history', 90, 6],
    ['the partition and a deletion for each kind that is replaced, without history', 0, 8],
  ])('the statements of the next save: %s', async (_, historyDays, expected) => {
    const twice = await counted(async (job) => {
      await job.put({ shapes: [box] })
      await job.put({ shapes: [box] })
    }, historyDays)
    expect(twice).toBe(6 + expected)
  })

  test('a change of one object needs as many statements with history as without', async () => {
    const change = (days: number) =>
      counted(async (job) => {
        const { set } = await job.put({ shapes: [box] })
        await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
      }, days)
    expect(await change(90)).toBe(await change(0))
  })

  test.each(['update', 'delete'] as const)(
    '%s needs no statements for kinds whose array is empty',
    async (action) => {
      const change = (others: object) =>
        counted(async (job) => {
          const { set } = await job.put({ shapes: [box] })
          await job.patch(action, { ...others, shapes: [{ id: set.shapes[0]?.id, z_order: 1 }] })
        })
      expect(await change({ tags: [], tracks: [] })).toBe(await change({}))
    },
  )
})

test('a small save uses no connection of the pool for streams', async () => {
  const { job_id } = setUp()
  const streams = countStatements(db)
  const job = openJob(annotationHandlers({ ...deps, bulk: streams.db }), job_id)
  const { set } = await job.put({ shapes: [box] })
  await job.patch('create', { tags: [{ frame: 1, label_id: 40 }] })
  await job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 5 }] })
  await job.patch('delete', set)
  expect(streams.statements()).toBe(0)
  await job.put({ shapes: Array.from({ length: 3000 }, () => box) })
  expect(streams.statements()).toBeGreaterThan(0)
})

test('writers that wait for each other hold no connection', async () => {
  const { job, job_id } = setUp()
  const { set } = await job.put({ shapes: [box, box] })
  const transaction = await db.startTransaction().execute()
  await transaction
    .selectFrom('jobs')
    .where('job_id', '=', job_id)
    .selectAll()
    .forUpdate()
    .execute()
  const patches = [
    ...Array.from({ length: 30 }, () => job.patch('create', { shapes: [box] })),
    job.patch('update', { shapes: [{ id: set.shapes[0]?.id, z_order: 5 }] }),
    job.patch('delete', { shapes: set.shapes.slice(1) }),
  ]
  const waiting = async () => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return rows[0]?.count
  }
  await expect.poll(waiting, { timeout: 60_000 }).toBe(1)
  await sleep(200)
  const others = await waiting()
  await transaction.commit().execute()
  await Promise.all(patches)
  expect(others).toBe(1)
  expect((await job.get()).set.shapes).toHaveLength(31)
})

test('a writer that cannot lock the job in time gets `annotations_locked`', async () => {
  const { job, job_id } = setUp()
  await job.put({})
  const settings = { ...deps.settings, lockWaitMs: 300 }
  const impatient = openJob(annotationHandlers({ ...deps, settings }), job_id)
  const transaction = await db.startTransaction().execute()
  await transaction
    .selectFrom('jobs')
    .where('job_id', '=', job_id)
    .selectAll()
    .forUpdate()
    .execute()
  const attempts = [1, 2, 3].map(() => impatient.patch('create', { shapes: [box] }))
  const outcomes = await Promise.allSettled(attempts)
  await transaction.commit().execute()
  for (const one of outcomes) {
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'annotations_locked' } })
  }
  expect((await job.get()).set.shapes).toEqual([])
})

test('an update of many objects returns them in the order of the request', async () => {
  const { job, job_id } = setUp()
  const { set } = await job.put({
    shapes: Array.from({ length: 3000 }, (_, n) => ({ ...box, group: n })),
  })
  const changes = set.shapes.toReversed().map(({ id }) => ({ id, z_order: 5 }))
  const input = { id: job_id, action: 'update', body: bodyOf({ shapes: changes }) }
  const { set: changed } = await readAnswer(service.updateJobAnnotations(input, user()))
  expect(changed.shapes.map((one) => one.id)).toEqual(changes.map((one) => one.id))
  expect(changed.shapes.every((one) => one.z_order === 5)).toBe(true)

  const { set: deleted } = await job.patch('delete', { shapes: changes.slice(0, 2500) })
  expect(deleted.shapes).toHaveLength(2500)
  expect((await job.get()).set.shapes).toHaveLength(500)
})
