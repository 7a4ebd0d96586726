import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { labelsChanged } from '@reticle/contracts/events/labels'
import type { RowKind } from '@reticle/contracts/row-lines'
import { attributeOf } from '@reticle/contracts/testing/records'
import { testDatabase } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { eventHandler } from '../events/consumer.ts'
import { sweepHistory } from '../history/store/sweep.ts'
import { openHistory, sameLabels } from '../testing/history.ts'
import { openExplained } from '../testing/plans.ts'
import { bodyOf, depsOf, openWorkspace, openWorkspaces, user } from '../testing/workspace.ts'
import { sweepLabels } from '../upkeep/sweep.ts'
import { annotationHandlers } from './rpc.ts'

const schemas = [{ schema: 'annotations', migrations }]
const { db, url } = await testDatabase<AnnotationsDb>(schemas)
const explained = openExplained(url)
const { workspaces, add } = openWorkspaces()
const deps = { ...depsOf(explained.db, workspaces), bulk: explained.bulk }
const service = annotationHandlers(deps)

/** Disables autovacuum, so that tables are analysed only by the test. */
await sql`do $$ declare part text; begin
  for part in select relname from pg_class where relkind = 'r' and relnamespace = 'annotations'::regnamespace
  loop execute format('alter table annotations.%I set (autovacuum_enabled = off)', part); end loop; end $$`.execute(
  db,
)

/** Rows that a statement may read for each row that the call concerns. */
const most = 4
/** Rows of jobs and revisions that a call may read in addition. */
const beside = 20

/** Runs a call that concerns `selection` rows and checks that no statement reads too many. */
async function holdsRows<R>(selection: number, run: () => Promise<R>): Promise<R> {
  explained.takeRan()
  const result = await run()
  const ran = explained.takeRan()
  expect(ran.length).toBeGreaterThan(0)
  for (const one of ran) {
    const seen = `${one.visited} rows for ${selection}\n${one.text}\n${one.outline}`
    expect(one.visited, seen).toBeLessThanOrEqual(most * selection + beside)
  }
  return result
}

