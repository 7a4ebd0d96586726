import { setTimeout as sleep } from 'node:timers/promises'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { silentLog } from '@reticle/kit/observe/log'
import { secretBox } from '@reticle/kit/settings/secrets'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { verifiers } from '../testing/verifiers.ts'
import { addWebhook, resolveLoopback, secrets } from '../testing/world.ts'
import { deleteWebhook, updateWebhook } from '../webhooks/repo.ts'
import { sealSecret } from '../webhooks/secret.ts'
import { type Dispatcher, startDispatcher } from './dispatch.ts'
import { matchEvents } from './match.ts'
import { claimMessages } from './repo-claims.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock()
const receiver = await startReceiver()
afterAll(() => receiver.close())

const waits = [5, 300, 1800, 10_800, 86_400, 86_400, 86_400, 86_400]
const schedule = { seconds: waits, random: () => 0.5 }
const handle = matchEvents({ clock, base: 'https://host/api', onMessages: () => undefined })
const arrives = createDeliverer(db, handle)

let dispatcher: Dispatcher | undefined
beforeEach(async () => {
  await sql`truncate webhooks, projects cascade`.execute(db)
  receiver.received.length = 0
  receiver.answer({})
  clock.set(new Date())
})
afterEach(async () => {
  await dispatcher?.stop()
  dispatcher = undefined
})

function start(): void {
  dispatcher = startDispatcher({
    db,
    outgoing: resolveLoopback(),
    secrets,
    schedule,
    disableAfterHours: 48,
    clock,
    log: silentLog,
  })
}

/** Inserts a webhook whose target is `path` of the test receiver. */
const addReceiving = (path = '/', given = {}) =>
  addWebhook(db, { target_url: `${receiver.url}${path}`, ...given })

/** Handles one event for each of these tasks, in this order. */
async function happen(...taskIds: number[]): Promise<void> {
  for (const id of taskIds) {
    const data = {
      task: taskRecord({ id }),
      before_update: { name: `grüße \u2028 東京 ${0.1 + 0.2}` },
    }
    await arrives(taskUpdated, data)
  }
  dispatcher?.wake()
}

const messages = () => db.selectFrom('webhook_messages').selectAll().orderBy('id').execute()
const deliveries = () => db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()
const statuses = async () => (await messages()).map(({ status }) => status)
const until = (check: () => Promise<void> | void) =>
  vi.waitFor(check, { timeout: 60_000, interval: 10 })
const untilStatuses = (...expected: string[]) =>
  until(async () => expect(await statuses()).toEqual(expected))
const sequences = (path = '/') =>
  receiver.received
    .filter((got) => got.path === path)
    .map(({ headers }) => Number(headers['x-webhook-sequence']))

describe('an attempt', () => {
  test('an attempt sends the stored bytes, and public verifiers accept them', async () => {
    const id = await addReceiving()
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    await updateWebhook(db, id, { secret_sealed: sealSecret(secrets, id, secret) })
    start()
    await happen(12)
    await untilStatuses('delivered')

    const [got] = receiver.received
    const [message] = await messages()
    const text = String(got?.body)
    expect(got?.method).toBe('POST')
    expect(text).toBe(String(message?.body))
    expect(text).toContain('grüße \u2028 東京 0.30000000000000004')
    const headers = Object.fromEntries(
      Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    )
    for (const [name, accepts] of Object.entries(verifiers)) {
      const delivered = { body: got?.body ?? Buffer.alloc(0), headers }
      expect([name, await accepts(secret, delivered)]).toEqual([name, true])
      expect([name, await accepts('whsec_MfKQ', delivered)]).toEqual([name, false])
    }
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Service\/\d/),
      'x-webhook-id': String(id),
      'x-webhook-event': 'update:task',
      'x-webhook-delivery': message?.delivery_id,
      'x-webhook-sequence': '1',
    })
    expect(headers).not.toHaveProperty('cookie')
  })

  test('an attempt that cannot be signed is stored and does not delay other messages', async () => {
    const removed = secretBox(`k0:${Buffer.alloc(32, 1).toString('base64')}`)
    const id = await addReceiving()
    await updateWebhook(db, id, { secret_sealed: sealSecret(removed, id, 'x') })
    start()
    await happen(12, 12)
    await untilStatuses('waiting', 'waiting')
    const [first] = await deliveries()
    expect(first).toMatchObject({
      status_code: 502,
      response: 'nothing could be sent: a mistake of this server, see its log',
    })
    expect(receiver.received).toEqual([])
  })

  test('an attempt is stored with the response of the receiver', async () => {
    await addReceiving()
    receiver.answer({ status: 202, body: 'queued' })
    start()
    await happen(12)
    await untilStatuses('delivered')
    expect(await deliveries()).toMatchObject([
      { status_code: 202, attempt: 1, response: 'queued', redelivery: false },
    ])
  })

  test.each([
    ['a redirect to this machine', 302, 'failed'],
    ['not found', 404, 'failed'],
    ['too many requests', 429, 'waiting'],
    ['an error of the receiver', 500, 'waiting'],
  ])('status %s (%i) leaves the message %s', async (_title, status, expected) => {
    await addReceiving()
    receiver.answer({ status, headers: { location: `${receiver.url}/again`, 'retry-after': '30' } })
    start()
    await happen(12)
    await untilStatuses(expected)
    expect(await deliveries()).toMatchObject([{ status_code: status }])
    expect(receiver.received).toHaveLength(1)
    const [message] = await messages()
    const delay = Number(message?.next_attempt_date) - clock.now().getTime()
    if (status === 429) expect(delay).toBe(30_000)
  })

  test('a connection reset is stored as 502 and retried', async () => {
    await addReceiving()
    receiver.answer({ status: 'reset' })
    start()
    await happen(12)
    await untilStatuses('waiting')
    expect(await deliveries()).toMatchObject([
      { status_code: 502, response: 'the connection was closed before an answer' },
    ])
  })

  test('a target that is not allowed is stored as a failure and never retried', async () => {
    await addWebhook(db, { target_url: 'http://10.0.0.1/' })
    start()
    await happen(12)
    await untilStatuses('failed')
    expect(await deliveries()).toMatchObject([
      { status_code: 502, response: 'target address is not allowed', request_duration: 0 },
    ])
  })
})

