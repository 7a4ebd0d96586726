import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { callsPerSecond } from './many-calls.ts'
import { median } from './measure.ts'
import { type Restartable, type Server, startEmbedded } from './server.ts'
import type { BenchFigure } from './table.ts'
import { callerOf } from './task.ts'

const clients = 16
const seconds = 3
const warmSeconds = 8
const rounds = 5
const least = 0.55

/**
 * Measures P9: the hooks that every call passes, with a cached identity, as a share of a bare server that returns the
 * same bytes. Uses the processor time per call, which does not depend on the speed of the client.
 */
export async function hooksFigure(): Promise<BenchFigure> {
  const server = await startEmbedded({ RETICLE_GATEWAY_RATE_USER: '1000000000' })
  try {
    return await measured(server)
  } finally {
    await server.stop()
  }
}

async function measured(server: Restartable): Promise<BenchFigure> {
  const url = `${server.api}/server/about`
  const token = await tokenOf(server)
  const answer = await (await fetch(url, { headers: { authorization: token } })).text()
  const bare = await startBare(answer)
  const costs = (of: string, pid: number, quiet: number, forSeconds = seconds) =>
    costOf(
      pid,
      () => callsPerSecond(of, token, { clients, seconds: forSeconds }),
      forSeconds,
      quiet,
    )
  await costs(url, server.pid(), 0, warmSeconds)
  await costs(bare.url, bare.pid, 0)
  const quiet = await quietOf(server.pid())
  const pairs: { limit: number; subject: number }[] = []
  for (let round = 0; round < rounds; round++)
    pairs.push({
      limit: await costs(bare.url, bare.pid, 0),
      subject: await costs(url, server.pid(), quiet),
    })
  bare.stop()
  const share = median(pairs.map((pair) => pair.limit / pair.subject))
  const micro = (name: 'limit' | 'subject') => median(pairs.map((pair) => pair[name])).toFixed(0)
  return {
    id: 'P9',
    what: 'what every call passes on a cached identity: share of node:http, by processor time',
    seen: `${share.toFixed(2)} (${micro('limit')} of ${micro('subject')} µs a call)`,
    target: `>= ${least}`,
    holds: share >= least,
  }
}

async function tokenOf(server: Server): Promise<string> {
  const body = JSON.stringify({ name: 'bench', read_only: true })
  const made = await callerOf(server)('POST', '/auth/access_tokens', body)
  return `Token ${String(Reflect.get(Object(made), 'value'))}`
}

const program = `
const answer = JSON.parse(process.argv[1])
const server = require('node:http').createServer((request, reply) => {
  const body = JSON.stringify(answer)
  reply.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
  reply.end(body)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** Starts a bare node:http server in a separate process. */
async function startBare(answer: string) {
  const child = spawn(process.execPath, ['-e', program, answer], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [port] = await once(child.stdout, 'data')
  return {
    url: `http://127.0.0.1:${Number(String(port))}/`,
    pid: Number(child.pid),
    stop: () => child.kill(),
  }
}

/** Returns the processor microseconds of one call in a process that uses `quiet` ms a second without calls. */
async function costOf(
  pid: number,
  calls: () => Promise<number>,
  forSeconds: number,
  quiet: number,
) {
  const before = processorMs(pid)
  const perSecond = await calls()
  const taken = processorMs(pid) - before - quiet * forSeconds
  return (taken * 1000) / (perSecond * forSeconds)
}

/** Returns the milliseconds a second that an idle process uses for its queues, which are not part of a call. */
async function quietOf(pid: number): Promise<number> {
  const before = processorMs(pid)
  await sleep(seconds * 1000)
  return (processorMs(pid) - before) / seconds
}

/** Processor time of all threads of the process (Linux; NaN elsewhere, and the table shows it). */
function processorMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}
