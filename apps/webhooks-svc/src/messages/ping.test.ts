import { verify } from '@octokit/webhooks-methods'
import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import {
  addWebhook,
  projectFacts,
  resolveLoopback,
  secrets,
  testHandlers,
} from '../testing/world.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock()
const receiver = await startReceiver()
afterAll(() => receiver.close())

const handlers = testHandlers({
  ...{
    db,
    clock,
    secrets,
    outgoing: resolveLoopback(),
    tasks: projectFacts({ 7: { owner_id: 1 } }),
  },
  perProject: 9,
  perOrganization: 9,
  guard: { nets: [], allowHttp: true },
  schedule: { seconds: [5], random: () => 0.5 },
})
const anna = callAs({ user_id: 1, username: 'anna', email: 'anna@example.org' })

beforeEach(async () => {
  await sql`truncate webhooks, projects cascade`.execute(db)
  receiver.received.length = 0
  receiver.answer({})
})

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, handlers)

  test('a ping contains the webhook, is signed, and returns the response of the receiver', async () => {
    const id = await addWebhook(db, { target_url: receiver.url })
    await webhooks.updateWebhook({ id, body: { secret: 'hush' } }, anna)
    receiver.answer({ status: 202, body: 'here' })
    const delivery = await webhooks.pingWebhook({ id }, anna)
    expect(delivery).toMatchObject({
      webhook_id: id,
      event: 'ping',
      status_code: 202,
      response: 'here',
      attempt: 1,
      redelivery: false,
      changed_fields: '',
    })
    const [got] = receiver.received
    const text = String(got?.body)
    expect(JSON.parse(text)).toEqual(delivery.request)
    expect(JSON.parse(text)).toMatchObject({
      event: 'ping',
      webhook_id: id,
      delivery_id: delivery.delivery_id,
      webhook_sequence: 1,
      webhook: { id, url: `https://host/api/webhooks/${id}`, has_secret: true },
      sender: { id: 1, username: 'anna', email: 'anna@example.org' },
    })
    expect(text).not.toContain('hush')
    expect(await verify('hush', text, String(got?.headers['x-signature-256']))).toBe(true)
    expect((await webhooks.listDeliveries({ id }, anna)).results).toEqual([delivery])
  })
})

test('a ping of a webhook of the dialect cvat has the record of the mount and no other fields', async () => {
  const events = ['completed:request[create:task]', 'update:task']
  const id = await addWebhook(db, { target_url: receiver.url, dialect: 'cvat', events })
  const delivery = await handlers.pingWebhook({ id }, anna)
  const text = String(receiver.received[0]?.body)
  expect(JSON.parse(text)).toEqual(delivery.request)
  const mount = 'https://host/as/cvat/api'
  const owner = { url: `${mount}/users/1`, id: 1, username: 'anna', first_name: '', last_name: '' }
  expect(JSON.parse(text)).toEqual({
    event: 'ping',
    webhook: {
      id,
      url: `${mount}/webhooks/${id}`,
      target_url: receiver.url,
      description: '',
      type: 'project',
      project_id: 7,
      organization: null,
      events: ['update:task'],
      owner,
      content_type: 'application/json',
      is_active: true,
      enable_ssl: true,
      created_date: '2026-03-01T09:00:00.000Z',
      updated_date: '2026-03-01T09:00:00.000Z',
    },
    sender: owner,
  })
  expect(receiver.received[0]?.headers).toMatchObject({
    'x-webhook-id': String(id),
    'x-webhook-delivery': delivery.delivery_id,
    'x-webhook-sequence': '1',
  })
})

test('a disabled webhook can be pinged', async () => {
  const id = await addWebhook(db, { target_url: receiver.url, is_active: false })
  expect(await handlers.pingWebhook({ id }, anna)).toMatchObject({ status_code: 200 })
  expect(receiver.received).toHaveLength(1)
})

test.each([
  ['an answer of 500', { status: 500 } as const, 500],
  ['a cut connection', { status: 'reset' } as const, 502],
])('%s is returned as a delivery and not retried', async (_, reply, status_code) => {
  const id = await addWebhook(db, { target_url: receiver.url })
  receiver.answer(reply)
  expect(await handlers.pingWebhook({ id }, anna)).toMatchObject({ status_code })
  const { status, lease_until } = await db
    .selectFrom('webhook_messages')
    .selectAll()
    .executeTakeFirstOrThrow()
  expect({ status, lease_until }).toEqual({ status: 'failed', lease_until: null })
})

test('a target that is not allowed is not called', async () => {
  const id = await addWebhook(db, { target_url: 'http://10.0.0.1/' })
  expect(await handlers.pingWebhook({ id }, anna)).toMatchObject({
    status_code: 502,
    response: 'target address is not allowed',
  })
})

test('a user without permission cannot ping, and an unknown webhook is not found', async () => {
  const id = await addWebhook(db, { target_url: receiver.url })
  const attempt = handlers.pingWebhook({ id }, callAs({ user_id: 2 }))
  await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  await expect(handlers.pingWebhook({ id: id + 1 }, anna)).rejects.toMatchObject({
    kind: 'not_found',
  })
  expect(receiver.received).toEqual([])
})
