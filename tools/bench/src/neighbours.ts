import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { percentile } from './measure.ts'
import { startEmbedded } from './server.ts'
import type { BenchFigure } from './table.ts'
import { registerUser } from './users.ts'

const perMinute = 1200
const secondsPerPhase = 10
const rounds = 5
/** Well below the limit, which only the neighbour exceeds. */
const ownPerSecond = 15
const floodPerSecond = (perMinute / 60) * 10

/**
 * Measures T-TEN-2: one user calls ten times as often as the limit allows; the result is the additional waiting time of
 * another user at the 99th percentile. Quiet and flooded phases take turns.
 */
export async function neighbourFigure(): Promise<BenchFigure> {
  const server = await startEmbedded({ RETICLE_GATEWAY_RATE_USER: String(perMinute) })
  try {
    const [noisy, own] = [
      await registerUser(server.api, 'noisy'),
      await registerUser(server.api, 'quiet'),
    ]
    const url = `${server.api}/tasks`
    const flood = await startFlood(url, noisy)
    const quiet: number[] = []
    const flooded: number[] = []
    // warms up the JIT compiler, and signs both in
    await Promise.all([own, noisy].map((person) => waits(url, person, ownPerSecond)))
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await waits(url, own, ownPerSecond)).ms)
      const flooding = flood.run()
      flooded.push(...(await waits(url, own, ownPerSecond)).ms)
      const refused = await flooding
      if (round > 0 && refused === 0) throw new Error('the flood was not limited')
    }
    flood.stop()
    return figureOf(percentile(quiet, 99), percentile(flooded, 99))
  } finally {
    await server.stop()
  }
}

function figureOf(quiet: number, flooded: number): BenchFigure {
  const ratio = flooded / quiet
  return {
    id: 'T-TEN-2',
    what: `a neighbour who calls ${floodPerSecond}/s at a limit of ${perMinute}/min: p99 of another user, flooded to quiet`,
    seen: `${ratio.toFixed(2)} (${flooded.toFixed(1)} ms / ${quiet.toFixed(1)} ms)`,
    target: '<= 2',
    holds: ratio <= 2,
  }
}

/** Makes calls in a process separate from the measuring one. */
async function startFlood(url: string, authorization: string) {
  const child = fork(fileURLToPath(import.meta.url), [url, authorization])
  await once(child, 'message') // it has started
  return {
    /** Returns the number of refused calls. */
    async run(): Promise<number> {
      child.send('begin')
      const [refused] = await once(child, 'message')
      return Number(refused)
    },
    stop: () => child.disconnect(),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url = '', authorization = ''] = process.argv.slice(2)
  process.on('message', async () => {
    process.send?.((await waits(url, authorization, floodPerSecond)).refused)
  })
  process.send?.('started')
}

/** Starts calls at a fixed rate, whether or not earlier ones have ended; returns the milliseconds of each. */
async function waits(url: string, authorization: string, perSecond: number) {
  const ms: number[] = []
  let refused = 0
  let failed: Error | undefined // thrown after all calls have ended, because none of them is awaited before
  const calls: Promise<void>[] = []
  const call = async () => {
    const began = performance.now()
    const answer = await fetch(url, { headers: { authorization } })
    await answer.arrayBuffer()
    ms.push(performance.now() - began)
    if (answer.status === 429) refused++
    else if (!answer.ok) failed ??= new Error(`GET ${url}: ${answer.status}`)
  }
  const began = performance.now()
  for (let count = 0; count < perSecond * secondsPerPhase; count++) {
    const late = began + (count * 1000) / perSecond - performance.now()
    if (late > 0) await new Promise((resolve) => setTimeout(resolve, late))
    calls.push(call())
  }
  await Promise.all(calls)
  if (failed) throw failed
  return { ms, refused }
}
