import { randomUUID } from 'node:crypto'
import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { losingAnswers } from '@reticle/kit/testing/transport'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook, projectFacts, secrets, testHandlers } from '../testing/world.ts'

/** Every change is applied once and answered correctly over a network that loses each first response. */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const tasks = projectFacts({ 7: { owner_id: 1 } })
const deps = { db, tasks, clock, secrets, perProject: 1, perOrganization: 1 }
const guard = { nets: [], allowHttp: false }
const handlers = testHandlers({ ...deps, guard })
const webhooks = await losingAnswers(table, handlers)
const anna = () => callAs({ user_id: 1 })

test('a webhook is created, updated and deleted once', async () => {
  const target_url = 'https://example.org/hook'
  const body = { target_url, events: 'update:task', type: 'project' as const, project_id: 7 }
  const made = await webhooks.createWebhook({ body }, anna()) // a second would be one too many
  const { id } = made
  expect(await webhooks.getWebhook({ id }, anna())).toEqual(made)

  clock.advance(1000)
  const changed = await webhooks.updateWebhook({ id, body: { description: 'ci' } }, anna())
  expect(changed).toMatchObject({ description: 'ci', updated_date: '2026-03-01T10:00:01.000Z' })

  await webhooks.deleteWebhook({ id }, anna())
  expect(await db.selectFrom('webhooks').selectAll().execute()).toEqual([])
})

test('a repeated call returns the result of its first run, even after later changes', async () => {
  const id = await addWebhook(db)
  const call = { ...anna(), call_id: randomUUID() }
  const update = { id, body: { description: 'first' } }
  const done = await handlers.updateWebhook(update, call)
  await handlers.updateWebhook({ id, body: { description: 'second' } }, anna())
  expect(await handlers.updateWebhook(update, call)).toEqual(done)
})
