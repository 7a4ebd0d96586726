import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { OrganizationRole, Principal } from '@reticle/contracts/rest/principal'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { testDb } from '@reticle/kit/testing/db'
import { losingAnswers, overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import {
  addOrganizationWebhook,
  addWebhook,
  projectFacts,
  secrets,
  testHandlers,
} from '../testing/world.ts'
import { webhookHandlers } from './rpc.ts'

/** Webhooks of organizations: docs/spec/webhooks.md#operations */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const limits = { perProject: 3, perOrganization: 2 }
const deps = { db, tasks: projectFacts({}), clock, secrets, ...limits }
const guard = { nets: [], allowHttp: false }
const over = (on = db) => testHandlers({ ...deps, db: on, guard })
const handlers = over()
const { createWebhook, getWebhook, listWebhooks } = handlers

/** Context of a user with that role in organization 5, which the request names. */
const member = (
  role: OrganizationRole | null,
  given: Partial<Principal> = {},
  scope: number | null = 5,
) =>
  callAs({
    user_id: 1,
    organization_roles: role ? { 5: role } : {},
    scope: { organization_id: scope },
    ...given,
  })
const olga = member('owner')
const body = {
  target_url: 'https://example.org/hook',
  events: 'delete:organization,create:project',
  type: 'organization' as const,
}

beforeEach(async () => {
  await sql`truncate webhooks, projects, organizations cascade`.execute(db)
})

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, handlers)

  test('an organization webhook belongs to the organization that the request names', async () => {
    const made = await webhooks.createWebhook({ body }, olga)
    expect(made).toMatchObject({
      type: 'organization',
      project_id: null,
      organization: 5,
      events: 'create:project,delete:organization',
    })
    expect(await webhooks.getWebhook({ id: made.id }, olga)).toEqual(made)
    const given = { description: 'x', project_id: 7, type: 'project' }
    const changed = await webhooks.updateWebhook({ id: made.id, body: given }, olga)
    expect(changed).toMatchObject({ ...made, description: 'x', updated_date: expect.any(String) })
    await webhooks.deleteWebhook({ id: made.id }, olga)
    await expect(webhooks.getWebhook({ id: made.id }, olga)).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  test('creation requires an organization in the request and no project in the body', async () => {
    const attempts = [
      webhooks.createWebhook({ body }, callAs({ organization_roles: { 5: 'owner' } })),
      webhooks.createWebhook({ body }, member('owner', {}, null)),
    ]
    for (const attempt of attempts)
      await expect(attempt).rejects.toMatchObject({
        kind: 'invalid',
        body: { non_field_errors: [expect.stringContaining('X-Organization')] },
      })
    const both = webhooks.createWebhook({ body: { ...body, project_id: 7 } }, olga)
    await expect(both).rejects.toMatchObject({ body: { project_id: [expect.any(String)] } })
  })
})

test.each(Object.keys(webhookEvents))(
  'an organization webhook may subscribe to %s',
  async (events) => {
    const made = await createWebhook({ body: { ...body, events } }, olga)
    expect(made.events_list).toEqual([events])
  },
)

test.each(Object.entries(webhookEvents).filter(([, types]) => !types.includes('project')))(
  'a project webhook may not subscribe to %s',
  async (events) => {
    const id = await addWebhook(db)
    const tasks = projectFacts({ 7: { owner_id: 1 } })
    const { updateWebhook } = webhookHandlers({ ...deps, tasks, guard })
    const attempt = updateWebhook({ id, body: { events } }, callAs({ user_id: 1 }))
    await expect(attempt).rejects.toMatchObject({
      body: { non_field_errors: ['Invalid events list for project webhook'] },
    })
  },
)

describe('refused creations', () => {
  const full = { body: { non_field_errors: ['An organization may have at most 2 webhooks.'] } }

  test('creation fails at the limit of the organization, which excludes webhooks of its projects', async () => {
    await db.insertInto('projects').values({ id: 7, owner_id: 1, organization_id: 5 }).execute()
    for (const _ of [1, 2, 3]) await addWebhook(db)
    for (const _ of [1, 2]) await createWebhook({ body }, olga)
    await expect(createWebhook({ body }, olga)).rejects.toMatchObject(full)
    const elsewhere = { organization_roles: { 6: 'owner' as const } }
    await createWebhook({ body }, member(null, { ...elsewhere, scope: { organization_id: 6 } }))
  })

  test('ten concurrent creations cannot exceed the limit', async () => {
    const ended = await Promise.allSettled(
      Array.from({ length: 10 }, () => createWebhook({ body }, olga)),
    )
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  })

  test('creation fails when the organization is known to be deleted', async () => {
    await db.insertInto('organizations').values({ id: 5, is_deleted: true }).execute()
    await expect(createWebhook({ body }, olga)).rejects.toMatchObject({ kind: 'not_found' })
  })
})

