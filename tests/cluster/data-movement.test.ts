import { setTimeout as sleep } from 'node:timers/promises'
import { isFullRun } from '@reticle/kit/testing/config'
import { recordScore } from '@reticle/kit/testing/scores'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AnyJson, rqIdOf } from '../support/client.ts'
import { recordFault } from '../support/faults.ts'
import { openRandom } from '../support/random.ts'
import { type SplitSystem, startSplit } from '../support/split.ts'
import { type MovementCheck, prepareRound } from './movements.ts'

/** Each round has eight requests. */
const { rounds, kills } = isFullRun() ? { rounds: 25, kills: 100 } : { rounds: 3, kills: 6 }

const seed = 9
let split: SplitSystem
beforeAll(async () => {
  split = await startSplit('movement')
})
afterAll(() => split.stop())

/**
 * Requests of every kind while their workers are killed (T-REQ-1): each ends once, and its effect exists once or not at
 * all. See docs/spec/reliability.md#request-execution.
 */
test(`${8 * rounds} requests of every kind end once while workers are killed ${kills} times`, {
  timeout: isFullRun() ? 3_600_000 : 600_000,
}, async () => {
  const { admin } = split
  const all = []
  for (let round = 0; round < rounds; round++) all.push(...(await prepareRound(admin, round)))

  let isOver = false
  const killing = killAgainAndAgain(() => isOver)
  const posted = []
  for (const { post, check } of all) posted.push({ check, rq_id: rqIdOf(await post(admin)) })
  const ended = []
  for (const { check, rq_id } of posted) ended.push({ check, request: await admin.ended(rq_id) })
  isOver = true
  const killed = await killing
  expect(killed).toBeGreaterThanOrEqual(kills)

  const failures = ended.flatMap(({ request: { status, message } }) =>
    status === 'failed' ? [message] : [],
  )
  // Three killed attempts are also a valid end.
  expect(new Set(failures)).toEqual(new Set(failures.map(() => 'The worker stopped unexpectedly')))
  expect(failures.length).toBeLessThan(ended.length / 2)
  const wrong = await wrongOf(ended, admin)
  recordScore({
    ...{ id: 'T-REQ-1', on: 'every app its own process', seed },
    count: `${killed} kills, ${ended.length} requests`,
    seen: `${ended.length - failures.length} (${failures.length} killed three times) / ${wrong.length} / 0`,
    holds: wrong.length === 0,
  })
  expect(wrong).toEqual([])
  recordFault(`workers killed ${kills} times under ${ended.length} requests of every kind`)
})

/** Finds effects that were applied twice or in part. */
async function wrongOf(
  ended: readonly { check: MovementCheck; request: AnyJson }[],
  admin: SplitSystem['admin'],
): Promise<string[]> {
  const wrong: string[] = []
  for (const { check, request } of ended)
    await check(admin, request).catch((thrown) => wrong.push(String(thrown)))
  return wrong
}

/** Kills workers at least that often, and as long as requests are running. */
async function killAgainAndAgain(isOver: () => boolean): Promise<number> {
  const random = openRandom(seed)
  let count = 0
  for (; count < kills || !isOver(); count++) {
    await sleep(1000 * random.next())
    const name = random.pick(['worker-1', 'worker-2'])
    const worker = split.processes[name]
    if (!worker) throw new Error(`there is no ${name}`)
    const pid = worker.pid()
    await split.kill(name)
    await endLeasesOf(pid)
    await worker.start()
  }
  return count
}

/** Expires the leases of a killed process, as would happen after a minute. */
async function endLeasesOf(pid: number): Promise<void> {
  const database = new pg.Client({ connectionString: split.databaseOf('jobs') })
  await database.connect()
  await database.query(
    `update requests set lease_until = now()
     where status = 'started' and lease_owner like 'worker-' || $1 || '-%'`,
    [String(pid)],
  )
  await database.end()
}
