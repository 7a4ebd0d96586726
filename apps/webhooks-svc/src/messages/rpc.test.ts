import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { silentLog } from '@reticle/kit/log'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { losingAnswers, overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { type Dispatcher, startDispatcher } from '../deliveries/dispatch.ts'
import { matchEvents } from '../deliveries/match.ts'
import { addWebhook, loopback, projectFacts, secrets, testHandlers } from '../testing/world.ts'
import { updateWebhook } from '../webhooks/repo.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock()
const receiver = await startReceiver()
afterAll(() => receiver.close())
const schedule = { seconds: [60], random: () => 0.5 }
const sending = { db, secrets, schedule, disableAfterHours: 0, clock, log: silentLog }
let dispatcher: Dispatcher | undefined
const wake = () => dispatcher?.wake()

const tasks = projectFacts({ 7: { owner_id: 1 } })
const guard = { nets: [], allowHttp: true }
const rights = { perProject: 9, perOrganization: 9, guard }
const handlers = testHandlers({
  ...{ db, tasks, clock, secrets, ...rights },
  onMessages: wake,
})
const handle = matchEvents({ clock, base: 'https://host/api', onMessages: wake })
const arrives = createDeliverer(db, handle)
const [anna, bo] = [callAs({ user_id: 1 }), callAs({ user_id: 2 })]

let id = 0
beforeEach(async () => {
  await sql`truncate webhooks, projects cascade`.execute(db)
  receiver.received.length = 0
  receiver.answer({})
  clock.set(new Date())
  id = await addWebhook(db, { target_url: receiver.url })
  dispatcher = startDispatcher({ ...sending, outgoing: loopback() })
})
afterEach(() => dispatcher?.stop())

/** Handles one event for each of these tasks and waits for its attempt to end. */
async function happen(...taskIds: number[]) {
  for (const task_id of taskIds)
    await arrives(taskUpdated, { task: taskRecord({ id: task_id }), before_update: { name: 'ü' } })
  await untilIdle()
}

const untilIdle = () =>
  vi.waitFor(
    async () => {
      const waiting = db.selectFrom('webhook_messages').where('status', '=', 'pending')
      expect(await waiting.selectAll().execute()).toEqual([])
    },
    { timeout: 60_000, interval: 10 },
  )

const deliveriesOf = async () =>
  (await handlers.listDeliveries({ id, page_size: 'all' }, anna)).results
const stored = () =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const sent = () =>
  receiver.received.map(({ headers, body }) => [headers['webhook-id'], body.toString()])

test('a redelivery has the form in which the message was written', async () => {
  await updateWebhook(db, id, { dialect: 'cvat' })
  await happen(12)
  await updateWebhook(db, id, { dialect: 'service' })
  const [first] = await deliveriesOf()
  await handlers.redeliver({ id, delivery_id: first?.id ?? 0 }, anna)
  await untilIdle()
  const [one, again] = receiver.received.map(({ body }) => body.toString())
  expect(again).toBe(one)
  const fields = ['before_update', 'event', 'task', 'webhook_id']
  expect(Object.keys(JSON.parse(one ?? '')).sort()).toEqual(fields)
  expect(await deliveriesOf()).toMatchObject([{ redelivery: true }, { redelivery: false }])
})

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, handlers)

  test('a redelivery sends the same bytes and is marked in its record', async () => {
    await happen(12)
    const [first] = await deliveriesOf()
    expect(await webhooks.redeliver({ id, delivery_id: first?.id ?? 0 }, anna)).toEqual({})
    await untilIdle()
    const [one, two] = sent()
    expect(two).toEqual(one)
    const [again] = await deliveriesOf()
    expect(again).toMatchObject({ redelivery: true, attempt: 1, status_code: 200 })
    expect(again?.delivery_id).toBe(first?.delivery_id)
    expect(receiver.received.map(({ headers }) => headers['x-webhook-sequence'])).toEqual([
      '1',
      '1',
    ])
  })

  test('messages are listed by sequence number with their state and attempts', async () => {
    receiver.answer((_, nth) => ({ status: [200, 404, 500][nth - 1] ?? 200 }))
    await happen(12, 13, 14)
    const states = async (query = {}) => {
      const { count, results } = await webhooks.listWebhookMessages(
        { id, after: 0, ...query },
        anna,
      )
      return [count, results.map(({ sequence, state, attempts }) => [sequence, state, attempts])]
    }
    const all = [
      [1, 'delivered', 1],
      [2, 'failed', 1],
      [3, 'pending', 1],
    ]
    expect(await states()).toEqual([3, all])
    expect(await states({ after: 1 })).toEqual([2, all.slice(1)])
    expect(await states({ page: '2', page_size: '2' })).toEqual([3, all.slice(2)])
    const [message] = (await webhooks.listWebhookMessages({ id, after: 1 }, anna)).results
    expect(message).toMatchObject({ event: 'update:task', payload: { task: { id: 13 } } })

    await webhooks.redeliverMessages({ id, body: { from: 2, to: 2 } }, anna)
    await untilIdle()
    expect(await states()).toEqual([3, [all[0], [2, 'delivered', 2], all[2]]])
  })
})