describe('permissions', () => {
  const acts = {
    create: (_: number, who: typeof olga) => createWebhook({ body }, who),
    view: (id: number, who: typeof olga) => getWebhook({ id }, who),
    update: (id: number, who: typeof olga) => handlers.updateWebhook({ id, body: {} }, who),
    delete: (id: number, who: typeof olga) => handlers.deleteWebhook({ id }, who),
    deliveries: (id: number, who: typeof olga) => handlers.listDeliveries({ id }, who),
  }
  const everything = ['create', 'view', 'update', 'delete', 'deliveries'] as const
  const butCreate = ['view', 'update', 'delete', 'deliveries'] as const

  /** The webhook belongs to user 3. */
  test.each([
    ['an owner', member('owner'), everything],
    ['a maintainer', member('maintainer'), everything],
    ['a maintainer who is a global worker', member('maintainer', { role: 'worker' }), []],
    ['a supervisor', member('supervisor'), []],
    ['a worker', member('worker'), []],
    ['a supervisor whose it is', member('supervisor', { user_id: 3 }), butCreate],
    ['a worker whose it is', member('worker', { user_id: 3, role: 'worker' }), butCreate],
    ['a worker without a global role', member('worker', { user_id: 3, role: null }), []],
    ['who made it and left', member(null, { user_id: 3 }), []],
    ['a stranger', member(null), []],
    ['an administrator', member(null, { role: 'admin' }), everything],
  ] as const)('exactly the listed operations are permitted for %s', async (_who, who, may) => {
    for (const [name, act] of Object.entries(acts)) {
      const id = await addOrganizationWebhook(db, 5, { owner_id: 3 })
      const ended = await act(id, who).then(
        () => 'permitted',
        (error) => error.kind,
      )
      const expected = may.some((one) => one === name) ? 'permitted' : 'forbidden'
      expect([name, ended]).toEqual([name, expected])
      await sql`truncate webhooks cascade`.execute(db)
    }
  })
})

describe('lists of webhooks', () => {
  const named = async (who: typeof olga, names: Record<string, number>) => {
    const { count, results } = await listWebhooks({ sort: 'id' }, who)
    expect(results).toHaveLength(count)
    return results.map(({ id }) => Object.keys(names).find((name) => names[name] === id)).join(' ')
  }
  async function fill() {
    const projects = [
      { id: 7, owner_id: 1, organization_id: 5 },
      { id: 8, owner_id: 3, organization_id: null },
      { id: 9, owner_id: 4, organization_id: 6 },
    ]
    await db.insertInto('projects').values(projects).execute()
    return {
      acme: await addOrganizationWebhook(db, 5, { owner_id: 2 }),
      inAcme: await addWebhook(db, { project_id: 7, owner_id: 2 }),
      ofTheirs: await addWebhook(db, { project_id: 8, owner_id: 2 }),
      other: await addOrganizationWebhook(db, 6, { owner_id: 4 }),
      inOther: await addWebhook(db, { project_id: 9, owner_id: 4 }),
    }
  }

  test.each([
    ['an owner', member('owner', { user_id: 9 }), 'acme inAcme'],
    [
      'a maintainer, in no workspace',
      member('maintainer', { user_id: 9, scope: null }),
      'acme inAcme',
    ],
    [
      'a maintainer who is a global worker',
      member('maintainer', { user_id: 9, role: 'worker' }),
      '',
    ],
    ['a supervisor whose they are', member('supervisor', { user_id: 2 }), 'acme inAcme'],
    ['a worker who owns the project', member('worker', { user_id: 1 }), 'inAcme'],
    ['a worker', member('worker', { user_id: 9 }), ''],
    ['who made them and left', member(null, { user_id: 2, scope: null }), 'ofTheirs'],
    ['their own workspace', member('owner', { user_id: 3 }, null), 'ofTheirs'],
    ['an owner, in the own workspace', member('owner', { user_id: 9 }, null), ''],
    ['an administrator', member(null, { role: 'admin' }), 'acme inAcme'],
    ['an administrator elsewhere', member(null, { role: 'admin' }, 6), 'other inOther'],
    ['an administrator, in the own workspace', member(null, { role: 'admin' }, null), 'ofTheirs'],
    [
      'an administrator, in no workspace',
      callAs({ role: 'admin' }),
      'acme inAcme ofTheirs other inOther',
    ],
  ] as const)('the list for %s contains the visible webhooks', async (_who, who, expected) => {
    expect(await named(who, await fill())).toBe(expected)
  })

  test.each([
    ['a leader', member('owner', { user_id: 9, scope: null, only_own: true }), ''],
    [
      'a maintainer who owns the project',
      member('maintainer', { user_id: 1, scope: null, only_own: true }),
      'inAcme',
    ],
    [
      'a supervisor who made webhooks',
      member('supervisor', { user_id: 2, scope: null, only_own: true }),
      'acme inAcme ofTheirs',
    ],
    [
      'an administrator',
      callAs({ role: 'admin', only_own: true }),
      'acme inAcme ofTheirs other inOther',
    ],
  ] as const)(
    'with only_own show %s own webhooks and those of own projects',
    async (_who, who, expected) => {
      expect(await named(who, await fill())).toBe(expected)
    },
  )

  test('the list can be filtered by type', async () => {
    const { acme } = await fill()
    const { results } = await listWebhooks({ type: 'organization' }, olga)
    expect(results.map(({ id }) => id)).toEqual([acme])
  })

  test('the list names no organization that was deleted', async () => {
    const { inAcme } = await fill()
    await db.updateTable('organizations').set({ is_deleted: true }).where('id', '=', 5).execute()
    const { results } = await listWebhooks({ id: inAcme }, callAs({ role: 'admin' }))
    expect(results).toMatchObject([{ organization: null }])
  })

  test('a list of any length needs two queries', async () => {
    await fill()
    const { db: watched, statements } = countStatements(db)
    await over(watched).listWebhooks({}, olga)
    expect(statements()).toBe(2)
  })
})

test('a creation repeated after a broken connection creates one webhook', async () => {
  const webhooks = await losingAnswers(table, handlers)
  const { id } = await webhooks.createWebhook({ body }, olga)
  const { results } = await listWebhooks({}, olga)
  expect(results.map((one) => one.id)).toEqual([id])
})
