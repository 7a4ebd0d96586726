import { on } from 'node:events'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { testDatabase } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { importWork, testStore, uploadFile } from '../testing/run.ts'
import { settingsOf } from '../testing/settings.ts'
import { type FromConverter, fromConverter, type ToConverter } from './converter-messages.ts'
import { serveConversions } from './serve-conversions.ts'

/** Messages of a converter that runs in this process. */

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
await sql`create table applied (call_id text not null)`.execute(db)
const { root, blobs } = await testStore()
const { limits, videoCacheBytes } = settingsOf()
const { port1: port, port2: ofConverter } = new MessageChannel()
const wiring = {
  module: new URL('../testing/wiring.ts', import.meta.url).href,
  options: { root: join(root, 'blobs'), url },
}
const messages = on(port, 'message')
const remote = { nets: [], maxBytes: 0 }
const checkpoints = { afterMs: 60_000, everyMs: 0 }
const own = { tmpDir: root, limits, remote, videoCacheBytes, checkpoints }
await serveConversions(ofConverter, { wiring, ...own })
afterAll(() => port.close())
beforeEach(async () => {
  await sql`truncate applied`.execute(db)
})

const tell = (message: ToConverter) => port.postMessage(message)

/** Returns the next message that is not about progress. */
async function heard(): Promise<FromConverter> {
  for (;;) {
    const { value } = await messages.next()
    const message = fromConverter.parse(value[0])
    if (message.type !== 'progress') return message
  }
}

const empty = '{"images":[],"categories":[],"annotations":[]}'
let runs = 0
async function run() {
  const file = await uploadFile(blobs, 'a.json', empty)
  tell({ type: 'run', run: ++runs, work: importWork({ file }) })
}
const finalCall = () => ({ type: 'call', run: runs, call_id: 1, call: { method: 'enterFinal' } })
const grant = (reply: boolean, given = { run: runs, call_id: 1 }) =>
  tell({ type: 'reply', reply, ...given })
const applied = async () => (await sql`select call_id from applied`.execute(db)).rows.length

test('an import requests permission before its final call, and makes the call once it is granted', async () => {
  await run()
  expect(await heard()).toEqual(finalCall())
  expect(await applied()).toBe(0)
  grant(true)
  expect(await heard()).toMatchObject({ type: 'done' })
  expect(await applied()).toBe(1)
})

test('a cancelled import without permission writes nothing', async () => {
  await run()
  expect(await heard()).toEqual(finalCall())
  grant(false)
  expect(await heard()).toMatchObject({ type: 'failed' })
  expect(await applied()).toBe(0)
})

test('an import that is stopped while it waits for the reply writes nothing after any reply', async () => {
  await run()
  expect(await heard()).toEqual(finalCall())
  tell({ type: 'abort', run: runs })
  grant(true)
  expect(await heard()).toMatchObject({ type: 'failed' })
  expect(await applied()).toBe(0)
})

test('replies to unknown calls, of other runs or of invalid shape are ignored', async () => {
  await run()
  expect(await heard()).toEqual(finalCall())
  grant(true, { run: runs, call_id: 7 })
  grant(true, { run: runs - 1, call_id: 1 })
  port.postMessage('a reply')
  port.postMessage({ type: 'reply', call_id: 1 })
  tell({ type: 'abort', run: runs - 1 })
  expect(await applied()).toBe(0)
  grant(true)
  grant(false)
  expect(await heard()).toMatchObject({ type: 'done', run: runs })
  expect(await applied()).toBe(1)
})

test('work that cannot be parsed fails its run, and the next run works', async () => {
  port.postMessage({ type: 'run', run: ++runs, work: { action: 'import' } })
  expect(await heard()).toMatchObject({ type: 'failed', run: runs, failure: { kind: 'defect' } })
  await run()
  expect(await heard()).toEqual(finalCall())
  grant(true)
  expect(await heard()).toMatchObject({ type: 'done' })
})
