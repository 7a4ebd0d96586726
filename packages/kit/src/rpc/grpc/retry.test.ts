import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { defineOperations, put } from '@reticle/contracts/api/operation'
import { bytes } from '@reticle/contracts/rest/common'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import type { CallContext, Service } from '../../call/context.ts'
import { unavailable } from '../../call/errors.ts'
import { runChange } from '../../db/change.ts'
import { outboxTables } from '../../outbox/tables.ts'
import { callAs } from '../../testing/call.ts'
import { testDatabase } from '../../testing/db.ts'
import { protosOf } from '../../testing/protos.ts'
import { openProxy } from '../../testing/proxy.ts'
import { guardHandlers } from '../guard.ts'
import { connectGrpc } from './connect.ts'
import { listenGrpc } from './listen.ts'

/** Calls that were lost with a broken connection are retried, and take effect once. */

const migrations = {
  '0001-notes': {
    up: async (db: Kysely<unknown>) => {
      await outboxTables(db, 'notes')
      await sql`create table notes.notes (
        id integer generated always as identity primary key, text text not null)`.execute(db)
    },
  },
}
const { db } = await testDatabase<{ notes: { id: number; text: string } }>([
  { schema: 'notes', migrations },
])

const note = z.object({ id: z.int(), text: z.string() }).meta({ id: 'Note' })
const body = z.object({ text: z.string() }).meta({ id: 'NoteCreate' })
const table = defineOperations('NoteService', {
  addNote: put('/notes', { body, answers: { 200: note } }),
  sendNote: put('/sent', { body: bytes, answers: { 200: note } }),
})
const protos = protosOf(table)
const keys = ['k']
const host = '127.0.0.1'

let seen: CallContext[] = []
let beforeAnswer: () => Promise<void> | void = () => undefined

async function insert(text: string, context: CallContext) {
  seen.push(context)
  const made = await runChange(db, context, async (tx) => {
    const { rows } = await sql<{ id: number; text: string }>`
      insert into notes (text) values (${text}) returning id, text`.execute(tx)
    return { id: rows[0]?.id ?? 0, text }
  })
  await beforeAnswer()
  return made
}

const handlers: Service<typeof table> = {
  addNote: ({ body: { text } }, context) => insert(text, context),
  sendNote: async ({ body: chunks }, context) => {
    for await (const _ of chunks);
    return insert('sent', context)
  },
}

const server = await listenGrpc({ host, port: 0, keys, protos }, (serve) =>
  serve(
    table,
    guardHandlers(handlers, () => undefined),
  ),
)
const proxy = await openProxy({ host, port: server.port })
const connection = connectGrpc({ address: `${host}:${proxy.port}`, keys, protos })
const notes = connection.service(table)

afterAll(async () => {
  connection.close()
  await proxy.close() // first, because the server waits for open connections
  await server.stop()
})

beforeEach(async () => {
  await db.deleteFrom('notes').execute()
  proxy.heal()
  seen = []
  beforeAnswer = () => undefined
})

const stored = () => db.selectFrom('notes').select(['id', 'text']).execute()

/** Breaks the connection after the commit, that many times; the caller can reconnect at once. */
function cutAnswers(times: number) {
  let left = times
  beforeAnswer = () => {
    if (left-- <= 0) return
    proxy.cut()
    proxy.heal()
  }
}

test.each([1, 3])('a change whose response was lost %d times is made once', async (times) => {
  cutAnswers(times)
  const answer = await notes.addNote({ body: { text: 'once' } }, callAs(null))

  expect(await stored()).toEqual([answer])
  expect(seen).toHaveLength(times + 1)
  expect(new Set(seen.map(({ call_id }) => call_id)).size).toBe(1)
})

