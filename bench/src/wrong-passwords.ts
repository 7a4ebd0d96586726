import { fork } from 'node:child_process'
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { percentile } from './measure.ts'
import { startEmbedded } from './server.ts'
import type { Figure } from './table.ts'

const connections = 2
const secondsPerPhase = 5
const rounds = 4
const callsPerSecond = 20

/**
 * Wrong passwords, each for another name, over two connections as fast as they are refused: how much longer another user waits
 * for `GET /projects`, at the 95th percentile. Quiet and flooded phases take turns. With `RETICLE_GATEWAY_RATE_ANONYMOUS=0`
 * every one of them is hashed, so that the queue of hashes alone is measured.
 */
export async function* wrongPasswordFigures(): AsyncGenerator<Figure> {
  yield await figureOf('A2', 'with the limit of an address', {})
  yield await figureOf('A2-hash', 'without it', { RETICLE_GATEWAY_RATE_ANONYMOUS: '0' })
}

async function figureOf(id: string, limit: string, env: Record<string, string>): Promise<Figure> {
  const server = await startEmbedded(env)
  const url = `${server.api}/projects`
  const flood = await startFlood(url)
  try {
    const quiet: Waits = { ms: [], refused: 0 }
    const flooded: Waits = { ms: [], refused: 0 }
    const statuses = new Map<number, number>()
    const measure = (into: Waits) => addWaits(into, url, server.authorization)
    await measure({ ms: [], refused: 0 }) // the engine compiles what runs often
    for (let round = 0; round < rounds; round++) {
      await measure(quiet)
      const flooding = flood.run()
      await measure(flooded)
      for (const [status, count] of await flooding)
        statuses.set(status, (statuses.get(status) ?? 0) + count)
    }
    const [before, during] = [percentile(quiet.ms, 95), percentile(flooded.ms, 95)]
    const ratio = during / before
    const guesses = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    return {
      id,
      what: `wrong passwords over ${connections} connections, ${limit}: p95 of another user's GET /projects, flooded to quiet`,
      seen: `${ratio.toFixed(2)} (${during.toFixed(1)} ms / ${before.toFixed(1)} ms; 503: ${flooded.refused} / ${quiet.refused}; flood: ${guesses})`,
      target: '<= 3, no 503',
      holds: ratio <= 3 && flooded.refused === 0,
    }
  } finally {
    flood.stop()
    await server.stop()
  }
}

interface Waits {
  /** How long each call took. */
  ms: number[]
  /** Calls that ended with 503. */
  refused: number
}

/** Calls at a fixed rate, whether or not earlier ones have ended. */
async function addWaits(into: Waits, url: string, authorization: string): Promise<void> {
  const began = performance.now()
  const call = async () => {
    const sent = performance.now()
    const answer = await fetch(url, { headers: { authorization } })
    await answer.arrayBuffer()
    if (answer.status === 503) into.refused++
    else if (!answer.ok) throw new Error(`GET ${url}: ${answer.status}`)
    into.ms.push(performance.now() - sent)
  }
  const calls: Promise<void>[] = []
  for (let count = 0; count < callsPerSecond * secondsPerPhase; count++) {
    const early = began + (count * 1000) / callsPerSecond - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    calls.push(call())
  }
  await Promise.all(calls)
}

/** The flood runs in a separate process, so that it does not slow the measurement. */
async function startFlood(url: string) {
  const child = fork(fileURLToPath(import.meta.url), [url])
  await once(child, 'message') // it has started
  return {
    /** How many calls ended with which status. */
    async run(): Promise<[number, number][]> {
      child.send('begin')
      const [seen] = await once(child, 'message')
      return seen
    },
    stop: () => child.disconnect(),
  }
}

async function flood(url: string): Promise<[number, number][]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses = new Map<number, number>()
  const ends = performance.now() + secondsPerPhase * 1000
  const connection = async () => {
    while (performance.now() < ends) {
      const status = await statusOf(url, agent)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  agent.destroy()
  return [...statuses]
}

let names = 0
function statusOf(url: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const auth = `nobody-${process.pid}-${names++}:wrong`
    const request = get(url, { agent, auth }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
    })
    request.once('error', reject)
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [url = ''] = process.argv.slice(2)
  process.on('message', async () => {
    process.send?.(await flood(url))
  })
  process.send?.('started')
}
