import { webhooks as table } from '@reticle/contracts/api/webhooks'
import { callAs } from '@reticle/kit/testing/call'
import { testClock } from '@reticle/kit/testing/clock'
import { counting } from '@reticle/kit/testing/counting'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import {
  addWebhook,
  type KnownProject,
  projectFacts,
  secrets,
  testHandlers,
} from '../testing/world.ts'
import { webhookHandlers } from './rpc.ts'
import { openSecret } from './secret.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:00.000Z')
const projects: Record<number, KnownProject> = {}
const deps = {
  db,
  tasks: projectFacts(projects),
  clock,
  secrets,
  perProject: 3,
  perOrganization: 2,
}
const guard = { nets: [], allowHttp: false }
const handlers = testHandlers({ ...deps, guard })

const anna = callAs({ user_id: 1, username: 'anna', first_name: 'Anna', last_name: 'L' })
const bo = callAs({ user_id: 2 })
const admin = callAs({ user_id: 9, role: 'admin' })
const body = {
  target_url: 'https://example.org/hook',
  events: 'update:task',
  type: 'project' as const,
}

beforeEach(async () => {
  await sql`truncate webhooks, projects cascade`.execute(db)
  for (const id of Object.keys(projects)) delete projects[Number(id)]
  projects[7] = { owner_id: 1 }
})

