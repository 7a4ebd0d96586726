import { type BenchLoad, type Statuses, startLoad } from './load.ts'
import { percentile } from './measure.ts'
import type { Server } from './server.ts'
import type { BenchFigure } from './table.ts'
import { callerOf } from './task.ts'
import { registerUser } from './users.ts'

const callsPerSecond = 15 // below the limit of a user
const secondsPerPhase = 4
const rounds = 3

interface Waits {
  ms: number[]
  /** Number of answers with 503, and with any status from 500. */
  refused: number
  failed: number
}
const noWaits = (): Waits => ({ ms: [], refused: 0, failed: 0 })

interface Subject {
  id: string
  what: string
  load: BenchLoad
  /** Limit of the p95 beside the load, as a multiple of the quiet p95. */
  most: number
}

/**
 * Measures `GET /projects` of another user beside a load. Quiet and loaded phases take turns, starting and ending with
 * a quiet one. None of these calls may end with 503, and no call of the load with 500.
 */
export async function besideLoad(
  user: MeasuredUser,
  { id, what, load, most }: Subject,
): Promise<BenchFigure> {
  const running = await startLoad(load)
  const [quiet, loaded] = [noWaits(), noWaits()]
  const statuses: Statuses = new Map()
  try {
    for (let round = 0; round < rounds; round++) {
      await measureCalls(user, quiet)
      running.begin()
      await measureCalls(user, loaded)
      for (const [status, count] of await running.end())
        statuses.set(status, (statuses.get(status) ?? 0) + count)
    }
    await measureCalls(user, quiet)
  } finally {
    running.close()
  }
  const ratio = percentile(loaded.ms, 95) / percentile(quiet.ms, 95)
  const sent = [...statuses].map(([status, count]) => `${count} × ${status || 'no answer'}`)
  return {
    id,
    what: `GET /projects of another user beside ${what}: p95, loaded to quiet; 503; 5xx`,
    seen: `${ratio.toFixed(2)} (p50 / p95 ${timesOf(loaded)} to ${timesOf(quiet)} ms); ${loaded.refused}; ${loaded.failed} (load: ${sent.join(', ') || 'no call ended'})`,
    target: `<= ${most}; 0; 0`,
    holds: ratio <= most && loaded.failed === 0 && !statuses.has(500),
  }
}

const timesOf = ({ ms }: Waits) =>
  [50, 95].map((percent) => percentile(ms, percent).toFixed(1)).join(' / ')

/** Registers the measured user, whose list of projects does not grow with the loads. */
export async function addMeasuredUser(api: string): Promise<MeasuredUser> {
  const user = { api, authorization: await registerUser(api, 'measured') }
  await callerOf(user)('POST', '/projects', JSON.stringify({ name: 'measured' }))
  await measureCalls(user, noWaits()) // warms up the JIT compiler
  return user
}
type MeasuredUser = Pick<Server, 'api' | 'authorization'>

/** Starts calls at a fixed rate, whether or not earlier ones have ended. */
async function measureCalls({ api, authorization }: MeasuredUser, into: Waits): Promise<void> {
  const call = async () => {
    const sent = performance.now()
    const answer = await fetch(`${api}/projects?page_size=1`, { headers: { authorization } })
    await answer.arrayBuffer()
    into.ms.push(performance.now() - sent)
    if (answer.status === 503) into.refused++
    if (answer.status >= 500) into.failed++
    else if (!answer.ok) throw new Error(`GET /projects: ${answer.status}`)
  }
  const began = performance.now()
  const calls: Promise<void>[] = []
  for (let count = 0; count < callsPerSecond * secondsPerPhase; count++) {
    const early = began + (count * 1000) / callsPerSecond - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    calls.push(call())
  }
  await Promise.all(calls)
}
