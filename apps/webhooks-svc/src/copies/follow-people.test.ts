import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import { userRecord } from '@reticle/contracts/testing/records'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { consumeEvents } from '../consumer.ts'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'
import { toWebhook } from '../webhooks/messages.ts'
import { findWebhook } from '../webhooks/repo.ts'

/** Copies of user data in this service: docs/spec/access.md#users */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const deps = { clock: testClock(), base: 'https://host/api', onMessages: () => undefined }
const arrives = createDeliverer(db, consumeEvents(deps))

beforeEach(async () => {
  await sql`truncate events, webhooks, projects cascade`.execute(db)
})

async function shown(id: number) {
  const row = await findWebhook(db, id)
  if (!row) throw new Error(`no webhook ${id}`)
  return toWebhook(row)
}

test('webhooks show the current name of their owner, and other webhooks are unchanged', async () => {
  const own = await addWebhook(db, { owner_id: 3 })
  const other = await addWebhook(db, { owner_id: 4, owner_username: 'bo' })
  const before = await shown(own)
  const user = userRecord({ id: 3, username: 'anne', first_name: 'Anne', last_name: 'L' })
  await arrives(userUpdated, { user, before_update: { username: 'anna' } })
  expect(await shown(own)).toEqual({
    ...before,
    owner: { url: '/users/3', id: 3, username: 'anne', first_name: 'Anne', last_name: 'L' },
  })
  expect((await shown(other)).owner).toMatchObject({ id: 4, username: 'bo' })
})

test('webhooks of a deleted user stay without an owner and without the name', async () => {
  const own = await addWebhook(db, { owner_id: 3, owner_first_name: 'Anna' })
  const other = await addWebhook(db, { owner_id: 4 })
  await arrives(userDeleted, { user: userRecord({ id: 3 }) })
  expect(await shown(own)).toMatchObject({ owner: null, is_active: true })
  expect((await shown(other)).owner).toMatchObject({ id: 4 })
  const rows = await db.selectFrom('webhooks').selectAll().where('id', '=', own).execute()
  expect(JSON.stringify(rows)).not.toMatch(/anna/i)
})

test('projects of a deleted user have no owner', async () => {
  await addWebhook(db, { project_id: 7 })
  await addWebhook(db, { project_id: 8 })
  await sql`update projects set owner_id = case id when 7 then 3 else 4 end`.execute(db)
  await arrives(userDeleted, { user: userRecord({ id: 3 }) })
  const rows = await db.selectFrom('projects').select(['id', 'owner_id']).orderBy('id').execute()
  expect(rows).toEqual([
    { id: 7, owner_id: null },
    { id: 8, owner_id: 4 },
  ])
})
