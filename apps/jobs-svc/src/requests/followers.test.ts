import { requests } from '@reticle/contracts/api/requests'
import { splitLines } from '@reticle/contracts/row-lines'
import type { CallContext } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport } from '@reticle/kit/testing/transport'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeEach, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { mostStreams } from './follow.ts'
import { mostWaits } from './wait.ts'

/** Cost of many open streams and waiting calls, and their limits per user. */

let queries = 0
const counting: KyselyPlugin = {
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    queries++
    return result
  },
}
const plain = await testDb<RequestsDb>(migrations, 'requests')
const db = plain.withPlugin(counting)
const annotations = { getRevision: async () => ({ etag: '"t1-1"' }) }
const services = { tasks: authorityOf([]), annotations, ...noOthers }
const deps = { db, services, settings: settingsOf({}) }
const anna = callAs({ user_id: 1 })
const bob = callAs({ user_id: 2 })

beforeEach(async () => {
  await sql`truncate requests, tenant_turns cascade`.execute(plain)
})

type Handlers = ReturnType<typeof requestHandlers>

/** Opens a stream and collects the ids and positions that it shows, until it is closed. */
async function openStream(handlers: Handlers, rq_id?: string, context: CallContext = anna) {
  const gone = new AbortController()
  const call = { ...context, signal: gone.signal }
  const { chunks } = await handlers.followRequests({ rq_id }, call)
  const shown: { id: string; status: string; queue_position: number | null }[] = []
  const reading = async () => {
    for await (const lines of splitLines(chunks))
      for (const line of lines) shown.push(JSON.parse(line))
  }
  const ended = reading().catch(() => undefined)
  const leave = () => {
    gone.abort()
    return ended
  }
  return { shown, leave, ended }
}

const addRequests = (count: number, given = {}) =>
  Promise.all(
    Array.from({ length: count }, (_, created) => addRequest(plain, { created, ...given })),
  )

/** Counts the queries of three further reads by `streams` streams of one user. */
async function queriesOf(streams: number, followed: 'all' | 'one') {
  const handlers = requestHandlers(deps)
  const [first] = await addRequests(30)
  const rq_id = followed === 'all' ? undefined : first?.rq_id
  const open = await Promise.all(Array.from({ length: streams }, () => openStream(handlers, rq_id)))
  await vi.waitFor(() => expect(open.every(({ shown }) => shown.length > 0)).toBe(true), 60_000)
  const before = queries
  for (let change = 1; change <= 3; change++) {
    await sql`update requests set stage = ${`change ${change}`}, status = 'started'`.execute(plain)
    const shows = ({ shown }: (typeof open)[number]) => shown.at(-1)
    await vi.waitFor(
      () =>
        expect(open.map(shows)).toEqual(
          open.map(() => expect.objectContaining({ message: `change ${change}` })),
        ),
      5000,
    )
  }
  const spent = queries - before
  await Promise.all(open.map(({ leave }) => leave()))
  return spent
}

test.each(['all', 'one'] as const)(
  'the number of queries does not grow with the streams of a user that follow %s',
  async (followed) => {
    const few = await queriesOf(1, followed)
    await sql`truncate requests cascade`.execute(plain)
    const many = await queriesOf(mostStreams, followed)
    expect(many).toBeLessThanOrEqual(few + 2) // tolerance: one pause more or less
  },
)

test('streams of 15 users share their queries', async () => {
  const handlers = requestHandlers(deps)
  const users = Array.from({ length: 15 }, (_, index) => callAs({ user_id: index + 1 }))
  await Promise.all(
    users.map((_, index) =>
      addRequest(plain, { owner_id: index + 1, tenant: `user:${index + 1}` }),
    ),
  )
  const before = queries
  const open = await Promise.all(users.map((user) => openStream(handlers, undefined, user)))
  await vi.waitFor(() => expect(open.every(({ shown }) => shown.length === 1)).toBe(true), 60_000)
  expect(queries - before).toBeLessThanOrEqual(3)
  await Promise.all(open.map(({ leave }) => leave()))
})

test('every stream starts with all requests and shows each change, also a stream that opens later', async () => {
  const handlers = requestHandlers(deps)
  const rows = await addRequests(5)
  const early = await openStream(handlers)
  await vi.waitFor(() => expect(early.shown).toHaveLength(5), 60_000)
  const late = await openStream(handlers)
  await vi.waitFor(() => expect(late.shown).toHaveLength(5), 60_000)
  expect(late.shown).toEqual(early.shown)
  await sql`update requests set status = 'started' where rq_id = ${rows[0]?.rq_id}`.execute(plain)
  for (const { shown } of [early, late]) {
    await vi.waitFor(() => expect(shown).toHaveLength(10), 5000) // one started, four moved up
    expect(shown.slice(5).map((one) => one.queue_position)).toEqual([null, 0, 1, 2, 3])
  }
  await Promise.all([early.leave(), late.leave()])
})