test('a change whose response broke off after its head is made once', async () => {
  const cutter = await openHeadCutter(server.port)
  const connected = connectGrpc({ address: `${host}:${cutter.port}`, keys, protos })
  beforeAnswer = () => {
    beforeAnswer = () => undefined
    cutter.arm()
  }
  const answer = await connected.service(table).addNote({ body: { text: 'once' } }, callAs(null))
  expect(await stored()).toEqual([answer])
  expect(seen).toHaveLength(2)
  expect(new Set(seen.map(({ call_id }) => call_id)).size).toBe(1)
  connected.close()
  cutter.close()
})

/**
 * Opens a proxy between a client and the server. When armed, it forwards the
 * head of the next response and then resets the connection.
 */
async function openHeadCutter(target: number) {
  let isArmed = false
  const listener = createServer((client) => {
    const upstream = connect({ host, port: target })
    client.on('error', () => undefined).pipe(upstream)
    upstream.on('error', () => undefined).on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    upstream.on('data', (bytes: Buffer) => {
      const end = isArmed ? headEnd(bytes) : undefined
      client.write(end === undefined ? bytes : bytes.subarray(0, end))
      if (end === undefined) return
      isArmed = false
      upstream.pause()
      setTimeout(() => client.resetAndDestroy(), 50) // unread bytes are lost in a reset
    })
  }).listen(0, host)
  await once(listener, 'listening')
  return {
    port: (listener.address() as AddressInfo).port,
    arm: () => {
      isArmed = true
    },
    close: () => listener.close(),
  }
}

/**
 * Returns the end of the first HEADERS frame among complete frames (RFC
 * 9113 4.1: three bytes of length, one of type, nine in all).
 */
function headEnd(bytes: Buffer): number | undefined {
  for (let at = 0; at + 9 <= bytes.length; ) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (bytes[at + 3] === 1) return end
    at = end
  }
  return undefined
}

test('a call whose connection breaks four times is unavailable', async () => {
  cutAnswers(4)
  const attempt = notes.addNote({ body: { text: 'once' } }, callAs(null))
  await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  expect(seen).toHaveLength(4)
  expect(await stored()).toHaveLength(1)
})

test('two equal changes of a caller are both made', async () => {
  const wish = { body: { text: 'twice' } }
  await notes.addNote(wish, callAs(null))
  await notes.addNote(wish, callAs(null))
  expect(await stored()).toHaveLength(2)
})

test('a change that another call triggered has a separate call id', async () => {
  const context = callAs(null, { call_id: 'of the call before' })
  await notes.addNote({ body: { text: 'a' } }, context)
  await notes.addNote({ body: { text: 'b' } }, context)
  expect(await stored()).toHaveLength(2)
})

test('a streamed body is not sent again', async () => {
  cutAnswers(1)
  const chunks = (async function* () {
    yield Buffer.from('text')
  })()
  const attempt = notes.sendNote({ body: chunks }, callAs(null))
  await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
  expect(seen.map(({ call_id }) => call_id)).toEqual([undefined])
})

test('a call that a service answers with unavailable is not retried', async () => {
  beforeAnswer = () => {
    throw unavailable('The database took too long.')
  }
  const attempt = notes.addNote({ body: { text: 'once' } }, callAs(null))
  await expect(attempt).rejects.toMatchObject({ message: 'The database took too long.' })
  expect(seen).toHaveLength(1)
})

test('a long deadline of a caller is limited to the time of the operation', async () => {
  await notes.addNote({ body: { text: 'a' } }, callAs(null, { deadline: Date.now() + 3_600_000 }))
  const deadline = seen.at(-1)?.deadline ?? 0
  expect(deadline - Date.now()).toBeGreaterThan(10_000)
  expect(deadline - Date.now()).toBeLessThanOrEqual(15_000)
})

test('a caller never waits longer than its deadline for a silent service', async () => {
  proxy.blackHole()
  const began = performance.now()
  const context = callAs(null, { deadline: Date.now() + 300 })
  const attempt = notes.addNote({ body: { text: 'lost' } }, context)
  await expect(attempt).rejects.toMatchObject({ message: 'The request took too long.' })
  expect(performance.now() - began).toBeLessThan(2000)
})
