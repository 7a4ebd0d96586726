import { isFullRun } from '@reticle/kit/testing/config'
import { testDatabase } from '@reticle/kit/testing/db'
import { expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { type MisbehaviourEnding, misbehaviours } from '../testing/misbehaviour.ts'
import { startProcess } from '../testing/processes.ts'
import { addRequest, readRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { tasks } from '../testing/wiring.ts'

/** One built worker process, with conversions that misbehave and ordinary conversions in the other slots. */

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
const { root } = await testStore()
const neighbours = 20
vi.setConfig({ testTimeout: 900_000 })

const always = new Set<MisbehaviourEnding>(['finished', 'too large'])
/**
 * Selects a part of the cases, or all with `RETICLE_TEST_FULL=1`: most cost a process each, and `converter-run.test.ts`
 * covers the messages without processes.
 */
const chosen = misbehaviours
  .map((one, index) => ({ ...one, index }))
  .filter(
    ({ ending, index }) =>
      isFullRun() || always.has(ending) || index % (ending === 'too much memory' ? 2 : 5) === 0,
  )

const smallerParts = 'Use smaller parts, such as single jobs or fewer files'
const expected: Record<MisbehaviourEnding, Partial<RequestRow>> = {
  finished: { status: 'finished', attempt: 1, progress: 1, message: '' },
  refused: {
    status: 'failed',
    attempt: 1,
    message: expect.stringMatching(/^The conversion failed: .*(invalid message|cannot be stored)/),
  },
  retried: {
    status: 'failed',
    attempt: 3,
    message: expect.stringMatching(/^The conversion ended (without a result|with an unexpected)/),
  },
  'too deep': {
    status: 'failed',
    attempt: 1,
    message: 'The data is nested too deeply to be converted',
  },
  'too much memory': {
    status: 'failed',
    attempt: 2,
    message: `The conversion needed more memory than a conversion may use. ${smallerParts}, or ask an administrator to raise RETICLE_JOBS_HEAP_MIB`,
  },
  'too large': {
    status: 'failed',
    attempt: 1,
    message: `The conversion needed a single value that is larger than any conversion can hold. ${smallerParts}`,
  },
}

test('a converter that misbehaves ends alone, and 20 neighbours finish at the first attempt', async () => {
  const add = (task_id: number, created: number) =>
    addRequest(db, { task_id, target_id: task_id, created })
  const bad = await Promise.all(
    chosen.map(async (one, place) => ({
      ...one,
      row: await add(tasks.misbehaves + one.index, place),
    })),
  )
  const every = chosen.length / neighbours
  const good = await Promise.all(
    Array.from({ length: neighbours }, (_, index) => add(tasks.takesTime + index, index * every)),
  )
  const timing = { leaseSeconds: 60, renewMs: 15_000, pollMs: 50, retrySeconds: [0, 0] }
  const worker = await startProcess({ root, url, timing, pace_ms: 100, slots: 3, heapMib: 128 })
  const untilEnded = async () => {
    const open = db.selectFrom('requests').select('task_id').where('status', 'in', waiting)
    expect([worker.isAlive(), await open.execute()]).toEqual([true, []])
  }
  await vi.waitFor(untilEnded, { timeout: 800_000, interval: 200 })

  for (const { row, name, ending } of bad) {
    const { status, attempt, message, progress } = await readRequest(db, row)
    const seen = { name, status, attempt, message, progress }
    expect(seen).toMatchObject({ name, ...expected[ending] })
  }
  for (const row of good)
    expect(await readRequest(db, row)).toMatchObject({ status: 'finished', attempt: 1 })
  expect(worker.isAlive()).toBe(true)
  expect(await worker.stop()).toBe(0)
})

const waiting = ['queued', 'started'] as const
