import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { defineOperations, internal, post } from '@reticle/contracts/api/operation'
import { bytes } from '@reticle/contracts/rest/common'
import { z } from 'zod'

/** Service in a separate process, for tests and measurements of the transport. It counts, and every count is a row. */
export const tally = defineOperations('TallyService', {
  /** Adds one row, a change like any other. */
  add: post('/tally', {
    body: z.object({ note: z.string() }),
    answers: { 201: z.object({ id: z.int(), note: z.string() }).meta({ id: 'Tally' }) },
  }),
  /** Returns the process id, and does nothing else. */
  ping: internal({ answers: { 200: z.object({ pid: z.int() }).meta({ id: 'Pong' }) } }),
  /** Streams `size` bytes as fast as the reader accepts them. */
  flood: internal({ query: z.object({ size: z.int() }), answers: { 200: bytes } }),
})

export interface ToRpcProcess {
  port: number
  keys: readonly string[]
  /** Database with the tables of `outbox/tables.ts` and the table `tally` in this schema. */
  database?: { url: string; schema: string }
}

export interface RpcProcess {
  pid: number
  port: number
  /** Sends SIGTERM, so that running calls finish, and resolves when the process has exited. */
  stop: () => Promise<void>
  /** Sends SIGKILL, and resolves when the process has exited. */
  kill: () => Promise<void>
}

const isSource = import.meta.url.endsWith('.ts')
const execArgv = isSource ? ['--conditions=@reticle/source', '--import', 'tsx'] : []
const entry = isSource ? './rpc-server.ts' : './rpc-server.js'

/** Starts the service, and resolves when it listens. */
export async function startRpcProcess(given: ToRpcProcess): Promise<RpcProcess> {
  const child = fork(fileURLToPath(new URL(entry, import.meta.url)), { execArgv })
  const gone = once(child, 'exit')
  child.send(given)
  const failed = gone.then(() => Promise.reject(new Error('the server did not start')))
  failed.catch(() => undefined)
  const [{ port }] = await Promise.race([once(child, 'message'), failed])
  const end = (signal: NodeJS.Signals) => async () => {
    child.kill(signal)
    await gone
  }
  return { pid: child.pid ?? 0, port, stop: end('SIGTERM'), kill: end('SIGKILL') }
}
