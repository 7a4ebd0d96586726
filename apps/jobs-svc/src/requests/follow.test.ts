import { requests } from '@reticle/contracts/api/requests'
import { splitLines } from '@reticle/contracts/row-lines'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'
import { finishRequest } from '../worker/leases/repo-endings.ts'
import { reportProgress } from '../worker/leases/repo-leases.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const grants = [{ target: 'task', id: 1, user_id: 1, facts: factsOf({}) }] as const
const annotations = { getRevision: async () => ({ etag: '"t1-1"' }) }
const services = { tasks: authorityOf(grants), annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf({}) })
const anna = callAs({ user_id: 1, username: 'anna' })
const bob = callAs({ user_id: 2 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
})

async function take() {
  const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  if (!row) throw new Error('no request was claimed')
  return row
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

const done = { report: null, result: { key: 'requests/results/u/1', size: 7 }, result_id: null }

describe.each(transports)('over %s', (transport) => {
  const calls = overTransport(transport, requests, handlers)

  async function* followed(rq_id: string | undefined, context = anna) {
    const { chunks } = await calls.followRequests({ rq_id }, context)
    for await (const texts of splitLines(chunks)) {
      for (const text of texts) yield JSON.parse(text)
    }
  }

  test('a stream of one request shows its state at each change until it ends', async () => {
    const { rq_id } = await addRequest(db)
    const records = followed(rq_id)
    const next = async () => (await records.next()).value
    expect(await next()).toMatchObject({ id: rq_id, status: 'queued', queue_position: 0 })
    const row = await take()
    expect(await next()).toMatchObject({ status: 'started', attempt: 1, queue_position: null })
    await reportProgress(db, row, {
      progress: 0.5,
      stage: 'Reading',
      bytes_done: 5,
      bytes_total: 9,
    })
    expect(await next()).toMatchObject({
      progress: 0.5,
      message: 'Reading',
      bytes_done: 5,
      bytes_total: 9,
      items_done: null,
      eta_seconds: expect.any(Number),
    })
    await finishRequest(db, row, done, 24)
    expect(await next()).toMatchObject({ status: 'finished', progress: 1, eta_seconds: null })
    expect((await records.next()).done).toBe(true)
  })

  test('a stream of an ended request shows one record', async () => {
    const { rq_id } = await addRequest(db)
    await finishRequest(db, await take(), done, 24)
    const records = await all(followed(rq_id))
    expect(records.map((record) => record.status)).toEqual(['finished'])
  })

  test('a stream of a request without permission is forbidden, of an unknown request not found', async () => {
    const { rq_id } = await addRequest(db)
    await expect(followed(rq_id, bob).next()).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(followed('none').next()).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a stream of all requests shows only those of the caller, including new ones', async () => {
    const first = await addRequest(db)
    await addRequest(db, { owner_id: 2, tenant: 'user:2' })
    const records = followed(undefined)
    expect((await records.next()).value).toMatchObject({ id: first.rq_id })
    const second = await addRequest(db, { created: 1 })
    expect((await records.next()).value).toMatchObject({ id: second.rq_id, queue_position: 1 })
    await records.return()
  })

  test('streams end before the deadline of the caller', async () => {
    const short = { ...anna, deadline: Date.now() + 1500 }
    expect(await all(followed(undefined, short))).toEqual([])
  })
})

test('amounts never decrease when a second attempt counts from the start', async () => {
  const { rq_id } = await addRequest(db)
  const row = await take()
  await reportProgress(db, row, { progress: 0.5, stage: 'a', items_done: 50, items_total: 100 })
  await reportProgress(db, row, { progress: 0.1, stage: 'b', items_done: 10, items_total: 100 })
  expect(await handlers.getRequest({ rq_id }, anna)).toMatchObject({
    progress: 0.5,
    message: 'b',
    items_done: 50,
    items_total: 100,
  })
})

test('a queued request reports its position in the queue of its workspace', async () => {
  const positions = async () => {
    const { results } = await handlers.listRequests({ sort: 'created_date' }, anna)
    return results.map((record) => record.queue_position)
  }
  await addRequest(db, { created: 3 })
  await addRequest(db, { created: 1 })
  await addRequest(db, { created: 2, priority: 1 })
  await addRequest(db, { created: 0, tenant: 'org:2' })
  expect(await positions()).toEqual([0, 1, 0, 2])
  await take()
  expect((await positions()).filter((position) => position === null).length).toBe(1)
})
