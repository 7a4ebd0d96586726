import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Bytes, Service } from '../call/context.ts'
import { runChange } from '../db/change.ts'
import { openDatabase } from '../db/connect.ts'
import { listenGrpc } from '../rpc/grpc/listen.ts'
import { guardHandlers } from '../rpc/guard.ts'
import { protosOf } from './protos.ts'
import { type ToRpcProcess, tally } from './rpc-process.ts'

/** Entry of the process that `startRpcProcess` starts. */

process.once('message', (given: ToRpcProcess) => void serve(given))
process.once('disconnect', () => process.exit()) // otherwise it would outlive its parent

async function serve({ port, keys, database }: ToRpcProcess): Promise<void> {
  const opened = database && openTally(database)
  const handlers: Service<typeof tally> = {
    add: opened?.add ?? (async ({ body }) => ({ id: 0, ...body })),
    ping: async () => ({ pid: process.pid }),
    flood: async ({ size }) => ({ head: {}, chunks: zeros(size) }),
  }
  const protos = protosOf(tally)
  const options = { host: '127.0.0.1', port, keys, protos }
  const service = guardHandlers(handlers, (thrown) => process.stderr.write(`${String(thrown)}\n`))
  const server = await listenGrpc(options, (answer) => answer(tally, service))
  server.setServing(true)
  process.once('SIGTERM', async () => {
    server.setServing(false)
    await sleep(50) // for callers to switch to another replica
    await server.stop()
    await opened?.close()
    process.exit()
  })
  process.send?.({ port: server.port })
}

function openTally({ url, schema }: NonNullable<ToRpcProcess['database']>) {
  const options = { application: 'tally', search_path: [schema], max: 8, wait_timeout: 15_000 }
  const { db, close } = openDatabase<{ tally: { id: number; note: string } }>(url, options)
  const add: Service<typeof tally>['add'] = ({ body }, context) =>
    runChange(db, context, async (tx) => {
      const { rows } = await sql<{ id: number; note: string }>`
        insert into tally (note) values (${body.note}) returning id, note`.execute(tx)
      const [row] = rows
      if (!row) throw new Error('nothing was inserted')
      return { id: row.id, note: row.note }
    })
  return { add, close }
}

const piece = Buffer.alloc(64 * 1024)

async function* zeros(size: number): Bytes {
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left)
}
