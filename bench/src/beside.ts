import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { percentile, timed } from './measure.ts'
import { type Server, startEmbedded } from './server.ts'
import type { Figure } from './table.ts'
import { callerOf, makeTask } from './task.ts'

const most = 3
const phaseMs = 6000
const pauseMs = 20
const shown = 6000

/** A call whose body or answer is as large as it may be, repeated by a process of its own. */
interface LargeCall {
  what: string
  method: string
  path: string
  /** A prefix, a text that is repeated so often with commas in between, and a suffix. */
  body?: { start: string; item: string; count: number; end: string }
}

/**
 * How long somebody's small call (`GET /projects`) takes while another connection sends large ones: 95 of 100 calls, as a
 * multiple of a quiet server; none may be refused. Quiet and loaded phases take turns.
 */
export async function besideFigures(): Promise<Figure[]> {
  const server = await startEmbedded({
    RETICLE_GATEWAY_RATE_USER: '0',
    RETICLE_GATEWAY_RATE_ANNOTATIONS: '0',
  })
  try {
    await smallCalls(server, phaseMs) // the engine compiles what runs often
    const figures: Figure[] = []
    for (const large of await largeCalls(server)) figures.push(await figureOf(server, large))
    return figures
  } finally {
    await server.stop()
  }
}

async function largeCalls(server: Server): Promise<LargeCall[]> {
  const call = callerOf(server)
  const { id, labelId } = await makeTask(server, 1)
  for (const name of ['one half', 'other half']) {
    const labels = Array.from({ length: shown / 2 }, (_, index) => ({
      name: `label ${index}`,
      attributes: [{ name: 'a', mutable: false, input_type: 'text', values: [] }],
    }))
    await call('POST', '/projects', JSON.stringify({ name, labels: labels.slice(0, 1500) }))
    await call('POST', '/projects', JSON.stringify({ name, labels: labels.slice(1500) }))
  }
  for (let count = 0; count < 300; count++) await call('POST', '/events/export')
  const put = { method: 'PUT', path: `/tasks/${id}/annotations` }
  const shape = `"frame":0,"label_id":${labelId},"type"`
  const points = (type: string) => `{"shapes":[{${shape}:"${type}","points":[`
  return [
    {
      what: 'a mask of 10,000,000 runs',
      ...put,
      body: { start: points('mask'), item: '1', count: 10_000_000, end: ']}]}' },
    },
    {
      what: '1,000,001 objects',
      ...put,
      body: {
        start: '{"shapes":[',
        item: `{${shape}:"rectangle","points":[1,2,3,4]}`,
        count: 1_000_001,
        end: ']}',
      },
    },
    {
      what: '1,000,000 attributes of one shape',
      ...put,
      body: {
        start: `{"shapes":[{${shape}:"rectangle","points":[1,2,3,4],"attributes":[`,
        item: '{}',
        count: 1_000_000,
        end: ']}]}',
      },
    },
    {
      what: `${shown} labels by page_size=all`,
      method: 'GET',
      path: '/labels?page_size=all',
    },
    {
      what: '900,000 numbers instead of labels',
      method: 'POST',
      path: '/projects',
      body: { start: '{"name":"x","labels":[', item: '1', count: 900_000, end: ']}' },
    },
    { what: '300 requests followed by 20 event streams', method: 'GET', path: '/requests/stream' },
  ]
}

async function figureOf(server: Server, large: LargeCall): Promise<Figure> {
  const child = fork(fileURLToPath(import.meta.url), [
    JSON.stringify({ ...large, server: { api: server.api, authorization: server.authorization } }),
  ])
  await once(child, 'message') // its body is made
  const quiet: number[] = []
  const loaded: number[] = []
  let refused = 0
  for (let round = 0; round < 2; round++) {
    quiet.push(...(await smallCalls(server, phaseMs)).ms)
    child.send('begin')
    const during = await smallCalls(server, phaseMs)
    child.send('end')
    await once(child, 'message')
    loaded.push(...during.ms)
    refused += during.refused
  }
  child.disconnect()
  const [before, after] = [percentile(quiet, 95), percentile(loaded, 95)]
  return {
    id: 'T-TEN-3',
    what: `a small call beside ${large.what}: p95, loaded to quiet; refused`,
    seen: `${(after / before).toFixed(2)} (${after.toFixed(1)} ms / ${before.toFixed(1)} ms); ${refused}`,
    target: `<= ${most}; 0`,
    holds: after / before <= most && refused === 0,
  }
}

async function smallCalls(
  { api, authorization }: Pick<Server, 'api' | 'authorization'>,
  forMs: number,
) {
  const ms: number[] = []
  let refused = 0
  const end = performance.now() + forMs
  while (performance.now() < end) {
    ms.push(
      await timed(async () => {
        const answer = await fetch(`${api}/projects?page_size=1`, { headers: { authorization } })
        await answer.arrayBuffer()
        if (!answer.ok) refused++
      }),
    )
    await sleep(pauseMs)
  }
  return { ms, refused }
}

const task = z.object({
  method: z.string(),
  path: z.string(),
  server: z.object({ api: z.string(), authorization: z.string() }),
  body: z
    .object({ start: z.string(), item: z.string(), count: z.int(), end: z.string() })
    .optional(),
})

/** One large call after the other, or twenty streams, until it is to end. */
function repeatLarge(given: string): void {
  const { method, path, server, body } = task.parse(JSON.parse(given))
  const text =
    body &&
    Buffer.from(`${body.start}${`${body.item},`.repeat(body.count - 1)}${body.item}${body.end}`)
  const headers = { authorization: server.authorization, 'content-type': 'application/json' }
  const atOnce = path.endsWith('/stream') ? 20 : 1
  let stop = new AbortController()
  const repeat = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      const answer = await fetch(`${server.api}${path}`, {
        method,
        headers,
        body: text,
        signal,
      }).catch(() => undefined)
      await answer?.arrayBuffer().catch(() => undefined)
    }
  }
  let running: Promise<unknown> = Promise.resolve()
  process.on('message', async (message) => {
    if (message === 'begin') {
      stop = new AbortController()
      running = Promise.all(Array.from({ length: atOnce }, () => repeat(stop.signal)))
      return
    }
    stop.abort()
    await running
    process.send?.('ended')
  })
  process.send?.('ready')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) repeatLarge(process.argv[2] ?? '')
