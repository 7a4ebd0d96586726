import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { losingAnswers } from '@reticle/kit/testing/transport'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { projectFacts, secrets, testHandlers } from '../testing/world.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const tasks = projectFacts({ 7: { owner_id: 1, organization_id: 2, roles: { 1: 'owner' } } })
const deps = { db, tasks, clock, secrets, perProject: 3, perOrganization: 2 }
const handlers = testHandlers({ ...deps, guard: { nets: [], allowHttp: false } })
const anna = callAs({ user_id: 1, username: 'anna' }, { request_id: 'request-1' })

async function logged() {
  const rows = await db.selectFrom('events').selectAll().execute()
  await db.deleteFrom('events').execute()
  return rows.map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload ?? 'null') }))
}

test('changes of a webhook are logged once and without its secret', async () => {
  const webhooks = await losingAnswers(table, handlers)
  const query = { target_url: 'https://example.org/hook', events: 'update:task' }
  const secret = 'never to be told'
  const made = await webhooks.createWebhook(
    { body: { ...query, secret, type: 'project', project_id: 7 } },
    anna,
  )
  const place = { obj_id: made.id, project_id: 7, org_id: 2, user_id: 1, user_name: 'anna' }
  const request = { id: 'request-1', user_agent: null }
  expect(await logged()).toMatchObject([
    { ...place, scope: 'create:webhook', payload: { ...made, request } },
  ])

  const { id } = made
  await webhooks.updateWebhook({ id, body: { description: 'ci', secret: '' } }, anna)
  const update = { ...place, scope: 'update:webhook' }
  expect(await logged()).toMatchObject([
    { ...update, obj_name: 'description', obj_val: 'ci', payload: { old_value: '', request } },
    { ...update, obj_name: 'has_secret', obj_val: 'false', payload: { old_value: true } },
  ])
  await webhooks.updateWebhook({ id, body: { description: 'ci' } }, anna)
  expect(await logged()).toEqual([])
  await webhooks.updateWebhook({ id, body: { dialect: 'cvat' } }, anna)
  expect(await logged()).toMatchObject([
    { ...update, obj_name: 'dialect', obj_val: 'cvat', payload: { old_value: 'service' } },
  ])

  await webhooks.deleteWebhook({ id }, anna)
  expect(await logged()).toMatchObject([
    { ...place, scope: 'delete:webhook', payload: { id, description: 'ci', request } },
  ])
})
