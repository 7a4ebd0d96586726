import { organizations as table } from '@reticle/contracts/api/organizations'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { losingAnswers, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { handlers } from '../server.ts'
import { testOrganizations } from '../testing/organizations.ts'

/** Calls on organizations and their permissions. */

const { db, blobs, over, addUser, addMember, addOrganization, as, takeEvents } =
  await testOrganizations()
const [admin, stranger] = [await addUser('admin'), await addUser()]
const notFound = { kind: 'not_found' }
const forbidden = { kind: 'forbidden' }

describe.each(transports)('over %s', (transport) => {
  const { organizations } = over(transport)
  const slugOf = (name: string) => `${name}-${transport.slice(0, 4)}`

  test('the creator of an organization owns it and is its first member', async () => {
    const anna = await addUser()
    await takeEvents()
    const body = { slug: slugOf('acme'), contact: { email: 'ops@acme.test', more: { n: 1 } } }
    const made = await organizations.createOrganization({ body }, anna.call)
    expect(made).toEqual({
      id: expect.any(Number),
      slug: body.slug,
      name: body.slug,
      description: '',
      contact: body.contact,
      created_date: expect.any(String),
      updated_date: expect.any(String),
      owner: expect.objectContaining({ id: anna.id, username: anna.username }),
    })
    const call = await as(anna)
    expect(await organizations.getOrganization({ id: made.id }, call)).toEqual(made)
    const { results } = await organizations.listMemberships({}, call)
    expect(results).toEqual([
      {
        id: expect.any(Number),
        user: made.owner,
        organization: made.id,
        is_active: true,
        joined_date: expect.any(String),
        role: 'owner',
        invitation: null,
      },
    ])
    const about = { key: `org:${made.id}`, headers: { 'org-id': String(made.id) } }
    expect(await takeEvents()).toMatchObject([
      { type: 'create:organization', data: { organization: made }, ...about },
      { type: 'create:membership', data: { membership: results[0] }, ...about },
    ])
  })

  test('a slug is unique without regard to case', async () => {
    await organizations.createOrganization({ body: { slug: slugOf('Twin') } }, stranger.call)
    const { id } = await organizations.createOrganization(
      { body: { slug: slugOf('other') } },
      stranger.call,
    )
    const taken = {
      kind: 'invalid',
      body: { slug: ['organization with this slug already exists.'] },
    }
    const body = { slug: slugOf('tWIN') }
    await expect(organizations.createOrganization({ body }, stranger.call)).rejects.toMatchObject(
      taken,
    )
    await expect(
      organizations.updateOrganization({ id, body }, await as(stranger)),
    ).rejects.toMatchObject(taken)
  })

  test('an update emits the old values, and an update without effect emits nothing', async () => {
    const { id, slug, owner } = await addOrganization()
    const call = await as(owner)
    await takeEvents()
    const body = { name: 'Acme Vision', contact: { a: 1, b: 2 } }
    const changed = await organizations.updateOrganization({ id, body }, call)
    expect(changed).toMatchObject({ id, slug, ...body })
    expect(await takeEvents()).toMatchObject([
      {
        type: 'update:organization',
        key: `org:${id}`,
        data: { organization: changed, before_update: { name: slug, contact: {} } },
      },
    ])
    const same = { body: { name: 'Acme Vision', contact: { b: 2, a: 1 } } }
    expect(await organizations.updateOrganization({ id, ...same }, call)).toEqual(changed)
    expect(await organizations.updateOrganization({ id, body: {} }, call)).toEqual(changed)
    expect(await takeEvents()).toEqual([])
    const emptied = await organizations.updateOrganization({ id, body: { contact: {} } }, call)
    expect(emptied.contact).toEqual({})
  })

  test('a former slug no longer resolves, the new one does', async () => {
    const { id, slug, owner } = await addOrganization()
    const body = { slug: slugOf('moved') }
    await organizations.updateOrganization({ id, body }, await as(owner))
    const find = (given: { slug?: string; organization_id?: number }) =>
      organizations.findWorkspace(given, stranger.call)
    expect(await find(body)).toEqual({ organization_id: id })
    expect(await find({ organization_id: id })).toEqual({ organization_id: id })
    await expect(find({ slug })).rejects.toMatchObject({
      ...notFound,
      message: `${slug} organization does not exist.`,
    })
    await expect(find({ organization_id: 99_999 })).rejects.toMatchObject({
      message: '99999 organization does not exist.',
    })
  })

  test('an organization is not found by users outside of it', async () => {
    const { id } = await addOrganization()
    const { call } = stranger
    const attempts = [
      () => organizations.getOrganization({ id }, call),
      () => organizations.updateOrganization({ id, body: { name: 'x' } }, call),
      () => organizations.deleteOrganization({ id }, call),
      () => organizations.transferOrganization({ id, body: { user_id: stranger.id } }, call),
      () => organizations.getOrganization({ id: 99_999 }, call),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject(notFound)
  })

  test('an invited user who has not accepted is outside', async () => {
    const { id } = await addOrganization()
    const asked = await addMember(id, 'worker', 'user', false)
    const attempt = organizations.getOrganization({ id }, await as(asked))
    await expect(attempt).rejects.toMatchObject(notFound)
  })

  test('a transfer makes the owner a maintainer and emits all three changes', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addMember(id, 'supervisor')
    await takeEvents()
    const answer = await organizations.transferOrganization(
      { id, body: { user_id: bo.id } },
      await as(owner),
    )
    expect(answer.owner).toMatchObject({ id: bo.id })
    expect((await as(bo)).principal?.organization_roles[id]).toBe('owner')
    expect((await as(owner)).principal?.organization_roles[id]).toBe('maintainer')
    expect(await takeEvents()).toMatchObject([
      { type: 'update:organization', data: { before_update: { owner: { id: owner.id } } } },
      {
        type: 'update:membership',
        data: {
          membership: { user: { id: owner.id }, role: 'maintainer' },
          before_update: { role: 'owner' },
        },
      },
      {
        type: 'update:membership',
        data: {
          membership: { user: { id: bo.id }, role: 'owner' },
          before_update: { role: 'supervisor' },
        },
      },
    ])
  })

  test.each(['stranger', 'asked', 'owner'] as const)(
    'an organization cannot be transferred to this user: %s',
    async (who) => {
      const { id, owner } = await addOrganization()
      const asked = await addMember(id, 'worker', 'user', false)
      const user_id = { stranger: stranger.id, asked: asked.id, owner: owner.id }[who]
      const attempt = organizations.transferOrganization({ id, body: { user_id } }, await as(owner))
      await expect(attempt).rejects.toMatchObject({
        kind: 'invalid',
        body: { user_id: [expect.any(String)] },
      })
    },
  )

  test('a stale If-Match is rejected', async () => {
    const { id, owner } = await addOrganization()
    const call = await as(owner)
    const if_match = '"1-0"'
    const failed = { kind: 'precondition' }
    const body = { name: 'x' }
    await expect(
      organizations.updateOrganization({ id, body, if_match }, call),
    ).rejects.toMatchObject(failed)
    await expect(organizations.deleteOrganization({ id, if_match }, call)).rejects.toMatchObject(
      failed,
    )
  })
})

describe('the permission to', () => {
  const { organizations } = over('in-process')

  test.each([
    ['admin', true],
    ['user', true],
    ['worker', false],
    [null, false],
  ] as const)('create an organization with the global role %s: %s', async (role, may) => {
    const user = await addUser(role)
    const attempt = organizations.createOrganization({ body: { slug: `by-${role}` } }, user.call)
    if (may) await attempt
    else await expect(attempt).rejects.toMatchObject(forbidden)
  })

  test.each([
    ['admin', ['admin']],
    ['worker', ['admin', 'user', 'worker']],
  ] as const)(
    'create an organization depends on the setting of the lowest role: %s',
    async (minRole, able) => {
      const settings = readConfig({ RETICLE_PROJECTS_ORGANIZATION_MIN_ROLE: minRole })
      const other = handlers({ db, blobs, clock: systemClock, settings }).organizations
      for (const role of ['admin', 'user', 'worker'] as const) {
        const user = await addUser(role)
        const body = { slug: `${minRole}-${role}` }
        const made = await other.createOrganization({ body }, user.call).then(
          () => true,
          ({ kind }) => (kind === 'forbidden' ? false : kind),
        )
        expect([role, made]).toEqual([role, able.some((one) => one === role)])
      }
    },
  )

  /** Lowest global role required for each role in the organization; null: never permitted. */
  const expected = {
    view: { owner: 'none', maintainer: 'none', supervisor: 'none', worker: 'none' },
    update: { owner: 'worker', maintainer: 'worker', supervisor: null, worker: null },
    delete: { owner: 'worker', maintainer: null, supervisor: null, worker: null },
    transfer: { owner: 'worker', maintainer: null, supervisor: null, worker: null },
  } as const
  const roles = ['owner', 'maintainer', 'supervisor', 'worker'] as const
  const globals = ['none', 'worker', 'user'] as const
  const cells = roles.flatMap((role) => globals.map((global) => [role, global] as const))

  test.each(cells)(
    'view, update, delete and transfer as %s with the global role %s',
    async (role, global) => {
      const { id } = await addOrganization()
      const heir = await addMember(id, 'worker')
      const user = await addMember(id, role, global === 'none' ? null : global)
      const call = await as(user)
      const attempts = {
        view: () => organizations.getOrganization({ id }, call),
        update: () => organizations.updateOrganization({ id, body: { name: 'n' } }, call),
        transfer: () =>
          organizations.transferOrganization({ id, body: { user_id: heir.id } }, call),
        delete: () => organizations.deleteOrganization({ id }, call),
      }
      for (const action of ['view', 'update', 'transfer', 'delete'] as const) {
        const least = expected[action][role]
        const may = least !== null && globals.indexOf(global) >= globals.indexOf(least)
        const done = await attempts[action]().then(
          () => true,
          ({ kind }) => (kind === 'forbidden' ? false : kind),
        )
        expect([action, done]).toEqual([action, may])
      }
    },
  )

  test('do everything is granted to administrators', async () => {
    const { id, owner } = await addOrganization()
    const { call } = admin
    await organizations.updateOrganization({ id, body: { name: 'by admin' } }, call)
    const heir = await addMember(id, 'worker')
    await organizations.transferOrganization({ id, body: { user_id: heir.id } }, call)
    expect((await as(owner)).principal?.organization_roles[id]).toBe('maintainer')
    await organizations.deleteOrganization({ id }, call)
  })
})

describe('lists of organizations', () => {
  const { organizations } = over('in-process')

  test("contain the caller's organizations in any role; administrators see all", async () => {
    const { id, slug, owner } = await addOrganization()
    const worker = await addMember(id, 'worker', 'worker')
    const asked = await addMember(id, 'worker', 'user', false)
    const idsFor = async (user: typeof owner) =>
      (await organizations.listOrganizations({}, await as(user))).results.map((one) => one.id)
    expect(await idsFor(owner)).toEqual([id])
    expect(await idsFor(worker)).toEqual([id])
    expect(await idsFor(asked)).toEqual([])
    expect((await organizations.listOrganizations({}, admin.call)).count).toBeGreaterThan(3)
    const found = await organizations.listOrganizations({ slug }, admin.call)
    expect(found.results.map((one) => one.id)).toEqual([id])
  })

  test.each([
    ['id', ({ id }: Made) => ({ id })],
    ['name', ({ slug }: Made) => ({ name: slug })],
    ['owner', ({ owner }: Made) => ({ owner: owner.username })],
  ] as const)('can be filtered by %s', async (_, query) => {
    const made = await addOrganization()
    const { results } = await organizations.listOrganizations(query(made), admin.call)
    expect(results.map((one) => one.id)).toEqual([made.id])
  })

  test('are sorted newest first by default', async () => {
    const ids = async (sort?: string) =>
      (await organizations.listOrganizations({ sort, page_size: '1000' }, admin.call)).results.map(
        ({ id }) => id,
      )
    const up = await ids('id')
    expect(up).toEqual(up.toSorted((one, other) => one - other))
    expect(await ids()).toEqual(up.toReversed())
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      const query = { page_size }
      await over('in-process', watched).organizations.listOrganizations(query, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})

type Made = Awaited<ReturnType<typeof addOrganization>>

test('calls repeated over a broken connection take effect once', async () => {
  const all = handlers({ db, blobs, clock: systemClock, settings: readConfig({}) })
  const organizations = await losingAnswers(table, all.organizations)
  const anna = await addUser()
  await takeEvents()
  const made = await organizations.createOrganization({ body: { slug: 'once' } }, anna.call)
  const { id } = made
  await organizations.updateOrganization({ id, body: { name: 'n' } }, await as(anna))
  const body = { email: 'once@example.org', role: 'worker' as const }
  const { key } = await organizations.createInvitation({ body }, await as(anna, id))
  await organizations.deleteInvitation({ key }, await as(anna))
  await organizations.deleteOrganization({ id }, await as(anna))
  expect((await takeEvents()).map(({ type }) => type)).toEqual([
    'create:organization',
    'create:membership',
    'update:organization',
    'create:invitation',
    'delete:invitation',
    'delete:organization',
  ])
})
