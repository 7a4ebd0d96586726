import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { busMigrations } from '@reticle/kit/bus/postgres/log'
import { silentLog } from '@reticle/kit/log'
import { emit } from '@reticle/kit/outbox/emit'
import { startRelay } from '@reticle/kit/outbox/relay'
import { callAs } from '@reticle/kit/testing/call'
import { testDatabase } from '@reticle/kit/testing/db'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, expect, test, vi } from 'vitest'
import { migrations, readConfig, schema, startWebhooks, type WebhooksDb } from './index.ts'
import { projectFacts } from './testing/world.ts'

const { db, url, onCommit } = await testDatabase<WebhooksDb>([
  { schema, migrations },
  { schema: 'bus', migrations: busMigrations },
])
const address = new URL(url)
address.searchParams.set('options', `-c search_path=${schema},bus`)

const onError = (error: unknown) => {
  throw error
}
const bus = postgresBus({ url: address.href, onError })
const relay = startRelay({ url: address.href, schema, bus, onError })
onCommit(relay.wake)
const receiver = await startReceiver()
afterAll(async () => {
  await relay.stop()
  await bus.close()
  await receiver.close()
})

const settings = readConfig({
  RETICLE_PUBLIC_URL: 'https://label.example.org',
  RETICLE_SECRET_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  RETICLE_WEBHOOKS_ALLOW_HTTP: 'true',
  RETICLE_WEBHOOKS_ALLOWED_NETS: '127.0.0.0/8',
})
const services = { tasks: projectFacts({ 7: { owner_id: 1 } }) }
const start = () => startWebhooks({ db, bulk: db, bus, log: silentLog, settings, services })
const anna = callAs({ user_id: 1, username: 'anna' })

const happen = (id: number) =>
  db.transaction().execute((tx) => {
    const data = { task: taskRecord({ id }), before_update: { name: 'old' } }
    return emit(tx, taskUpdated, data, { principal: anna.principal, request_id: 'test' })
  })
const patience = { timeout: 60_000, interval: 5 }
const told = () => receiver.received.map(({ body }) => JSON.parse(String(body)))

test('a change reaches the receiver before and after a restart', async () => {
  const first = start()
  const target_url = `${receiver.url}/hook`
  const body = { target_url, events: 'update:task', type: 'project' as const, project_id: 7 }
  const { id } = await first.services.webhooks.createWebhook({ body }, anna)

  await happen(12)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), patience)
  expect(told()[0]).toMatchObject({
    ...{ event: 'update:task', webhook_id: id, webhook_sequence: 1 },
    task: { id: 12, url: 'https://label.example.org/api/tasks/12' },
    sender: { id: 1, username: 'anna', url: 'https://label.example.org/api/users/1' },
  })
  await vi.waitFor(async () => {
    const seen = await first.services.webhooks.getWebhook({ id }, anna)
    expect(seen).toMatchObject({ last_status: 200 })
  }, patience)
  await first.stop()

  await happen(13)
  const second = start()
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), patience)
  expect(told()[1]).toMatchObject({ task: { id: 13 }, webhook_sequence: 2 })
  await second.stop()
})

test('stopping does not wait for a hanging receiver, and the next start sends the message again', async () => {
  receiver.answer({ status: 'hang' })
  receiver.received.length = 0
  const first = start()
  await happen(14)
  await vi.waitFor(() => expect(receiver.received).toHaveLength(1), patience)
  const began = performance.now()
  await first.stop()
  expect(performance.now() - began).toBeLessThan(9000) // a receiver has ten seconds

  receiver.answer({})
  const second = start()
  await vi.waitFor(() => expect(receiver.received).toHaveLength(2), patience)
  const [before, after] = receiver.received.map(({ headers }) => headers['webhook-id'])
  expect(after).toBe(before)
  await second.stop()
})