test('a receiver that always fails gets nine attempts, at the times of the schedule (T-WH-6)', async () => {
  await addReceiving()
  receiver.answer({ status: 500 })
  start()
  await happen(12)
  for (const [index, wait] of waits.entries()) {
    await until(async () => expect(await messages()).toMatchObject([{ attempt: index + 1 }]))
    const [message] = await messages()
    expect(Number(message?.next_attempt_date) - clock.now().getTime()).toBe(wait * 1000)
    clock.advance(wait * 1000 - 1)
    dispatcher?.wake()
    if (index === 0) await sleep(50)
    expect(receiver.received).toHaveLength(index + 1)
    clock.advance(1)
    dispatcher?.wake()
  }
  await untilStatuses('failed')
  expect((await deliveries()).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(new Set(ids).size).toBe(1)
})

describe('order of attempts', () => {
  test('a first attempt about an object starts after the previous first attempt about it has ended', async () => {
    await addReceiving()
    let open = 0
    let most = 0
    receiver.answer(() => {
      open += 1
      most = Math.max(most, open)
      setTimeout(() => {
        open -= 1
      }, 20)
      return { delay_ms: 20 }
    })
    start()
    await happen(...Array.from({ length: 15 }, () => 12))
    await until(() => expect(receiver.received).toHaveLength(15))
    expect(sequences()).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
    expect(most).toBe(1)
  })

  test('a slow delivery about one object does not delay other objects', async () => {
    await addReceiving()
    receiver.answer(({ headers }) =>
      headers['x-webhook-sequence'] === '1' ? { delay_ms: 1000 } : {},
    )
    start()
    await happen(12, 12, 13, 14)
    await untilStatuses('pending', 'pending', 'delivered', 'delivered')
    await untilStatuses('delivered', 'delivered', 'delivered', 'delivered')
    expect(sequences().at(-1)).toBe(2)
  })

  test('a message that waits for its retry does not delay later messages', async () => {
    await addReceiving()
    receiver.answer((_, nth) => (nth === 1 ? { status: 500 } : {}))
    start()
    await happen(12, 12)
    await untilStatuses('waiting', 'delivered')
  })

  test('a hanging webhook with a long queue does not delay another webhook', async () => {
    const hanging = await addReceiving('/hangs')
    await addReceiving('/well')
    receiver.answer(({ path }) => (path === '/hangs' ? { delay_ms: 3000 } : {}))
    start()
    await happen(...Array.from({ length: 30 }, (_, at) => at + 1))
    await until(() => expect(sequences('/well')).toHaveLength(30))
    expect((await deliveries()).map(({ webhook_id }) => webhook_id)).not.toContain(hanging)
    expect(sequences('/hangs')).toHaveLength(10)
  })

  test('a webhook with five consecutive failures gets one message at a time', async () => {
    const id = await addReceiving('/', { failure_streak: 5 })
    await happen(1, 2, 3)
    const options = { now: clock.now(), free: 100, after: 0 }
    expect(await claimMessages(db, options)).toHaveLength(1)
    expect(await claimMessages(db, options)).toHaveLength(0)
    await sql`update webhook_messages set lease_until = null, lease_token = null`.execute(db)
    await updateWebhook(db, id, { failure_streak: 4 })
    expect(await claimMessages(db, options)).toHaveLength(3)
  })
})

describe('changes of a webhook with pending messages (T-WH-9)', () => {
  test('a disabled webhook gets no more messages', async () => {
    const id = await addReceiving()
    await happen(12)
    await updateWebhook(db, id, { is_active: false })
    start()
    await untilStatuses('dropped')
    expect(receiver.received).toHaveLength(0)
    expect(await deliveries()).toEqual([])
  })

  test('a webhook deleted during an attempt leaves no rows behind', async () => {
    const id = await addReceiving()
    receiver.answer({ delay_ms: 200 })
    start()
    await happen(12)
    await until(() => expect(receiver.received).toHaveLength(1))
    await deleteWebhook(db, id)
    await dispatcher?.stop()
    expect(await messages()).toEqual([])
    expect(await deliveries()).toEqual([])
  })

  test('a webhook of a deleted project still delivers its pending messages', async () => {
    await addReceiving('/', { ended_date: new Date() })
    start()
    await happen(12)
    await untilStatuses('delivered')
  })
})

describe('recovery after a crash', () => {
  test('another process sends the message again after the lease of a dead process expires', async () => {
    await addReceiving()
    await happen(12)
    const [taken] = await claimMessages(db, { now: clock.now(), free: 1, after: 0 })
    start()
    await sleep(300)
    expect(receiver.received).toHaveLength(0)
    await sql`update webhook_messages set lease_until = now()`.execute(db)
    await untilStatuses('delivered')
    expect(receiver.received[0]?.headers['webhook-id']).toBe(taken?.delivery_id)
    expect(await deliveries()).toMatchObject([{ attempt: 1 }])
  })

  test('two processes never send the same message at the same time', async () => {
    await addReceiving()
    await happen(...Array.from({ length: 10 }, (_, at) => at + 1))
    const options = { now: clock.now(), free: 100, after: 0 }
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimMessages(db, options)))
    const ids = claims.flat().map(({ id }) => id)
    expect(ids).toHaveLength(10)
    expect(new Set(ids).size).toBe(10)
  })
})

