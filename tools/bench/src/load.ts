import { fork } from 'node:child_process'
import { once, setMaxListeners } from 'node:events'
import { Agent, type ClientRequestArgs, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

const call = z.object({
  method: z.string().default('GET'),
  /** `{key}` is replaced by the last value of that key in an answer on the same connection. */
  path: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  /** Sends a wrong password of another user each time. */
  guesses: z.boolean().default(false),
  body: z.base64().optional(),
  /** `item` repeated with commas in between, a prefix and a suffix; instead of `body`. */
  repeated: z
    .object({ start: z.string(), item: z.string(), count: z.int(), end: z.string() })
    .optional(),
})
const load = z.object({
  api: z.string(),
  connections: z.int(),
  /** Each connection repeats one of these scripts, making one call after the other. */
  scripts: z.array(z.array(call).min(1)).min(1),
})

export type LoadCall = z.input<typeof call>
export type BenchLoad = z.input<typeof load>

/** Number of calls of a load by status; 0 means no answer. */
export type Statuses = Map<number, number>

export interface RunningLoad {
  begin: () => void
  /** Aborts the running calls and returns the statuses. */
  end: () => Promise<Statuses>
  close: () => void
}

/** Starts a load in a separate process, so that it does not slow the measurement. */
export async function startLoad(given: BenchLoad): Promise<RunningLoad> {
  const child = fork(fileURLToPath(import.meta.url))
  child.send(given)
  await once(child, 'message') // its bodies have been generated
  return {
    begin: () => child.send('begin'),
    end: async () => {
      child.send('end')
      const [statuses] = await once(child, 'message')
      return new Map(statuses)
    },
    close: () => child.disconnect(),
  }
}

interface ReadyCall {
  url: string
  options: ClientRequestArgs
  guesses: boolean
  body: Buffer | undefined
}

function prepareCall(api: string, given: z.output<typeof call>): ReadyCall {
  const { method, path, headers, guesses, body, repeated } = given
  const type: Record<string, string> = repeated ? { 'content-type': 'application/json' } : {}
  return {
    url: `${api}${path}`,
    options: { method, headers: { ...type, ...headers } },
    guesses,
    body: repeated ? repeatedBody(repeated) : body ? Buffer.from(body, 'base64') : undefined,
  }
}

function repeatedBody({ start, item, count, end }: NonNullable<LoadCall['repeated']>): Buffer {
  return Buffer.from(`${start}${`${item},`.repeat(count - 1)}${item}${end}`)
}

/** Values that paths can refer to: the first one in an answer. */
const remembered = [
  ['id', /"id":(\d+)/],
  ['rq_id', /"rq_id":"([^"]+)/],
] as const

let guesses = 0
/** Values of earlier answers on a connection. */
type Known = Map<string, string>

async function sendCall(given: ReadyCall, known: Known, options: ClientRequestArgs) {
  const url = given.url.replace(/\{(\w+)\}/g, (_, key) => encodeURIComponent(known.get(key) ?? '0'))
  const auth = given.guesses ? `unknown-${process.pid}-${guesses++}:wrong` : undefined
  const sent = request(url, { ...given.options, ...options, auth })
  sent.end(given.body)
  const [answer]: IncomingMessage[] = await once(sent, 'response')
  const status = answer?.statusCode ?? 0
  if (!answer) return status
  const body = await text(answer)
  for (const [key, pattern] of remembered) {
    const [, value] = pattern.exec(body) ?? []
    if (value !== undefined) known.set(key, value)
  }
  return status
}

/** Runs the scripts until the signal is aborted. */
async function runLoad(scripts: ReadyCall[][], connections: number, signal: AbortSignal) {
  setMaxListeners(0, signal)
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const statuses: Statuses = new Map()
  const runConnection = async (_: unknown, index: number) => {
    const known: Known = new Map()
    while (!signal.aborted)
      for (const one of scripts[index % scripts.length] ?? []) {
        const status = await sendCall(one, known, { agent, signal }).catch(() => 0)
        if (signal.aborted) break
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
  }
  await Promise.all(Array.from({ length: connections }, runConnection))
  agent.destroy()
  return [...statuses]
}

async function serveLoad(): Promise<void> {
  const [message] = await once(process, 'message')
  const { api, connections, scripts } = load.parse(message)
  const ready = scripts.map((script) => script.map((one) => prepareCall(api, one)))
  let stop = new AbortController()
  let running: ReturnType<typeof runLoad> | undefined
  process.on('message', async (command) => {
    if (command === 'begin') {
      stop = new AbortController()
      running = runLoad(ready, connections, stop.signal)
      return
    }
    stop.abort()
    process.send?.(await running)
  })
  process.send?.('ready')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await serveLoad()
