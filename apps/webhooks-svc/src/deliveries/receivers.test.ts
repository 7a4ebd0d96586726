import { taskUpdated } from '@reticle/contracts/events/tasks'
import { taskRecord } from '@reticle/contracts/testing/records'
import { defaultLimits } from '@reticle/kit/outgoing/fetch'
import { systemClock } from '@reticle/kit/scheduling/clock'
import type { AnswerName } from '@reticle/kit/testing/answers'
import { startAnswers } from '@reticle/kit/testing/answers-process'
import { testDatabase } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { type Memory, startDispatcherProcess } from '../testing/dispatcher-process.ts'
import { addWebhook } from '../testing/world.ts'
import { limits } from './choose.ts'
import { matchEvents } from './match.ts'

/**
 * T-WH-7: the dispatcher records the outcome and limits its memory whatever the receiver does. Receivers and
 * dispatcher are separate processes, all receivers run at once, and timeouts are those of production.
 */

const { db, url } = await testDatabase<WebhooksDb>([{ schema: 'webhooks', migrations }])
const base = 'https://host/api'
const handle = matchEvents({ clock: systemClock, base, onMessages: () => undefined })
const arrives = createDeliverer(db, handle)

const late = 'no answer in time'
const cut = 'the connection was closed before an answer'
const malformed = 'the answer is not valid HTTP'
const certificate = 'the certificate was not accepted'

/** Expected state of the message, and the recorded status and response text. */
const table: [AnswerName, 'delivered' | 'waiting' | 'failed', number, string | RegExp][] = [
  ['200', 'delivered', 200, ''],
  ['204', 'delivered', 204, ''],
  ['a text', 'delivered', 200, 'grüß dich'],
  ['301', 'failed', 301, ''],
  ['302', 'failed', 302, ''],
  ['400', 'failed', 400, ''],
  ['404', 'failed', 404, ''],
  ['408', 'waiting', 408, ''],
  ['410', 'failed', 410, ''],
  ['429', 'waiting', 429, ''],
  ['500', 'waiting', 500, ''],
  ['503', 'waiting', 503, ''],
  ['a reset', 'waiting', 502, cut],
  ['half of the headers, then the end', 'waiting', 502, cut],
  ['half of the headers, then silence', 'waiting', 504, late],
  ['11 s of silence', 'waiting', 504, late],
  ['headers at 1 byte/s', 'waiting', 504, late],
  ['a body at 1 byte/s', 'delivered', 200, ''],
  ['a body that ends early', 'delivered', 200, ''],
  ['a body of 1 GB', 'delivered', 200, ''],
  ['a body without an end', 'delivered', 200, ''],
  ['a gzip bomb', 'delivered', 200, ''],
  ['20 KB of headers', 'waiting', 502, malformed],
  ['something that is not HTTP', 'waiting', 502, malformed],
  ['a status that is none', 'waiting', 502, malformed],
  ['a good certificate', 'delivered', 200, 'ok'],
  ['a certificate of an unknown root', 'waiting', 502, certificate],
  ['a certificate for another name', 'waiting', 502, certificate],
  ['an expired certificate', 'waiting', 502, certificate],
  ['TLS 1.1 at most', 'waiting', 502, certificate],
  ['HTTP/2 only', 'waiting', 502, malformed],
]

const project = { ordinary: 7, large: 8, table: 9 }

const answers = await startAnswers()
const dispatcher = await startDispatcherProcess({ database: url, ca: answers.ca })
afterAll(async () => {
  await dispatcher.stop()
  await answers.close()
})

const addReceiving = (name: AnswerName, project_id: number) =>
  addWebhook(db, { project_id, target_url: answers.urls[name] })

/** Handles one event for each of `count` tasks. */
async function happen(project_id: number, count: number): Promise<void> {
  for (let id = 1; id <= count; id++) {
    const data = {
      task: taskRecord({ id: project_id * 1000 + id, project_id }),
      before_update: { name: 'old' },
    }
    await arrives(taskUpdated, data)
  }
}