/** Waits for the failure counter, which is updated after the attempt is stored. */
const untilStreak = (id: number, expected: number) =>
  until(async () => expect((await webhook(id)).failure_streak).toBe(expected))
const webhook = (id: number) =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

test('consecutive failures are counted until a success resets the count', async () => {
  const id = await addReceiving()
  receiver.answer((_, nth) => ({ status: nth <= 2 ? 500 : 200 }))
  start()
  await happen(12, 12)
  await untilStatuses('waiting', 'waiting')
  await untilStreak(id, 2)
  await happen(12)
  await untilStatuses('waiting', 'waiting', 'delivered')
  await untilStreak(id, 0)
})

test('a webhook that fails for too long is disabled and shows the reason until it is enabled', async () => {
  const id = await addReceiving()
  receiver.answer({ status: 404 })
  start()
  for (let count = 0; count < 19; count++) await happen(12)
  await untilStreak(id, 19)
  clock.set(new Date(clock.now().getTime() + 49 * 3_600_000))
  expect((await webhook(id)).is_active).toBe(true)
  await happen(12)
  await until(async () => expect((await webhook(id)).is_active).toBe(false))
  expect(await webhook(id)).toMatchObject({
    failure_streak: 20,
    disabled_reason: 'no attempt has succeeded for more than 48 hours',
  })
})

test('a success in between, or too few failures, keep the webhook enabled', async () => {
  const id = await addReceiving()
  receiver.answer((_, nth) => ({ status: nth === 5 ? 200 : 404 }))
  start()
  for (let count = 0; count < 4; count++) await happen(12)
  await untilStreak(id, 4)
  await happen(12)
  await untilStreak(id, 0)
  for (let count = 0; count < 5; count++) await happen(12)
  await untilStreak(id, 5)
  clock.set(new Date(clock.now().getTime() + 490 * 3_600_000))
  for (let count = 0; count < 14; count++) await happen(12)
  await untilStreak(id, 19)
  expect(await deliveries()).toHaveLength(24)
  expect(await webhook(id)).toMatchObject({ is_active: true })
})
