import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { outboxTables } from '../outbox/tables.ts'
import { callAs } from '../testing/call.ts'
import { testDatabase } from '../testing/db.ts'
import { protosOf } from '../testing/protos.ts'
import { type RpcProcess, startRpcProcess, tally } from '../testing/rpc-process.ts'
import { recordScore } from '../testing/scores.ts'
import { connectGrpc } from './connect.ts'

/** Measurement T-RPC-1 for single calls: replicas stop and start without an effect for callers. */

const migrations = {
  '0001-tally': {
    up: async (db: Kysely<unknown>) => {
      await outboxTables(db, 'tally')
      await sql`create table tally.tally (
        id integer generated always as identity primary key, note text not null)`.execute(db)
    },
  },
}
const { db, url } = await testDatabase<{ tally: { id: number; note: string } }>([
  { schema: 'tally', migrations },
])
const keys = ['internal key of the tests']
const database = { url, schema: 'tally' }
const inFlight = 20

test('20 concurrent calls survive replicas that are stopped and killed in turn', async () => {
  const start = (port = 0) => startRpcProcess({ port, keys, database })
  const replicas = await Promise.all([start(), start(), start()])
  const [first, second, third] = replicas
  const started = [...replicas]
  afterAll(() => Promise.all(started.map(({ kill }) => kill())))
  const address = `ipv4:${replicas.map(({ port }) => `127.0.0.1:${port}`).join()}`
  const connection = connectGrpc({ address, keys, protos: protosOf(tally) })
  afterAll(connection.close)
  const { add, ping } = connection.service(tally)

  const failures: unknown[] = []
  const answers = new Map<string, number>()
  let slowest = 0
  let isOver = false
  let isStarting = false
  afterAll(() => {
    isOver = true
  })
  const caller = async (who: number) => {
    for (let turn = 0; !isOver; turn++) {
      if (isStarting) await sleep(50) // leaves processor time for a starting process
      const note = `${who}:${turn}`
      const began = performance.now()
      try {
        const context = callAs(null, { deadline: Date.now() + 15_000 })
        answers.set(note, (await add({ body: { note } }, context)).id)
      } catch (thrown) {
        failures.push(thrown)
      }
      slowest = Math.max(slowest, performance.now() - began)
    }
  }
  const callers = Array.from({ length: inFlight }, (_, who) => caller(who))
  const replace = async ({ port }: RpcProcess) => {
    isStarting = true
    const next = await start(port)
    isStarting = false
    started.push(next)
    await expect.poll(() => servedBy(ping), { timeout: 60_000 }).toBe(3) // the callers have connected to it
    return next
  }
  await first.stop()
  const again = await replace(first)
  await second.kill()
  await replace(second)
  await third.stop()
  await again.kill()
  await sleep(300) // one replica is enough
  isOver = true
  await Promise.all(callers)

  recordScore({
    ...{ id: 'T-RPC-1', on: 'calls between services' },
    count: `2 stopped and 2 killed of 3 under ${answers.size} calls, ${inFlight} at once`,
    ...{ seen: `${failures.length}`, holds: failures.length === 0 },
  })
  expect(failures).toEqual([])
  const rows = await db.selectFrom('tally').selectAll().execute()
  expect(new Map(rows.map(({ id, note }) => [note, id]))).toEqual(answers)
  expect(rows).toHaveLength(answers.size) // no duplicates
  expect(answers.size).toBeGreaterThan(10 * inFlight)
  expect(slowest).toBeLessThan(15_000)
}, 120_000)

/** Returns the number of processes that answer a sequence of calls, which are distributed in turn. */
async function servedBy(
  ping: (input: object, context: ReturnType<typeof callAs>) => Promise<{ pid: number }>,
) {
  const pids = new Set<number>()
  for (let turn = 0; turn < 6; turn++) pids.add((await ping({}, callAs(null))).pid)
  return pids.size
}
