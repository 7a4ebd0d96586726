import { membershipCreated, membershipDeleted } from '@reticle/contracts/events/organizations'
import { userDeleted } from '@reticle/contracts/events/users'
import { userRecord } from '@reticle/contracts/testing/records'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { consumeEvents } from '../consumer.ts'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addOrganizationWebhook, addWebhook } from '../testing/world.ts'
import { toWebhook } from './messages.ts'
import { findWebhook } from './repo.ts'

/** Owners of an organization can see which webhooks a removed member left behind. */

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

describe('webhooks of a user who leaves the organization', () => {
  const membership = (user_id: number, organization: number) => ({
    id: 21,
    organization,
    is_active: true,
    joined_date: null,
    role: 'maintainer' as const,
    user: userRecord({ id: user_id }),
    invitation: null,
  })
  const leave = (user_id: number, organization: number) =>
    arrives(membershipDeleted, { membership: membership(user_id, organization) })
  const logged = () =>
    db
      .selectFrom('events')
      .select(['scope', 'obj_id', 'obj_name', 'org_id'])
      .where('scope', '=', 'update:webhook')
      .orderBy('obj_id')
      .execute()

  test('the webhooks show the date, stay active and are logged for the organization', async () => {
    const own = await addOrganizationWebhook(db, 2, { owner_id: 3 })
    const ofProject = await addWebhook(db, { owner_id: 3, project_id: 7 })
    await sql`update projects set organization_id = 2 where id = 7`.execute(db)
    const others = await addOrganizationWebhook(db, 2, { owner_id: 4 })
    const elsewhere = await addOrganizationWebhook(db, 5, { owner_id: 3 })
    const personal = await addWebhook(db, { owner_id: 3, project_id: 8 })
    await leave(3, 2)
    for (const id of [own, ofProject])
      expect(await shown(id)).toMatchObject({
        is_active: true,
        owner: { id: 3 },
        owner_left_date: expect.any(String),
      })
    for (const id of [others, elsewhere, personal])
      expect(await shown(id)).not.toHaveProperty('owner_left_date')
    const row = { scope: 'update:webhook', obj_name: 'owner_left_date', org_id: 2 }
    expect(await logged()).toEqual([own, ofProject].map((obj_id) => ({ ...row, obj_id })))
  })

  test('the mark is cleared when the user joins again', async () => {
    const own = await addOrganizationWebhook(db, 2, { owner_id: 3 })
    await leave(3, 2)
    await arrives(membershipCreated, { membership: membership(3, 2) })
    expect(await shown(own)).not.toHaveProperty('owner_left_date')
  })

  test('the mark stays when the account is deleted', async () => {
    const own = await addOrganizationWebhook(db, 2, { owner_id: 3 })
    await leave(3, 2)
    await arrives(userDeleted, { user: userRecord({ id: 3 }) })
    expect(await shown(own)).toMatchObject({ owner: null, owner_left_date: expect.any(String) })
  })
})