/** Inserts rows of one kind directly until the job has `count` of them. */
async function fill(job: { task_id: number; job_id: number }, kind: RowKind, count: number) {
  const { task_id, job_id } = job
  const table = { tag: 'tags', shape: 'shapes', track: 'tracks' }[kind]
  await sql`insert into jobs (job_id, task_id) values (${job_id}, ${task_id})
    on conflict do nothing`.execute(db)
  const { rows } = await sql<{ first: number; generation: number }>`
    select ${sql.ref(table)} as first, generation from jobs where job_id = ${job_id}`.execute(db)
  const [{ first = 0, generation = 0 } = {}] = rows
  const series = sql`from generate_series(${first}::int, ${count - 1}::int) as n`
  const values = {
    tag: sql`select ${task_id}, ${job_id}, n % 5, 40, 500000000 + n, 0, 0, null, ${generation}::bigint ${series}`,
    shape: sql`select ${task_id}, ${job_id}, n % 5, 40, 100000000 + n, 0, 0, 0, 1, 0, 0, false, false,
      concat_ws(',', n % 1900, 2, 3 + n % 50, 4), null, null, ${generation}::bigint ${series}`,
    track: sql`select ${task_id}, ${job_id}, 0, 4, 40, 300000000 + n, null, 0, 0, null, ${shapesOfTrack}, null,
      ${generation}::bigint ${series}`,
  }
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = '5min'`.execute(tx)
    await sql`insert into ${sql.table(table)} ${values[kind]}`.execute(tx)
  })
  await sql`update jobs set ${sql.ref(table)} = ${count}, labels_revision = 1, labels_noted = 1
    where job_id = ${job_id}`.execute(db)
}

const shapesOfTrack = JSON.stringify([
  {
    ...{
      id: 1,
      type: 'rectangle',
      frame: 0,
      points: [1, 2, 3, 4],
      occluded: false,
      outside: false,
    },
    ...{ keyframe: true, z_order: 0, rotation: 0, attributes: [] },
  },
]).replaceAll('"id":1', '"id":900000000')

const firstIds = { tag: 500_000_000, shape: 100_000_000, track: 300_000_000 }
const named = { tag: 'tags', shape: 'shapes', track: 'tracks' } as const

/** Returns ids of objects of the job, different ones at each call. */
function openIds(kind: RowKind) {
  let next = 0
  return (size: number, count: number) =>
    Array.from({ length: Math.min(size, count) }, () => {
      next += 1
      return { id: firstIds[kind] + (next % size) }
    })
}

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const newOf = {
  tag: { frame: 2, label_id: 40 },
  shape: box,
  track: { frame: 0, label_id: 40, shapes: [{ ...box, frame: 0 }] },
}

describe.each(['shape', 'tag', 'track'] as const)(
  'calls about a few %ss of a large job',
  (kind) => {
    const here = openWorkspace(service, add)
    const ids = openIds(kind)
    const list = named[kind]
    const sizes = kind === 'shape' ? [1, 10_000, 1_000_000] : [1, 10_000]

    /** A task matches the pieces of its tracks against all tracks, so tracks are tested in a job only. */
    const targets = kind === 'track' ? [here.job] : [here.job, here.task]

    async function callEach(size: number) {
      for (const count of [1, 50, 1000].filter((one) => one <= size)) {
        for (const target of targets) {
          const changed = ids(size, count).map((one) => ({ ...one, group: count }))
          await holdsRows(count, () => target.patch('update', { [list]: changed }))
          const created = Array.from({ length: count }, () => newOf[kind])
          await holdsRows(count, () => target.patch('create', { [list]: created }))
          if (size > 1) {
            const deleted = ids(size, count)
            await holdsRows(count, () => target.patch('delete', { [list]: deleted }))
          }
        }
      }
    }

    // The sizes share connections, so that a plan for one row is reused for a million.
    test.each(sizes)(
      'the calls read no other rows in a partition of %i rows that was never analysed',
      async (size) => {
        await fill(here, kind, size)
        await callEach(size)
      },
    )

    test('the calls read no other rows in a partition that was analysed when each task had one row', async () => {
      const table = sql.table(list)
      for (const task_id of Array.from(
        { length: 20 },
        (_, n) => here.task_id + 32 * 1000 * (n + 1),
      )) {
        await fill({ task_id, job_id: task_id }, kind, 1)
      }
      const other = openWorkspace(service, add)
      await fill(other, kind, 1)
      await sql`analyze ${table}`.execute(db)
      await fill(other, kind, 5000)
      const others = openIds(kind)
      for (const target of kind === 'track' ? [other.job] : [other.job, other.task]) {
        const changed = others(5000, 50).map((one) => ({ ...one, group: 9 }))
        await holdsRows(50, () => target.patch('update', { [list]: changed }))
        await holdsRows(50, () =>
          target.patch('delete', { [list]: changed.map(({ id }) => ({ id })) }),
        )
      }
    })
  },
)

test('a read of one frame of a large job does not read other frames', async () => {
  const { job, ...here } = openWorkspace(service, add)
  await fill(here, 'shape', 10_000)
  const frames = [{ first: 3, last: 3 }]
  await holdsRows(2000, () => job.get({ frames }))
})

describe('calls about a whole set of objects', () => {
  const count = 3000
  const filled = async () => {
    const here = openWorkspace(service, add)
    await here.job.put({ shapes: Array.from({ length: count }, (_, n) => shapeOf(n)) })
    const { set } = await here.job.get()
    const changed = set.shapes.slice(0, 1000).map(({ id }) => ({ id, z_order: 7 }))
    await here.job.patch('update', { shapes: changed })
    await here.job.patch('delete', {
      shapes: set.shapes.slice(1000, 1300).map(({ id }) => ({ id })),
    })
    return { ...here, history: openHistory(db, service) }
  }
  const shapeOf = (n: number) => ({ ...box, frame: n % 5, points: [n % 90, 2, 99, 4 + (n % 70)] })

  test('a diff reads both revisions once per list', async () => {
    const { job_id, history } = await filled()
    const diff = await holdsRows(count, () => history.diff(job_id, 1, 3))
    expect(diff.updated.shapes).toHaveLength(1000)
    expect(diff.deleted.shapes).toHaveLength(300)
  })

  test('a restore reads only the rows that it restores', async () => {
    const { job_id, history } = await filled()
    await holdsRows(count, () => history.restore(job_id, 1))
    expect((await history.setAt(job_id, 4)).shapes).toHaveLength(count)
  })

  test('statistics read each row once', async () => {
    const { job_id } = await filled()
    const input = { id: job_id, labels: true, authors: true }
    await holdsRows(count, async () => {
      const { chunks } = await service.getJobAnnotationStatistics(input, user())
      for await (const _ of chunks);
    })
  })

  test('an import with mode `merge` compares only objects that may be equal', async () => {
    const here = await filled()
    const place = { target: 'job' as const, id: here.job_id }
    const { chunks } = await service.readRows(place, user())
    const body = bodyOf(await text(chunks), 10_000)
    const input = { ...place, mode: 'merge' as const, call_id: randomUUID(), body }
    const written = await holdsRows(2 * count, () => service.writeRows(input, user()))
    expect(written).toMatchObject({ shapes: 0, duplicates: count - 300 })
  })

  test('the deletion of a label deletes its objects with a bounded number of reads', async () => {
    const { task_id } = await filled()
    const change = { ...sameLabels, task_ids: [task_id], affected_label_ids: [40] }
    const receive = createDeliverer(
      explained.db,
      eventHandler(() => undefined, { historyDays: 90 }),
    )
    await holdsRows(count, () => receive(labelsChanged, { ...change, deleted_label_ids: [40] }))
  })

  test('label upkeep finds the rows that it rewrites by their ids', async () => {
    const here = await filled()
    here.workspace.labels.labels_revision = 2
    here.workspace.labels.labels[0]?.attributes.push(attributeOf({ id: 94, name: 'note' }))
    await db
      .updateTable('jobs')
      .set({ labels_noted: 2 })
      .where('job_id', '=', here.job_id)
      .execute()
    const { signal } = new AbortController()
    await holdsRows(count, () => sweepLabels(deps, signal))
    const { set } = await here.job.get()
    expect(set.shapes[0]?.attributes).toHaveLength(4)
  })

  test('the history sweep finds the rows to delete by an index', async () => {
    const here = await filled()
    await here.job.put({ shapes: [box] })
    const later = new Date(Date.now() + 100 * 86_400_000)
    await holdsRows(count, () => sweepHistory(explained.db, { historyDays: 90 }, later))
  })
})
