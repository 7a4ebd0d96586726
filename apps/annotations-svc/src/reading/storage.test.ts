import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { testDatabase } from '@reticle/kit/testing/db'
import { type CompiledQuery, sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { idBlocks } from '../db/ids.ts'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { jobRange } from '../testing/workspace.ts'
import { setBytes } from './json.ts'
import { readKind } from './rows.ts'
import { openFinder } from './store/find.ts'
import { selectPieces, selectRows } from './store/select.ts'
import { readFew } from './store/select-few.ts'
import { openSnapshot } from './store/snapshot.ts'

const { db, pool } = await testDatabase<AnnotationsDb>([{ schema: 'annotations', migrations }])

describe('ids', () => {
  test('ids of a request ascend and are unique across concurrent requests', async () => {
    const blocks = idBlocks(db)
    const others = idBlocks(db)
    const takers = [blocks, blocks, others].map((one) => ({ ids: one.open(), taken: [0] }))
    for (const count of [3, 1500, 1, 998, 2500, 7]) {
      await Promise.all(takers.map(({ ids }) => ids.reserve(count)))
      for (const { ids, taken } of takers) for (let n = 0; n < count; n++) taken.push(ids.next())
    }
    for (const { taken } of takers) expect(taken).toEqual(taken.toSorted((a, b) => a - b))
    const all = takers.flatMap(({ taken }) => taken.slice(1))
    expect(new Set(all).size).toBe(all.length)
  })

  test('unused ids of a request are used by the next one', async () => {
    const blocks = idBlocks(db)
    const take = async () => {
      const ids = blocks.open()
      await ids.reserve(10)
      return [ids.next(), ids.ranges()] as const
    }
    const [first] = await take()
    expect(await take()).toEqual([first + 10, `{[${first + 10},${first + 20})}`])
  })
})

test('a set that is larger than the counts of its job is read completely', async () => {
  const job = { job_id: 91, task_id: 9 }
  await db
    .insertInto('jobs')
    .values({ ...job, tags: 1 })
    .execute()
  await sql`insert into tags select 9, 91, 0, 40, n, 0, 0, null from generate_series(1, 130000) n`.execute(
    db,
  )
  const owner = { ...nowhere, labels_revision: 1, label_events: [], frames: [], dimension: '2d' }
  const target: AnnotationTarget = {
    kind: 'job',
    id: 91,
    task_id: 9,
    jobs: [jobRange(91, 0, 4)],
    ...owner,
  }
  const few = await readFew(db, target)
  expect(JSON.parse(few?.json ?? '').tags).toHaveLength(130_000)
})

test('a small set includes objects with a word of a later version', async () => {
  const job = { job_id: 71, task_id: 7 }
  await db
    .insertInto('jobs')
    .values({ ...job, shapes: 1, tags: 1 })
    .execute()
  await sql`insert into shapes values (7, 71, 0, 40, 1, 0, 0, 0, 1, 99, 99, false, false, '1,2', null, null)`.execute(
    db,
  )
  await sql`insert into tags values (7, 71, 0, 40, 2, 0, 99, null)`.execute(db)
  const owner = { ...nowhere, labels_revision: 1, label_events: [], frames: [], dimension: '2d' }
  const target: AnnotationTarget = {
    kind: 'job',
    id: 71,
    task_id: 7,
    jobs: [jobRange(71, 0, 4)],
    ...owner,
  }
  const few = await readFew(db, target)
  const { shapes, tags } = JSON.parse(few?.json ?? '')
  expect([shapes[0]?.id, tags[0]?.id]).toEqual([1, 2])
})

test('a small set equals the streamed one byte for byte', async () => {
  const counts = { tags: 2, shapes: 16, tracks: 2 }
  const job = { job_id: 81, task_id: 8 }
  await db
    .insertInto('jobs')
    .values({ ...job, ...counts })
    .execute()
  const list = '[{"spec_id":1,"value":"ключ \\"\\u0001"}]'
  await sql`insert into tags values (8, 81, 3, 40, 2, 0, 2, ${list}), (8, 81, 1, 40, 1, 5, 0, null)`.execute(
    db,
  )
  await sql`insert into shapes select 8, 81, 9 - n, 40, 100 + n, n, -n, 0.5 * n, 1e-7 * n, n, n % 4, n % 2 = 0,
    n % 3 = 0, case n when 7 then '' else '1.5,2e-9' end, ${list}, case n when 7 then ${list} end
    from generate_series(0, 7) n`.execute(db)
  await sql`insert into tracks values (8, 81, 0, 9, 40, 200, null, 0, 1, null, ${list}, null),
    (8, 81, 2, 9, 40, 201, 7, 1, 3, ${list}, '', ${list})`.execute(db)
  const owner = { ...nowhere, labels_revision: 1, label_events: [], frames: [], dimension: '2d' }
  const target: AnnotationTarget = {
    kind: 'job',
    id: 81,
    task_id: 8,
    jobs: [jobRange(81, 0, 9)],
    ...owner,
  }
  const streamed = await db.transaction().execute(async (tx) => {
    const { signal } = new AbortController()
    const rows = (kind: RowKind) => readKind(tx, kind, target, { order: 'id', signal })
    return text(setBytes(rowKinds.map((kind) => [kind, rows(kind)])))
  })
  expect((await readFew(db, target))?.json).toBe(streamed)
  expect(JSON.parse(streamed).shapes.map((one: { frame: number }) => one.frame)).toEqual([
    2, 3, 4, 5, 6, 7, 8, 9,
  ])
})

const nowhere = { project_id: null, organization_id: null }

describe('plans', () => {
  const target = (kind: 'task' | 'job'): AnnotationTarget => ({
    ...{ kind, id: kind === 'job' ? 11 : 1, task_id: 1, ...nowhere },
    jobs:
      kind === 'job' ? [jobRange(11, 0, 999)] : [jobRange(11, 0, 999), jobRange(12, 1000, 1999)],
    frames: [],
    dimension: '2d',
    labels_revision: 1,
    label_events: [],
  })

  /** Inserts two jobs with a thousand frames each; the rows of the current generation come before older ones. */
  const fill = async () => {
    await sql`truncate shapes, tracks, jobs`.execute(db)
    await sql`
      insert into shapes select task, 10 * task + 1 + n / 1000, (n * 7) % 1000 + n / 1000 * 1000, 40,
        100000 * task + n, 0, 0, 0, 1, 0, 0, false, false, '1,2,3,4', null, null, generation
      from generate_series(1, 3) task, unnest(array[100 * task, 5]) generation,
        generate_series(0, 1999) n`.execute(db)
    await sql`
      insert into tracks select 1, 11 + n / 1000, n, n, 40, n + 1, null, 0, 0, null, '[]', null, generation
      from unnest(array[100, 5]) generation, generate_series(0, 1999) n`.execute(db)
    await sql`insert into jobs (job_id, task_id, shapes, tracks, generation)
      values (11, 1, 1000, 1000, 100), (12, 1, 1000, 1000, 5)`.execute(db)
    await sql`insert into jobs (job_id, task_id) select n, 4 from generate_series(100, 2000) n`.execute(
      db,
    )
    await sql`analyze shapes, tracks, jobs`.execute(db)
  }

  test.each(['task', 'job'] as const)(
    'a read of a %s scans the key of one partition without sort and without history',
    async (kind) => {
      await fill()
      const query = selectRows(db, 'shape', target(kind), 'id')
      const plan = await explain(query)
      expect(plan).toMatch(/Index Scan using shapes_\d+_pkey/)
      expect(plan).toMatch(/Index Cond: .*task_id = 1\) AND \(job_id = .*\) AND \(generation = /)
      expect(plan).not.toMatch(/Sort|Seq Scan on shapes|Filter/)

      const { rows } = await pool.query({
        text: query.sql,
        values: [...query.parameters],
        rowMode: 'array',
      })
      const count = kind === 'job' ? 1000 : 2000
      expect(rows.map(([, frame]) => frame)).toEqual(Array.from({ length: count }, (_, n) => n))
    },
  )

  test('a read of the tracks of a task does not scan history', async () => {
    await fill()
    const plan = await explain(selectPieces(db, target('task'), 'id', new Map()))
    expect(plan).toMatch(/Index Cond: .*task_id = 1\) AND \(job_id = .*\) AND \(generation = /)
    expect(plan).not.toMatch(/Seq Scan on tracks/)
    const found = await openFinder(db, target('task'))('track', [7, 1007])
    expect([...found.values()].flatMap((one) => one.locations)).toEqual([
      { job_id: 11, id: 7 },
      { job_id: 12, id: 1007 },
    ])
  })

  const selection = (first: number, last: number) => ({ frames: [{ first, last }], label_id: [] })

  test('frames of a job are found by the key', async () => {
    await fill()
    const of = (first: number, last: number) =>
      explain(selectRows(db, 'shape', target('job'), 'id', selection(first, last)))
    expect(await of(10, 12)).toMatch(/\(job_id = 11\) AND \(generation = .*\) AND \(frame = ANY/)
    expect(await of(10, 5000)).toMatch(
      /\(job_id = 11\) AND \(generation = .*\) AND \(frame >= 10\) AND \(frame <= 5000\)/,
    )
  })

  test('frames of a task are read only in the jobs that have them', async () => {
    await fill()
    const plan = await explain(selectRows(db, 'shape', target('task'), 'id', selection(1500, 1501)))
    expect(plan).toMatch(/Index Cond: .*\(job_id = 12\).*\(frame = ANY/)
  })

  async function explain(query: CompiledQuery): Promise<string> {
    const rows = await pool.query(`explain ${query.sql}`, [...query.parameters])
    return rows.rows.map((row) => row['QUERY PLAN']).join('\n')
  }
})

describe('a snapshot', () => {
  const { signal } = new AbortController()
  const numbers = (idleMs?: number) =>
    openSnapshot(
      db,
      signal,
      async (tx) => ({
        head: 'head',
        chunks: (async function* () {
          for (let n = 1; n <= 3; n++) {
            await sql`select 1`.execute(tx)
            yield n
          }
        })(),
      }),
      idleMs,
    )
  const inUse = () => pool.totalCount - pool.idleCount

  test('a snapshot releases its connection after it was read', async () => {
    const read: number[] = []
    for await (const n of (await numbers()).chunks) read.push(n)
    expect(read).toEqual([1, 2, 3])
    expect(inUse()).toBe(0)
  })

  test('a snapshot releases its connection when it is abandoned, before or after its first read', async () => {
    for await (const _ of (await numbers()).chunks) break
    const untouched = (await numbers()).chunks[Symbol.asyncIterator]()
    await untouched.return?.()
    expect(inUse()).toBe(0)
  })

  test('a snapshot releases its connection when it is not read in time', async () => {
    const { chunks } = await numbers(20)
    await sleep(200)
    expect(inUse()).toBe(0)
    await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow('not read in time')
  })

  test('a snapshot releases its connection when opening fails', async () => {
    const attempt = openSnapshot(db, signal, async () => {
      throw new Error('no labels')
    })
    await expect(attempt).rejects.toThrow('no labels')
    expect(inUse()).toBe(0)
  })
})
