import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook, projectFacts, secrets, testHandlers } from '../testing/world.ts'
import { matchEvents } from './match.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const deps = {
  db,
  tasks: projectFacts({ 7: { owner_id: 1 } }),
  clock,
  secrets,
  perProject: 3,
  perOrganization: 2,
}
const guard = { nets: [], allowHttp: false }
const handlers = testHandlers({ ...deps, guard })
const handle = matchEvents({ clock, base: 'https://host/api', onMessages: () => undefined })
const arrives = createDeliverer(db, handle)
const anna = callAs({ user_id: 1 })

/** Inserts a webhook with one message and an attempt per status code, one second apart. */
async function addAttempts(...status_codes: number[]) {
  const webhook_id = await addWebhook(db)
  await arrives(taskUpdated, { task: taskRecord(), before_update: { name: 'old', size: 1 } })
  const message = await db
    .selectFrom('webhook_messages')
    .selectAll()
    .where('webhook_id', '=', webhook_id)
    .executeTakeFirstOrThrow()
  for (const [index, status_code] of status_codes.entries()) {
    const date = new Date(clock.now().getTime() + index * 1000)
    await db
      .insertInto('webhook_deliveries')
      .values({
        webhook_id,
        message_id: message.id,
        status_code,
        attempt: index + 1,
        request_duration: 12,
        response: 'thanks',
        created_date: date,
        updated_date: date,
      })
      .execute()
  }
  return { webhook_id, message }
}

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, handlers)

  test('deliveries are listed, newest first', async () => {
    const { webhook_id: id } = await addAttempts(500, 503, 200)
    const { count, results } = await webhooks.listDeliveries({ id, page_size: '2' }, anna)
    expect(count).toBe(3)
    expect(results.map(({ attempt, status_code }) => [attempt, status_code])).toEqual([
      [3, 200],
      [2, 503],
    ])
  })

  test('a delivery has the sent payload and the response', async () => {
    const { webhook_id: id, message } = await addAttempts(201)
    const [newest] = (await webhooks.listDeliveries({ id }, anna)).results
    const found = await webhooks.getDelivery({ id, delivery_id: newest?.id ?? 0 }, anna)
    expect(found).toEqual({
      id: newest?.id,
      webhook_id: id,
      delivery_id: message.delivery_id,
      event: 'update:task',
      status_code: 201,
      redelivery: false,
      attempt: 1,
      request_duration: 12,
      created_date: '2026-03-01T10:00:00.000Z',
      updated_date: '2026-03-01T10:00:00.000Z',
      changed_fields: 'name,size',
      request: JSON.parse(message.body.toString()),
      response: 'thanks',
    })
  })

  test('the webhook shows the status of its newest delivery', async () => {
    const { webhook_id: id } = await addAttempts(500, 204)
    expect(await webhooks.getWebhook({ id }, anna)).toMatchObject({
      last_status: 204,
      last_delivery_date: '2026-03-01T10:00:01.000Z',
    })
  })

  test('a delivery of another webhook and an unknown delivery are not found', async () => {
    const { webhook_id: other } = await addAttempts(200)
    const [{ id: delivery_id = 0 } = {}] = (await webhooks.listDeliveries({ id: other }, anna))
      .results
    const id = await addWebhook(db)
    for (const wanted of [delivery_id, 999_999]) {
      const attempt = webhooks.getDelivery({ id, delivery_id: wanted }, anna)
      await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
    }
  })

  test('a user without permission cannot read deliveries', async () => {
    const { webhook_id: id } = await addAttempts(200)
    const stranger = callAs({ user_id: 2 })
    await expect(webhooks.listDeliveries({ id }, stranger)).rejects.toMatchObject({
      kind: 'forbidden',
    })
    const one = webhooks.getDelivery({ id, delivery_id: 1 }, stranger)
    await expect(one).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
