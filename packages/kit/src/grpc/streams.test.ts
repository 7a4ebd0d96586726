import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineOperations, internal } from '@reticle/contracts/api/operation'
import { bytes } from '@reticle/contracts/rest/common'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Bytes, Service } from '../rpc/context.ts'
import { guardHandlers } from '../rpc/guard.ts'
import { callAs } from '../testing/call.ts'
import { protosOf } from '../testing/protos.ts'
import { openProxy } from '../testing/proxy.ts'
import { startRpcProcess, tally } from '../testing/rpc-process.ts'
import { connectGrpc } from './connect.ts'
import { listenGrpc } from './listen.ts'

/**
 * Back-pressure and ends of streams: no side buffers what the other has
 * not accepted, and a stream ends when its peer vanishes.
 */

const query = z.object({ how: z.enum(['endless', 'silent']) })
const count = z.object({ count: z.int() })
const table = defineOperations('StreamService', {
  read: internal({ query, answers: { 200: bytes } }),
  write: internal({ body: bytes, answers: { 200: count } }),
})
const protos = protosOf(table)
const keys = ['k']
const host = '127.0.0.1'
const idleMs = 200
const piece = Buffer.alloc(64 * 1024)

let made = 0
let isReleased = false
async function* produce(how: 'endless' | 'silent'): Bytes {
  made = 0
  isReleased = false
  try {
    yield piece
    if (how === 'silent') await sleep(30_000, undefined, { ref: false })
    for (;;) {
      made++
      yield piece
    }
  } finally {
    isReleased = true
  }
}

let bodyFailed: unknown
const handlers: Service<typeof table> = {
  read: async ({ how }) => ({ head: {}, chunks: produce(how) }),
  write: async ({ body }) => {
    let taken = 0
    try {
      for await (const _ of body) taken++
    } catch (thrown) {
      bodyFailed = thrown
      throw thrown
    }
    return { count: taken }
  },
}
const service = guardHandlers(handlers, () => undefined)
const server = await listenGrpc({ host, port: 0, keys, protos, idleMs }, (serve) =>
  serve(table, service),
)
const proxy = await openProxy({ host, port: server.port })
const patient = connectGrpc({ address: `${host}:${proxy.port}`, keys, protos })
const brisk = connectGrpc({ address: `${host}:${proxy.port}`, keys, protos, idleMs })
afterAll(async () => {
  patient.close()
  brisk.close()
  await proxy.close()
  await server.stop()
})

test('a reader that accepts nothing for too long releases the resources of the response', async () => {
  const { chunks } = await patient.service(table).read({ how: 'endless' }, callAs(null))
  const pieces = chunks[Symbol.asyncIterator]()
  await pieces.next()
  await expect.poll(() => isReleased, { timeout: 60_000 }).toBe(true)
  expect(made).toBeLessThan(64)
  await pieces.return?.()
})

test('a reader waits for the next piece only for a limited time', async () => {
  const { chunks } = await brisk.service(table).read({ how: 'silent' }, callAs(null))
  const pieces = chunks[Symbol.asyncIterator]()
  await pieces.next()
  await expect(pieces.next()).rejects.toMatchObject({
    kind: 'unavailable',
    message: 'Nothing moved for 0.2 s.',
  })
})

test('a slow reader receives everything, although the total exceeds the limit of a pause', async () => {
  const { chunks } = await brisk.service(table).read({ how: 'endless' }, callAs(null))
  let taken = 0
  for await (const _ of chunks) {
    await sleep(30)
    if (++taken === 2 * Math.ceil(idleMs / 30)) break
  }
  expect(taken).toBe(14)
})

test('a sender that falls silent is an error of the body, not its end', async () => {
  const silent = (async function* () {
    yield piece
    await sleep(30_000, undefined, { ref: false })
  })()
  bodyFailed = undefined
  const attempt = patient.service(table).write({ body: silent }, callAs(null))
  await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  expect(bodyFailed).toMatchObject({ kind: 'unavailable' })
})

test('a stream ends on both sides when the network drops all packets', async () => {
  const { chunks } = await brisk.service(table).read({ how: 'endless' }, callAs(null))
  const pieces = chunks[Symbol.asyncIterator]()
  await pieces.next()
  proxy.blackHole()
  const rest = async () => {
    while (!(await pieces.next()).done);
  }
  await expect(rest()).rejects.toMatchObject({ kind: 'unavailable' })
  await expect.poll(() => isReleased, { timeout: 60_000 }).toBe(true)
  proxy.heal()
})

test('memory stays constant for any amount of streamed bytes', async () => {
  const mib = 1024 * 1024
  const flooding = await startRpcProcess({ port: 0, keys })
  const address = `${host}:${flooding.port}`
  const connection = connectGrpc({ address, keys, protos: protosOf(tally) })
  afterAll(async () => {
    connection.close()
    await flooding.kill()
  })
  const { flood } = connection.service(tally)
  const most = { here: 0, there: 0 }
  const read = async (size: number, watch: () => void) => {
    const { chunks } = await flood({ size }, callAs(null))
    let taken = 0
    for await (const chunk of chunks) {
      taken += chunk.length
      if (taken % (8 * mib) === 0) watch()
    }
    return taken
  }
  expect(await read(32 * mib, () => undefined)).toBe(32 * mib) // warm-up
  const before = { here: process.memoryUsage.rss(), there: residentOf(flooding.pid) }
  await read(128 * mib, () => {
    most.here = Math.max(most.here, process.memoryUsage.rss() - before.here)
    most.there = Math.max(most.there, residentOf(flooding.pid) - before.there)
  })
  expect(most.here).toBeLessThan(64 * mib)
  expect(most.there).toBeLessThan(64 * mib)
}, 60_000)

/**
 * Returns the resident memory of a process in bytes. Outside of Linux
 * it is 0, and the test covers only its own process.
 */
function residentOf(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) * 1024
  } catch {
    return 0
  }
}