const unsettled = () =>
  db
    .selectFrom('webhook_messages')
    .select('id')
    .where('attempt', '=', 0)
    .where('status', 'in', ['pending', 'waiting'])
    .execute()
const untilSettled = () =>
  vi.waitFor(async () => expect(await unsettled()).toEqual([]), { timeout: 200_000, interval: 50 })

const atOnce = 6 // webhooks of each kind, of ten messages each
/**
 * Warm-up rounds: the heap grows until it is first collected, and until then its size does not depend on the
 * receivers.
 */
const rounds = 12
const usual: Memory[] = []
let most: Memory
const hooks = new Map<AnswerName, number>()

beforeAll(async () => {
  for (let count = 0; count < 2 * atOnce; count++)
    await addReceiving(count % 2 === 0 ? 'a text' : 'a good certificate', project.ordinary)
  for (let round = 0; round < rounds; round++) {
    await happen(project.ordinary, limits.webhook)
    await untilSettled()
    usual.push(await dispatcher.memory())
  }
  for (let count = 0; count < atOnce; count++) {
    await addReceiving('a body of 1 GB', project.large)
    await addReceiving('a gzip bomb', project.large)
  }
  for (const [name] of table) hooks.set(name, await addReceiving(name, project.table))
  await happen(project.table, 1)
  await happen(project.large, limits.webhook)
  await untilSettled()
  most = await dispatcher.memory()
}, 400_000)

const attemptAt = (webhook_id: number) =>
  db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhook_messages as message', 'message.id', 'delivery.message_id')
    .where('delivery.webhook_id', '=', webhook_id)
    .where('delivery.attempt', '=', 1)
    .select(['message.status', 'status_code', 'request_duration', 'next_attempt_date'])
    .select(['delivery.updated_date', sql<string>`left(response, 60)`.as('response')])
    .executeTakeFirstOrThrow()

test.each(table)('%s: the message is %s, recorded as %i %s', async (name, ...expected) => {
  const [status, status_code, text] = expected
  const response = typeof text === 'string' ? text : expect.stringMatching(text)
  const seen = await attemptAt(hooks.get(name) ?? 0)
  expect(seen).toMatchObject({ status, status_code, response })
})

test('every kind of response has a row in the table', () => {
  const notOfTheTable: AnswerName[] = ['a body that trickles']
  expect([...hooks.keys(), ...notOfTheTable].sort()).toEqual(Object.keys(answers.urls).sort())
})

test('Retry-After delays the next attempt', async () => {
  const { next_attempt_date, updated_date } = await attemptAt(hooks.get('429') ?? 0)
  expect(Number(next_attempt_date) - Number(updated_date)).toBe(30_000)
})

describe('timeouts in production', () => {
  test('the default limits are the documented ones', () => {
    expect(defaultLimits).toEqual({
      connectMs: 3000,
      headersMs: 10_000,
      bodyMs: 2000,
      bodyBytes: 1024 * 1024,
    })
  })

  test.each<AnswerName>([
    '11 s of silence',
    'half of the headers, then silence',
    'headers at 1 byte/s',
  ])('%s ends the attempt after ten seconds', async (name) => {
    const { request_duration } = await attemptAt(hooks.get(name) ?? 0)
    expect(request_duration).toBeGreaterThanOrEqual(9990)
  })

  test('a body at 1 byte/s is not read to its end', async () => {
    const { request_duration } = await attemptAt(hooks.get('a body at 1 byte/s') ?? 0)
    expect(request_duration).toBeLessThan(9000)
  })
})

test('misbehaving receivers cost at most 32 MiB more memory than ordinary ones', () => {
  const before = Math.max(...usual.map(({ peak }) => peak))
  expect(most.peak - before).toBeLessThan(32 * 1024 * 1024)
})