const stored = (id: number) =>
  db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe.each(transports)('over %s', (transport) => {
  const webhooks = overTransport(transport, table, handlers)

  test('a created webhook has the fields of the body and defaults for the others', async () => {
    const made = await webhooks.createWebhook(
      { body: { ...body, events: 'update:task,create:task', description: 'ci', project_id: 7 } },
      anna,
    )
    expect(made).toEqual({
      url: `/webhooks/${made.id}`,
      id: made.id,
      target_url: 'https://example.org/hook',
      description: 'ci',
      type: 'project',
      project_id: 7,
      organization: null,
      events: 'create:task,update:task',
      events_list: ['create:task', 'update:task'],
      content_type: 'application/json',
      has_secret: false,
      is_active: true,
      enable_ssl: true,
      dialect: 'service',
      owner: { url: '/users/1', id: 1, username: 'anna', first_name: 'Anna', last_name: 'L' },
      created_date: '2026-03-01T10:00:00.000Z',
      updated_date: '2026-03-01T10:00:00.000Z',
    })
    expect(await webhooks.getWebhook({ id: made.id }, anna)).toEqual(made)
  })

  test('the dialect of payloads is set on creation, changed by PATCH and kept by PUT', async () => {
    const given = { ...body, project_id: 7, dialect: 'cvat' as const }
    const { id, dialect, updated_date } = await webhooks.createWebhook({ body: given }, anna)
    expect(dialect).toBe('cvat')
    const put = { id, body: { target_url: body.target_url, events: body.events } }
    expect(await webhooks.replaceWebhook(put, anna)).toMatchObject({ dialect, updated_date })
    const patch = { id, body: { dialect: 'service' as const } }
    const changed = await webhooks.updateWebhook(patch, anna)
    expect(changed.dialect).toBe('service')
    expect(changed.updated_date > updated_date).toBe(true)
    expect(await webhooks.getWebhook({ id }, anna)).toEqual(changed)
  })

  test('the secret is stored sealed and never returned', async () => {
    const given = { ...body, project_id: 7, secret: 'hush hush' }
    const made = await webhooks.createWebhook({ body: given }, anna)
    expect(made.has_secret).toBe(true)
    expect(JSON.stringify(made)).not.toContain('hush')
    const row = await stored(made.id)
    expect(String(row.secret_sealed)).not.toContain('hush')
    expect(openSecret(secrets, row)).toBe('hush hush')
  })

  test('a secret whose key was removed can be replaced', async () => {
    const id = await addWebhook(db, { secret_sealed: 'k0.AAAA' })
    await webhooks.updateWebhook({ id, body: { secret: 'new' } }, anna)
    expect(openSecret(secrets, await stored(id))).toBe('new')
  })

  test('an update writes the named fields and changes `updated_date`', async () => {
    const id = await addWebhook(db, { description: 'old' })
    const changed = await webhooks.updateWebhook({ id, body: { description: 'new' } }, anna)
    expect(changed).toMatchObject({ description: 'new', target_url: 'https://example.org' })
    expect(changed.updated_date).toBe('2026-03-01T10:00:00.000Z')
  })

  test('an update without changes keeps `updated_date`', async () => {
    const id = await addWebhook(db, { events: ['create:task', 'update:task'] })
    const same = { events: 'update:task,create:task', secret: '', is_active: true }
    const changed = await webhooks.updateWebhook({ id, body: same }, anna)
    expect(changed.updated_date).toBe('2026-03-01T09:00:00.000Z')
  })

  test('an update ignores `type` and `project_id`', async () => {
    const id = await addWebhook(db)
    const given = { type: 'organization', project_id: 8, description: 'x' }
    const changed = await webhooks.updateWebhook({ id, body: given }, anna)
    expect(changed).toMatchObject({ type: 'project', project_id: 7, description: 'x' })
  })

  test('a PUT keeps the fields that it does not name', async () => {
    const id = await addWebhook(db, { description: 'kept', is_active: false })
    const put = { target_url: 'https://example.com', events: 'update:job' }
    expect(await webhooks.replaceWebhook({ id, body: put }, anna)).toMatchObject({
      target_url: 'https://example.com',
      events: 'update:job',
      description: 'kept',
      is_active: false,
    })
  })

  test('a deleted webhook is not found', async () => {
    const id = await addWebhook(db)
    await webhooks.deleteWebhook({ id }, anna)
    await expect(webhooks.getWebhook({ id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a list contains the webhooks that the caller may view, newest first', async () => {
    projects[8] = { owner_id: 2 }
    const [first, second] = [await addWebhook(db), await addWebhook(db)]
    await addWebhook(db, { project_id: 8, owner_id: 2 })
    const { count, results } = await webhooks.listWebhooks({}, anna)
    expect(count).toBe(2)
    expect(results.map(({ id }) => id)).toEqual([second, first])
  })
})

const { createWebhook, getWebhook, listWebhooks, updateWebhook, deleteWebhook } = handlers

describe('creation of a webhook', () => {
  test.each([
    ['of a project that does not exist', { project_id: 99 }, { project_id: [expect.any(String)] }],
    ['without a project', {}, { project_id: ['This field is required.'] }],
    [
      'for an organization',
      { type: 'organization' as const },
      { non_field_errors: [expect.any(String)] },
    ],
    [
      'with an inside target',
      { project_id: 7, target_url: 'https://10.0.0.1' },
      { target_url: [expect.any(String)] },
    ],
  ])('a webhook %s is rejected', async (_title, given, expected) => {
    const attempt = createWebhook({ body: { ...body, ...given } }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid', body: expected })
  })

  test('creation fails at the limit of the project', async () => {
    for (const _ of [1, 2, 3]) await createWebhook({ body: { ...body, project_id: 7 } }, anna)
    const attempt = createWebhook({ body: { ...body, project_id: 7 } }, anna)
    await expect(attempt).rejects.toMatchObject({
      body: { non_field_errors: ['A project may have at most 3 webhooks.'] },
    })
  })

  test('ten concurrent creations cannot exceed the limit', async () => {
    const attempts = Array.from({ length: 10 }, () =>
      createWebhook({ body: { ...body, project_id: 7 } }, anna),
    )
    const ended = await Promise.allSettled(attempts)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('creation fails for a project that is known to be deleted', async () => {
    await db
      .insertInto('projects')
      .values({ id: 7, owner_id: 1, organization_id: null, is_deleted: true })
      .execute()
    const attempt = createWebhook({ body: { ...body, project_id: 7 } }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('permissions', () => {
  const acts = {
    create: (_id: number, who: typeof anna) =>
      createWebhook({ body: { ...body, project_id: 7 } }, who),
    view: (id: number, who: typeof anna) => getWebhook({ id }, who),
    update: (id: number, who: typeof anna) => updateWebhook({ id, body: {} }, who),
    delete: (id: number, who: typeof anna) => deleteWebhook({ id }, who),
    deliveries: (id: number, who: typeof anna) => handlers.listDeliveries({ id }, who),
  }
  const everything = ['create', 'view', 'update', 'delete', 'deliveries'] as const
  const butCreate = ['view', 'update', 'delete', 'deliveries'] as const

  /** The webhook belongs to user 3, its project 7 to user 1. */
  test.each([
    ['sandbox', 'the project owner', { user_id: 1 }, undefined, everything],
    ['sandbox', 'the webhook owner', { user_id: 3 }, undefined, butCreate],
    ['sandbox', 'a stranger', { user_id: 2 }, undefined, []],
    ['sandbox', 'an administrator', { user_id: 2, role: 'admin' }, undefined, everything],
    ['sandbox', 'an owner without a global role', { user_id: 1, role: null }, undefined, []],
    ['organization', 'a maintainer', { user_id: 2 }, 'maintainer', everything],
    ['organization', 'an owner', { user_id: 2 }, 'owner', everything],
    [
      'organization',
      'a maintainer who is a global worker',
      { user_id: 2, role: 'worker' },
      'maintainer',
      [],
    ],
    ['organization', 'a supervisor', { user_id: 2 }, 'supervisor', []],
    ['organization', 'a worker who owns the project', { user_id: 1 }, 'worker', everything],
    ['organization', 'a worker who owns the webhook', { user_id: 3 }, 'worker', butCreate],
    ['organization', 'an owner of the webhook who left', { user_id: 3 }, undefined, []],
  ] as const)(
    'exactly the listed operations are permitted in a %s for %s',
    async (place, _who, principal, role, may) => {
      const roles = role && { [principal.user_id]: role }
      projects[7] = { owner_id: 1, organization_id: place === 'sandbox' ? undefined : 5, roles }
      for (const [name, act] of Object.entries(acts)) {
        const id = await addWebhook(db, { owner_id: 3 })
        const ended = await act(id, callAs(principal)).then(
          () => 'permitted',
          (error) => error.kind,
        )
        const expected = may.some((one) => one === name) ? 'permitted' : 'forbidden'
        expect([name, ended]).toEqual([name, expected])
        await sql`truncate webhooks cascade`.execute(db)
      }
    },
  )

  test('an unknown webhook is not found for any caller', async () => {
    for (const who of [anna, bo, admin])
      await expect(getWebhook({ id: 1 }, who)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('the webhook of a deleted project is not found', async () => {
    const id = await addWebhook(db)
    delete projects[7]
    await expect(getWebhook({ id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })
})

describe('lists of webhooks', () => {
  test('a list contains webhooks of other owners in own projects, and for administrators all', async () => {
    await addWebhook(db, { owner_id: 2 })
    await db.updateTable('projects').set({ owner_id: 1 }).execute()
    expect(await listWebhooks({}, anna)).toMatchObject({ count: 1 })
    expect(await listWebhooks({}, callAs({ user_id: 4 }))).toMatchObject({ count: 0 })
    expect(await listWebhooks({}, admin)).toMatchObject({ count: 1 })
  })

  test('lists are filtered and sorted', async () => {
    const a = await addWebhook(db, { target_url: 'https://a.example', owner_username: 'zoe' })
    const b = await addWebhook(db, { target_url: 'https://b.example', project_id: 8 })
    const ids = async (query: Parameters<typeof listWebhooks>[0]) =>
      (await listWebhooks(query, admin)).results.map(({ id }) => id)
    expect(await ids({ target_url: 'https://a.example' })).toEqual([a])
    expect(await ids({ owner: 'zoe' })).toEqual([a])
    expect(await ids({ project_id: 8 })).toEqual([b])
    expect(await ids({ id: a, type: 'project' })).toEqual([a])
    expect(await ids({ type: 'organization' })).toEqual([])
    expect(await ids({ sort: 'target_url' })).toEqual([a, b])
    expect(await ids({ sort: 'owner,nonsense' })).toEqual([b, a])
  })

  test('lists leave out webhooks of deleted projects', async () => {
    const id = await addWebhook(db, { ended_date: new Date() })
    expect(await listWebhooks({}, admin)).toMatchObject({ count: 0 })
    await expect(getWebhook({ id }, admin)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a list of any length needs two queries', async () => {
    for (const _ of [1, 2, 3]) await addWebhook(db)
    const { db: watched, statements } = counting(db)
    await webhookHandlers({ ...deps, db: watched, guard }).listWebhooks({}, admin)
    expect(statements()).toBe(2)
  })
})

describe('If-Match', () => {
  const tag = (row: { id: number; updated_date: string }) =>
    `"${row.id}-${Date.parse(row.updated_date).toString(36)}"`

  test('a change with the current entity tag succeeds, one with an old tag fails', async () => {
    const made = await createWebhook({ body: { ...body, project_id: 7 } }, anna)
    const changed = await updateWebhook(
      { id: made.id, if_match: tag(made), body: { description: 'x' } },
      anna,
    )
    expect(changed.updated_date).toBe('2026-03-01T10:00:00.001Z')
    await expect(
      updateWebhook({ id: made.id, if_match: tag(made), body: { description: 'y' } }, anna),
    ).rejects.toMatchObject({ kind: 'precondition', more: { etag: tag(changed) } })
  })

  test('a deletion with a wrong entity tag fails', async () => {
    const id = await addWebhook(db)
    const attempt = deleteWebhook({ id, if_match: '"1-0"' }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'precondition' })
    await deleteWebhook({ id, if_match: '*' }, anna)
  })
})

test('a new target URL resets the failures of the old one', async () => {
  const id = await addWebhook(db, { failure_streak: 7 })
  await updateWebhook({ id, body: { description: 'x' } }, anna)
  expect(await stored(id)).toMatchObject({ failure_streak: 7 })
  await updateWebhook({ id, body: { target_url: 'https://example.com' } }, anna)
  expect(await stored(id)).toMatchObject({ failure_streak: 0 })
})

test('a secret can be replaced and removed', async () => {
  const { id } = await createWebhook({ body: { ...body, project_id: 7, secret: 'one' } }, anna)
  const same = await updateWebhook({ id, body: { secret: 'one' } }, anna)
  expect(same.updated_date).toBe('2026-03-01T10:00:00.000Z')
  await updateWebhook({ id, body: { secret: 'two' } }, anna)
  expect(openSecret(secrets, await stored(id))).toBe('two')
  expect(await updateWebhook({ id, body: { secret: '' } }, anna)).toMatchObject({
    has_secret: false,
  })
})
