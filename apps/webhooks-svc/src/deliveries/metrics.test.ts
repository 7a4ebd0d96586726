import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { silentLog } from '@reticle/kit/observe/log'
import { metricsText, resetMetrics } from '@reticle/kit/observe/metrics'
import { rememberTraces } from '@reticle/kit/observe/trace-sdk'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook, resolveLoopback, secrets } from '../testing/world.ts'
import { startDispatcher } from './dispatch.ts'
import { matchEvents } from './match.ts'
import { watchMessages } from './metrics.ts'

resetMetrics()
const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock()
clock.set(new Date())
const tracing = rememberTraces('webhooks-svc')
const receiver = await startReceiver()
const handle = matchEvents({ clock, base: 'https://host/api', onMessages: () => undefined })
const arrives = createDeliverer(db, handle)
const dispatcher = startDispatcher({
  db,
  outgoing: resolveLoopback(),
  secrets,
  schedule: { seconds: [60], random: () => 0.5 },
  disableAfterHours: 0,
  clock,
  log: silentLog,
})
const unwatch = watchMessages(db)
afterAll(async () => {
  unwatch()
  await dispatcher.stop()
  await tracing.stop()
  await receiver.close()
})

const trace_id = 'a'.repeat(32)

async function happen(path: string): Promise<void> {
  await addWebhook(db, { target_url: receiver.url + path })
  const occurred_date = new Date(clock.now().getTime() - 2000).toISOString()
  const given = { traceparent: `00-${trace_id}-${'b'.repeat(16)}-01`, occurred_date }
  await arrives(taskUpdated, { task: taskRecord(), before_update: { name: 'a' } }, given)
  dispatcher.wake()
}
const count = (result: string) => `reticle_webhook_attempts_total{result="${result}"} 1\n`

test('attempts are counted by result, and the delay of the first attempt is observed', async () => {
  receiver.answer({ status: 503 })
  await happen('/a')
  await expect.poll(metricsText).toContain(count('retried'))
  expect(await metricsText()).toContain('reticle_webhook_first_attempt_seconds_sum 2\n')
  expect(await metricsText()).toContain('reticle_webhook_pending 1\n')

  receiver.answer({ status: 200 })
  clock.set(new Date(clock.now().getTime() + 61_000))
  dispatcher.wake()
  await expect.poll(metricsText).toContain(count('delivered'))
  expect(await metricsText()).toContain('reticle_webhook_first_attempt_seconds_count 1\n')
})

test('an attempt belongs to the trace of its event, and no trace context reaches the receiver', async () => {
  const attempts = () => tracing.getFinishedSpans().filter(({ name }) => name === 'webhook attempt')
  await expect.poll(attempts).toHaveLength(2)
  expect(new Set(attempts().map((span) => span.spanContext().traceId))).toEqual(new Set([trace_id]))

  const { length } = receiver.received
  expect(length).toBe(2)
  const sent = receiver.received.map(({ headers, body }) => JSON.stringify(headers) + body)
  expect(sent.join()).not.toContain(trace_id)
})