test('a user has at most 20 streams of any kind; closing one frees a place, other users are unaffected', async () => {
  const handlers = requestHandlers(deps)
  const [row] = await addRequests(1)
  const open = await Promise.all(
    Array.from({ length: mostStreams }, (_, index) =>
      openStream(handlers, index % 2 ? row?.rq_id : undefined),
    ),
  )
  const refusal = {
    kind: 'too_many',
    code: 'too_many_streams',
    message: expect.stringContaining('20 event streams'),
    retry_after: expect.any(Number),
  }
  await expect(openStream(handlers)).rejects.toMatchObject(refusal)
  await expect(openStream(handlers, row?.rq_id)).rejects.toMatchObject(refusal)
  const other = await openStream(handlers, undefined, bob)
  await open[0]?.leave()
  const again = await openStream(handlers)
  await Promise.all([...open, other, again].map(({ leave }) => leave()))
})

test('a stream that its reader leaves before the first byte, or that ends by itself, frees its place', async () => {
  const handlers = requestHandlers(deps)
  const [row] = await addRequests(1)
  for (let count = 0; count < 2 * mostStreams; count++) {
    const { chunks } = await handlers.followRequests({}, anna)
    await chunks[Symbol.asyncIterator]().return?.()
  }
  await sql`update requests set status = 'failed'`.execute(plain)
  for (let count = 0; count < mostStreams + 1; count++) {
    await (await openStream(handlers, row?.rq_id)).ended
  }
})

test('streams opened and closed one after another share reads', async () => {
  const handlers = requestHandlers(deps)
  await addRequests(3)
  const before = queries
  const start = performance.now()
  let opened = 0
  for (; performance.now() - start < 1000; opened++) {
    const { shown, leave } = await openStream(handlers)
    if (opened % 2) await vi.waitFor(() => expect(shown).toHaveLength(3), { interval: 1 })
    await leave()
  }
  expect(queries - before).toBeLessThanOrEqual((performance.now() - start) / 100 + 2)
  expect(opened).toBeGreaterThan(2)
})

test('a stream whose reader pauses holds one state and later shows the newest', async () => {
  const handlers = requestHandlers(deps)
  await addRequests(1)
  const gone = new AbortController()
  const { chunks } = await handlers.followRequests({}, { ...anna, signal: gone.signal })
  const pieces = chunks[Symbol.asyncIterator]()
  await pieces.next()
  const before = queries
  await sql`update requests set status = 'started', stage = 'first'`.execute(plain)
  await sql`update requests set stage = 'second'`.execute(plain)
  expect(queries).toBe(before) // nothing is read ahead of the reader
  const { value } = await pieces.next()
  expect(JSON.parse(String(Buffer.from(value ?? [])))).toMatchObject({ message: 'second' })
  gone.abort()
})

test('calls that wait for the same requests share their queries', async () => {
  const handlers = requestHandlers(deps)
  const rows = await addRequests(2)
  const waitAll = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        handlers.getRequest(
          { rq_id: rows[index % 2]?.rq_id ?? '', wait: 1 },
          callAs({ user_id: 1 }),
        ),
      ),
    )
  const spent = async (count: number) => {
    const before = queries
    await waitAll(count)
    return queries - before - count // each call first reads once by itself
  }
  const one = await spent(2)
  expect(await spent(mostWaits)).toBeLessThanOrEqual(2 * one)
})

test('a user has at most 50 waiting calls; calls without `wait` are unaffected', async () => {
  const handlers = overTransport('in-process', requests, requestHandlers(deps))
  const [row] = await addRequests(1)
  const rq_id = row?.rq_id ?? ''
  const calls = Array.from({ length: mostWaits + 1 }, () =>
    handlers.getRequest({ rq_id, wait: 2 }, anna),
  )
  const settled = await Promise.allSettled(calls)
  const refused = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(refused).toMatchObject([{ kind: 'too_many', code: 'too_many_waits', retry_after: 1 }])
  expect(refused[0].message).toContain('50 calls')
  expect(await handlers.getRequest({ rq_id }, anna)).toMatchObject({ status: 'queued' })
  await handlers.getRequest({ rq_id, wait: 1 }, anna)
})

test('positions count per tenant, equal dates share one, and one query reads them', async () => {
  const handlers = requestHandlers(deps)
  await addRequests(40, { tenant: 'org:1' })
  await addRequests(3, { tenant: 'org:1', owner_id: 2, priority: 1 })
  await addRequest(plain, { tenant: 'org:1', created: 39 })
  await addRequest(plain, { tenant: 'user:1', created: 50 })
  const before = queries
  const { results } = await handlers.listRequests({ sort: 'created_date', page_size: 'all' }, anna)
  expect(queries - before).toBe(2) // the count and the page
  const positions = results.map((one) => one.queue_position)
  const inOrganization = Array.from({ length: 40 }, (_, index) => index + 3)
  expect(positions).toEqual([...inOrganization, 42, 0])
})