describe('redelivery of several messages', () => {
  test('a range is redelivered, including messages that were delivered before', async () => {
    await happen(12, 13, 14, 15)
    const before = sent()
    expect(await handlers.redeliverMessages({ id, body: { from: 2, to: 9 } }, anna)).toEqual({
      count: 3,
    })
    await untilIdle()
    expect(sent().slice(4).toSorted()).toEqual(before.slice(1).toSorted())
  })

  test('messages that failed since a time are redelivered', async () => {
    receiver.answer({ status: 404 })
    await happen(12)
    const since = new Date(clock.now().getTime() + 1000)
    clock.set(new Date(since.getTime() + 1000))
    await happen(13)
    receiver.answer({})
    await happen(14)
    const again = { id, body: { failed_since: since.toISOString() } }
    expect(await handlers.redeliverMessages(again, anna)).toEqual({ count: 1 })
    await untilIdle()
    expect(await handlers.redeliverMessages(again, anna)).toEqual({ count: 0 })
    expect(receiver.received).toHaveLength(4)
  })

  test.each([
    ['half a range', { from: 1 }, 'to'],
    ['the other half', { to: 1 }, 'from'],
    ['a range that ends before it begins', { from: 3, to: 2 }, 'to'],
    ['nothing', {}, 'from'],
    ['both at once', { from: 1, to: 2, failed_since: '2026-03-01T10:00:00Z' }, 'non_field_errors'],
  ])('%s is rejected', async (_, body, field) => {
    const refused = expect.objectContaining({ [field]: expect.anything() })
    await expect(handlers.redeliverMessages({ id, body }, anna)).rejects.toMatchObject({
      kind: 'invalid',
      body: refused,
    })
  })
})

test('a redelivery is tried once', async () => {
  await happen(12)
  receiver.answer({ status: 500 })
  await handlers.redeliverMessages({ id, body: { from: 1, to: 1 } }, anna)
  await untilIdle()
  const [again] = await deliveriesOf()
  expect(again).toMatchObject({ redelivery: true, status_code: 500 })
  const statuses = await db.selectFrom('webhook_messages').select('status').orderBy('id').execute()
  expect(statuses).toEqual([{ status: 'delivered' }, { status: 'failed' }])
})

test('a redelivery of a disabled webhook is a conflict', async () => {
  await happen(12)
  const [first] = await deliveriesOf()
  await updateWebhook(db, id, { is_active: false })
  const inactive = { kind: 'conflict', code: 'webhook_inactive' }
  const { redeliver, redeliverMessages } = handlers
  await expect(redeliver({ id, delivery_id: first?.id ?? 0 }, anna)).rejects.toMatchObject(inactive)
  const range = redeliverMessages({ id, body: { from: 1, to: 1 } }, anna)
  await expect(range).rejects.toMatchObject(inactive)
})

test('a delivery of another webhook is not found, and a user without permission is refused (T-WH-10)', async () => {
  await happen(12)
  const [first] = await deliveriesOf()
  const other = await addWebhook(db)
  const delivery_id = first?.id ?? 0
  const { redeliver, redeliverMessages, listWebhookMessages } = handlers
  await expect(redeliver({ id: other, delivery_id }, anna)).rejects.toMatchObject({
    kind: 'not_found',
  })
  const asked = [
    () => redeliver({ id, delivery_id }, bo),
    () => redeliverMessages({ id, body: { from: 1, to: 1 } }, bo),
    () => listWebhookMessages({ id, after: 0 }, bo),
  ]
  for (const ask of asked) await expect(ask()).rejects.toMatchObject({ kind: 'forbidden' })
  expect(receiver.received).toHaveLength(1)
})

test('a redelivery repeated after a broken connection is queued once', async () => {
  await happen(12)
  const webhooks = await losing
  const [first] = await deliveriesOf()
  await webhooks.redeliver({ id, delivery_id: first?.id ?? 0 }, anna)
  await untilIdle()
  expect(receiver.received).toHaveLength(2)
})
const losing = losingAnswers(table, handlers)

describe('rotation of a secret', () => {
  const [old, next] = ['the old one', 'the new one']
  const opens = (secret: string, at = receiver.received.length - 1) => {
    const { headers = {}, body = '' } = receiver.received[at] ?? {}
    const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
    try {
      const verifier = new Webhook(Buffer.from(secret), { format: 'raw' })
      return Boolean(verifier.verify(body.toString(), Object.fromEntries(texts)))
    } catch {
      return false
    }
  }

  test('the old and the new secret sign until the overlap ends', async () => {
    await handlers.updateWebhook({ id, body: { secret: old } }, anna)
    const body = { secret: next, overlap_hours: 24 }
    const shown = await handlers.rotateWebhookSecret({ id, body }, anna)
    expect(shown).toMatchObject({ id, has_secret: true })
    expect(JSON.stringify(shown)).not.toContain(next)
    await happen(12)
    expect([opens(old), opens(next)]).toEqual([true, true])
    const signature = receiver.received[0]?.headers['x-signature-256']
    expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/)

    const { old_secret_until_date: until } = await stored()
    expect(until).toEqual(new Date(clock.now().getTime() + 24 * 3_600_000))
    await updateWebhook(db, id, { old_secret_until_date: clock.now() })
    await happen(13)
    expect([opens(old), opens(next)]).toEqual([false, true])
  })

  test('only the new secret signs when there is no overlap or when the secret is updated', async () => {
    await handlers.updateWebhook({ id, body: { secret: old } }, anna)
    await handlers.rotateWebhookSecret({ id, body: { secret: next, overlap_hours: 0 } }, anna)
    await happen(12)
    expect([opens(old), opens(next)]).toEqual([false, true])
    await handlers.rotateWebhookSecret({ id, body: { secret: old, overlap_hours: 9 } }, anna)
    await handlers.updateWebhook({ id, body: { secret: 'a third' } }, anna)
    await happen(13)
    expect([opens(next), opens(old), opens('a third')]).toEqual([false, false, true])
  })

  test('a user without permission to update the webhook cannot rotate its secret', async () => {
    const body = { secret: next, overlap_hours: 1 }
    const attempt = handlers.rotateWebhookSecret({ id, body }, bo)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
