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

  test('a webhook is made as it was asked for, the rest has its default', async () => {
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
      owner: { url: '/users/1', id: 1, username: 'anna', first_name: 'Anna', last_name: 'L' },
      created_date: '2026-03-01T10:00:00.000Z',
      updated_date: '2026-03-01T10:00:00.000Z',
    })
    expect(await webhooks.getWebhook({ id: made.id }, anna)).toEqual(made)
  })

  test('the secret is kept sealed and never told', async () => {
    const given = { ...body, project_id: 7, secret: 'hush hush' }
    const made = await webhooks.createWebhook({ body: given }, anna)
    expect(made.has_secret).toBe(true)
    expect(JSON.stringify(made)).not.toContain('hush')
    const row = await stored(made.id)
    expect(String(row.secret_sealed)).not.toContain('hush')
    expect(openSecret(secrets, row)).toBe('hush hush')
  })

  test('a secret whose key is gone may be replaced', async () => {
    const id = await addWebhook(db, { secret_sealed: 'k0.AAAA' })
    await webhooks.updateWebhook({ id, body: { secret: 'new' } }, anna)
    expect(openSecret(secrets, await stored(id))).toBe('new')
  })

  test('a change writes what is named and moves the date', async () => {
    const id = await addWebhook(db, { description: 'old' })
    const changed = await webhooks.updateWebhook({ id, body: { description: 'new' } }, anna)
    expect(changed).toMatchObject({ description: 'new', target_url: 'https://example.org' })
    expect(changed.updated_date).toBe('2026-03-01T10:00:00.000Z')
  })

  test('a change that changes nothing leaves the date', async () => {
    const id = await addWebhook(db, { events: ['create:task', 'update:task'] })
    const same = { events: 'update:task,create:task', secret: '', is_active: true }
    const changed = await webhooks.updateWebhook({ id, body: same }, anna)
    expect(changed.updated_date).toBe('2026-03-01T09:00:00.000Z')
  })

  test('what is written once is ignored later', async () => {
    const id = await addWebhook(db)
    const given = { type: 'organization', project_id: 8, description: 'x' }
    const changed = await webhooks.updateWebhook({ id, body: given }, anna)
    expect(changed).toMatchObject({ type: 'project', project_id: 7, description: 'x' })
  })

  test('a PUT keeps what it does not name', async () => {
    const id = await addWebhook(db, { description: 'kept', is_active: false })
    const put = { target_url: 'https://example.com', events: 'update:job' }
    expect(await webhooks.replaceWebhook({ id, body: put }, anna)).toMatchObject({
      target_url: 'https://example.com',
      events: 'update:job',
      description: 'kept',
      is_active: false,
    })
  })

  test('a deleted webhook is gone', async () => {
    const id = await addWebhook(db)
    await webhooks.deleteWebhook({ id }, anna)
    await expect(webhooks.getWebhook({ id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('a list has what the caller may see, newest first', async () => {
    projects[8] = { owner_id: 2 }
    const [first, second] = [await addWebhook(db), await addWebhook(db)]
    await addWebhook(db, { project_id: 8, owner_id: 2 })
    const { count, results } = await webhooks.listWebhooks({}, anna)
    expect(count).toBe(2)
    expect(results.map(({ id }) => id)).toEqual([second, first])
  })
})

const { createWebhook, getWebhook, listWebhooks, updateWebhook, deleteWebhook } = handlers

describe('making one', () => {
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
  ])('%s is refused', async (_title, given, expected) => {
    const attempt = createWebhook({ body: { ...body, ...given } }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid', body: expected })
  })

  test('is refused when the project has as many as it may have', async () => {
    for (const _ of [1, 2, 3]) await createWebhook({ body: { ...body, project_id: 7 } }, anna)
    const attempt = createWebhook({ body: { ...body, project_id: 7 } }, anna)
    await expect(attempt).rejects.toMatchObject({
      body: { non_field_errors: ['A project may have at most 3 webhooks.'] },
    })
  })

  test('ten at once do not pass that limit', async () => {
    const attempts = Array.from({ length: 10 }, () =>
      createWebhook({ body: { ...body, project_id: 7 } }, anna),
    )
    const ended = await Promise.allSettled(attempts)
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('is refused for a project whose deletion is known', async () => {
    await db
      .insertInto('projects')
      .values({ id: 7, owner_id: 1, organization_id: null, is_deleted: true })
      .execute()
    const attempt = createWebhook({ body: { ...body, project_id: 7 } }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
  })
})

describe('who may do what (api-annotations 4.2)', () => {
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

  /** Webhook of user 3 on project 7, which belongs to user 1. */
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
  ] as const)('%s: %s', async (place, _who, principal, role, may) => {
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
  })

  test('an unknown webhook is not found, whoever asks', async () => {
    for (const who of [anna, bo, admin])
      await expect(getWebhook({ id: 1 }, who)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('the webhook of a project that is gone is not found', async () => {
    const id = await addWebhook(db)
    delete projects[7]
    await expect(getWebhook({ id }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })
})

describe('lists', () => {
  test('hold webhooks of others on own projects; for an administrator all', async () => {
    await addWebhook(db, { owner_id: 2 })
    await db.updateTable('projects').set({ owner_id: 1 }).execute()
    expect(await listWebhooks({}, anna)).toMatchObject({ count: 1 })
    expect(await listWebhooks({}, callAs({ user_id: 4 }))).toMatchObject({ count: 0 })
    expect(await listWebhooks({}, admin)).toMatchObject({ count: 1 })
  })

  test('are filtered and sorted', async () => {
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

  test('leave out webhooks of deleted projects', async () => {
    const id = await addWebhook(db, { ended_date: new Date() })
    expect(await listWebhooks({}, admin)).toMatchObject({ count: 0 })
    await expect(getWebhook({ id }, admin)).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('cost two queries, however long', async () => {
    for (const _ of [1, 2, 3]) await addWebhook(db)
    const { db: watched, statements } = counting(db)
    await webhookHandlers({ ...deps, db: watched, guard }).listWebhooks({}, admin)
    expect(statements()).toBe(2)
  })
})

describe('If-Match', () => {
  const tag = (row: { id: number; updated_date: string }) =>
    `"${row.id}-${Date.parse(row.updated_date).toString(36)}"`

  test('lets a change through that knows the present state', async () => {
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

  test('guards deletion as well', async () => {
    const id = await addWebhook(db)
    const attempt = deleteWebhook({ id, if_match: '"1-0"' }, anna)
    await expect(attempt).rejects.toMatchObject({ kind: 'precondition' })
    await deleteWebhook({ id, if_match: '*' }, anna)
  })
})

test('another target starts without the failures of the old one', async () => {
  const id = await addWebhook(db, { failure_streak: 7 })
  await updateWebhook({ id, body: { description: 'x' } }, anna)
  expect(await stored(id)).toMatchObject({ failure_streak: 7 })
  await updateWebhook({ id, body: { target_url: 'https://example.com' } }, anna)
  expect(await stored(id)).toMatchObject({ failure_streak: 0 })
})

test('a secret can be replaced and taken away', async () => {
  const { id } = await createWebhook({ body: { ...body, project_id: 7, secret: 'one' } }, anna)
  const same = await updateWebhook({ id, body: { secret: 'one' } }, anna)
  expect(same.updated_date).toBe('2026-03-01T10:00:00.000Z')
  await updateWebhook({ id, body: { secret: 'two' } }, anna)
  expect(openSecret(secrets, await stored(id))).toBe('two')
  expect(await updateWebhook({ id, body: { secret: '' } }, anna)).toMatchObject({
    has_secret: false,
  })
})
