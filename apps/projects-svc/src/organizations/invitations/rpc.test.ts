import { createLog } from '@reticle/kit/observe/log'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { handlers } from '../../server.ts'
import { createInviter } from '../../testing/invitations.ts'
import { testOrganizations } from '../../testing/organizations.ts'
import type { TestUser } from '../../testing/workspace.ts'

/** Calls on invitations and their permissions. */

const workspace = await testOrganizations()
const { db, blobs, over, addUser, addMember, addOrganization, as, takeEvents } = workspace
const { newAddress, addRegistered, register, invite, expire } = createInviter(workspace)
const admin = await addUser('admin')
const stranger = await addUser()
const notFound = { kind: 'not_found' }
const forbidden = { kind: 'forbidden' }

describe.each(transports)('over %s', (transport) => {
  const { organizations } = over(transport)

  test('inviting an unknown address creates an account without a password and a pending invitation', async () => {
    const { id, slug, owner } = await addOrganization()
    const call = await as(owner, id)
    const email = `New.${newAddress()}`
    await takeEvents()
    const body = { email, role: 'supervisor' as const }
    const invitation = await organizations.createInvitation({ body }, call)
    expect(invitation).toEqual({
      key: expect.stringMatching(/^[A-Za-z0-9]{64}$/),
      created_date: expect.any(String),
      owner: expect.objectContaining({ id: owner.id }),
      role: 'supervisor',
      user: expect.objectContaining({ username: email.toLowerCase() }),
      organization: id,
      organization_info: { id, slug },
      expired: false,
      accepted: false,
    })
    const { key, ...announced } = invitation
    expect(await takeEvents()).toMatchObject([
      { type: 'create:invitation', key: `org:${id}`, data: { invitation: announced } },
    ])
    expect(await organizations.getInvitation({ key }, call)).toEqual(invitation)
    const account = await db
      .selectFrom('users')
      .selectAll()
      .where('id', '=', invitation.user.id)
      .executeTakeFirstOrThrow()
    expect(account).toMatchObject({ email: email.toLowerCase(), password_hash: '' })
  })

  test('no event contains the key', async () => {
    const { key } = await invite()
    expect(JSON.stringify(await takeEvents())).not.toContain(key)
  })

  test('a user with a verified account becomes a member at once', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addRegistered()
    await takeEvents()
    const body = { email: bo.email.toUpperCase(), role: 'worker' as const }
    const invitation = await organizations.createInvitation({ body }, await as(owner, id))
    expect(invitation).toMatchObject({ user: { id: bo.id }, expired: null, accepted: true })
    expect((await as(bo)).principal?.organization_roles).toEqual({ [id]: 'worker' })
    expect(await takeEvents()).toMatchObject([
      { type: 'create:invitation' },
      { type: 'create:membership', data: { membership: { user: { id: bo.id }, is_active: true } } },
      { type: 'delete:invitation', data: { reason: 'accepted', invitation: { accepted: false } } },
    ])
  })

  test('accepting makes the user a member and keeps the record', async () => {
    const { organization, email, key } = await invite('supervisor')
    const person = await register(email)
    await takeEvents()
    const answer = await organizations.acceptInvitation({ key }, await as(person))
    expect(answer).toEqual({ organization_slug: organization.slug })
    const call = await as(person)
    expect(call.principal?.organization_roles).toEqual({ [organization.id]: 'supervisor' })
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ accepted: true })
    expect((await takeEvents()).map(({ type, data }) => [type, data])).toMatchObject([
      ['create:membership', { membership: { role: 'supervisor', invitation: key } }],
      ['delete:invitation', { reason: 'accepted', invitation: { accepted: false } }],
    ])
    const again = organizations.acceptInvitation({ key }, call)
    await expect(again).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('an expired invitation cannot be accepted until it is sent again', async () => {
    const { organization, email, key } = await invite()
    const person = await register(email)
    await expire(key)
    const call = await as(person)
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ expired: true })
    const late = organizations.acceptInvitation({ key }, call)
    await expect(late).rejects.toMatchObject({ kind: 'invalid', body: [expect.any(String)] })
    await organizations.resendInvitation({ key }, await as(organization.owner))
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ expired: false })
    await organizations.acceptInvitation({ key }, call)
    const resent = organizations.resendInvitation({ key }, await as(organization.owner))
    await expect(resent).rejects.toMatchObject({ kind: 'invalid' })
  })

  test('declining deletes the invitation and the membership', async () => {
    const { organization, email, key } = await invite()
    const person = await register(email)
    await takeEvents()
    await organizations.declineInvitation({ key }, await as(person))
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:invitation', data: { reason: 'declined' } },
    ])
    const call = await as(organization.owner, organization.id)
    await expect(organizations.getInvitation({ key }, call)).rejects.toMatchObject(notFound)
    expect((await organizations.listMemberships({}, call)).count).toBe(1)
  })

  test('an accepted invitation can no longer be declined', async () => {
    const { organization, email, key } = await invite()
    const person = await register(email)
    await organizations.acceptInvitation({ key }, await as(person))
    const attempt = organizations.declineInvitation({ key }, await as(person))
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
    expect((await as(person)).principal?.organization_roles[organization.id]).toBe('worker')
  })

  test('deleting a pending invitation frees the address; deleting an accepted one keeps the member', async () => {
    const { organization, email, key } = await invite()
    const call = await as(organization.owner, organization.id)
    await takeEvents()
    await organizations.deleteInvitation({ key }, call)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:invitation', data: { reason: 'revoked' } },
    ])
    const body = { email, role: 'worker' as const }
    const second = await organizations.createInvitation({ body }, call)
    const person = await register(email)
    await organizations.acceptInvitation({ key: second.key }, await as(person))
    await takeEvents()
    await organizations.deleteInvitation({ key: second.key }, call)
    expect(await takeEvents()).toEqual([])
    expect((await as(person)).principal?.organization_roles[organization.id]).toBe('worker')
  })

  test('an address cannot be invited twice', async () => {
    const { organization, email } = await invite()
    const bo = await addRegistered()
    const call = await as(organization.owner, organization.id)
    await organizations.createInvitation({ body: { email: bo.email, role: 'worker' } }, call)
    for (const known of [email.toUpperCase(), bo.email]) {
      const body = { email: known, role: 'worker' as const }
      const again = organizations.createInvitation({ body }, call)
      await expect(again).rejects.toMatchObject({
        kind: 'invalid',
        body: ['The user is a member of the organization already.'],
      })
    }
  })

  test('inviting requires an organization', async () => {
    const body = { email: newAddress(), role: 'worker' as const }
    for (const scope of [undefined, null]) {
      const attempt = organizations.createInvitation({ body }, await as(stranger, scope))
      await expect(attempt).rejects.toMatchObject({
        kind: 'invalid',
        body: ['An organization must be specified'],
      })
    }
  })

  test('an address that is the user name of another account is rejected by its field', async () => {
    const { id, owner } = await addOrganization()
    const email = newAddress()
    const other = await addUser()
    await db.updateTable('users').set({ username: email }).where('id', '=', other.id).execute()
    const body = { email, role: 'worker' as const }
    const attempt = organizations.createInvitation({ body }, await as(owner, id))
    await expect(attempt).rejects.toMatchObject({ body: { email: [expect.any(String)] } })
  })

  test('two organizations can invite an unknown address concurrently', async () => {
    const [one, other] = [await addOrganization(), await addOrganization()]
    const body = { email: newAddress(), role: 'worker' as const }
    const made = await Promise.all(
      [one, other].map(async ({ id, owner }) =>
        organizations.createInvitation({ body }, await as(owner, id)),
      ),
    )
    expect(made[0]?.user).toEqual(made[1]?.user)
  })
})

describe('the permission to', () => {
  const { organizations } = over('in-process')
  const verdict = (attempt: Promise<unknown>) =>
    attempt.then(
      () => true,
      ({ kind }) => (kind === 'forbidden' ? false : kind),
    )

  test.each([
    ['owner', 'user', ['maintainer', 'supervisor', 'worker']],
    ['maintainer', 'user', ['supervisor', 'worker']],
    ['supervisor', 'user', []],
    ['worker', 'user', []],
    ['owner', 'worker', []],
    ['maintainer', 'worker', []],
  ] as const)(
    'invite as %s with the global role %s is limited to lower roles',
    async (role, global, able) => {
      const { id } = await addOrganization()
      const user = await addMember(id, role, global)
      const call = await as(user, id)
      for (const wanted of ['owner', 'maintainer', 'supervisor', 'worker'] as const) {
        const body = { email: newAddress(), role: wanted }
        const done = await verdict(organizations.createInvitation({ body }, call))
        expect([wanted, done]).toEqual([wanted, able.some((one) => one === wanted)])
      }
    },
  )

  test('invite without membership is granted only to administrators', async () => {
    const { id } = await addOrganization()
    const body = { email: newAddress(), role: 'maintainer' as const }
    expect(await verdict(organizations.createInvitation({ body }, await as(stranger, id)))).toBe(
      false,
    )
    await organizations.createInvitation({ body }, await as(admin, id))
    const owner = organizations.createInvitation(
      { body: { email: newAddress(), role: 'owner' } },
      await as(admin, id),
    )
    await expect(owner).rejects.toMatchObject(forbidden)
  })

  test('view an invitation is granted to sender, invitee and leaders; for others it is not found', async () => {
    const { organization, email, key } = await invite()
    const { id, owner } = organization
    const person = await register(email)
    const maintainer = await addMember(id, 'maintainer')
    const supervisor = await addMember(id, 'supervisor')
    for (const user of [owner, person, maintainer, admin])
      expect(await organizations.getInvitation({ key }, await as(user))).toMatchObject({ key })
    for (const user of [supervisor, stranger])
      for (const attempt of [
        async () => organizations.getInvitation({ key }, await as(user)),
        async () => organizations.acceptInvitation({ key }, await as(user)),
        async () => organizations.declineInvitation({ key }, await as(user)),
        async () => organizations.resendInvitation({ key }, await as(user)),
        async () => organizations.deleteInvitation({ key }, await as(user)),
      ])
        await expect(attempt()).rejects.toMatchObject(notFound)
  })

  test('accept or decline an invitation is granted only to the invitee', async () => {
    const { organization, key } = await invite()
    const call = await as(organization.owner)
    for (const attempt of [
      () => organizations.acceptInvitation({ key }, call),
      () => organizations.declineInvitation({ key }, call),
    ])
      await expect(attempt()).rejects.toMatchObject(forbidden)
  })

  test('resend or delete an invitation is granted to the sender, even outside, and to leaders', async () => {
    const { organization, email, key } = await invite()
    const { id } = organization
    const sender = await addUser() // as an administrator who has lost that right
    await db
      .updateTable('invitations')
      .set({ owner_id: sender.id })
      .where('key', '=', key)
      .execute()
    const person = await register(email)
    const maintainer = await addMember(id, 'maintainer')
    const resend = async (user: TestUser) =>
      verdict(organizations.resendInvitation({ key }, await as(user)))
    expect(await resend(person)).toBe(false)
    expect(await resend(sender)).toBe(true)
    expect(await resend(maintainer)).toBe(true)
    expect(await verdict(organizations.deleteInvitation({ key }, await as(person)))).toBe(false)
    await organizations.deleteInvitation({ key }, await as(sender))
  })
})

describe('lists of invitations', () => {
  const { organizations } = over('in-process')

  test('contain sent and received ones, and all of organizations that the caller leads', async () => {
    const { organization, email, key } = await invite()
    const { id, owner } = organization
    const person = await register(email)
    const maintainer = await addMember(id, 'maintainer')
    const keys = async (user: TestUser, scope?: number | null) =>
      (await organizations.listInvitations({}, await as(user, scope))).results.map((one) => one.key)
    for (const scope of [undefined, null, id]) {
      expect(await keys(owner, scope)).toEqual([key])
      expect(await keys(person, scope)).toEqual([key])
      expect(await keys(stranger, scope)).toEqual([])
    }
    expect(await keys(maintainer)).toEqual([key])
    expect(await keys(maintainer, id)).toEqual([key])
    expect(await keys(maintainer, null)).toEqual([])
    expect(await keys(admin, id)).toEqual([key])
    const other = await addOrganization()
    expect(await keys(person, other.id)).toEqual([])
  })

  test('are filtered by sender, user and acceptance, newest first', async () => {
    const { organization, invitation } = await invite()
    const { id, owner } = organization
    const call = await as(owner, id)
    const second = await organizations.createInvitation(
      { body: { email: newAddress(), role: 'worker' } },
      call,
    )
    const bo = await addRegistered()
    const third = await organizations.createInvitation(
      { body: { email: bo.email, role: 'worker' } },
      call,
    )
    const keys = async (query: Parameters<typeof organizations.listInvitations>[0]) =>
      (await organizations.listInvitations(query, call)).results.map(({ key }) => key)
    expect(await keys({})).toHaveLength(3)
    expect(await keys({ sort: 'created_date' })).toEqual((await keys({})).toReversed())
    expect(await keys({ owner: owner.username })).toHaveLength(3)
    expect(await keys({ owner: 'nobody' })).toEqual([])
    expect(await keys({ user_id: second.user.id })).toEqual([second.key])
    expect(await keys({ accepted: true })).toEqual([third.key])
    expect((await keys({ accepted: false })).toSorted()).toEqual(
      [invitation.key, second.key].toSorted(),
    )
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      const query = { page_size }
      await over('in-process', watched).organizations.listInvitations(query, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})

describe('settings of invitations', () => {
  const lines: string[] = []
  const log = createLog(
    'test',
    { level: 'info', format: 'json' },
    { write: (line) => lines.push(line) },
  )
  const settings = readConfig({
    RETICLE_PROJECTS_INVITATION_CONFIRM: 'yes',
    RETICLE_PROJECTS_INVITATION_EXPIRY_DAYS: '30',
    RETICLE_PUBLIC_URL: 'https://label.example.org/',
  })
  const { organizations } = handlers({ db, blobs, clock: systemClock, settings, log })

  test('can require confirmation by users with an account', async () => {
    const { id, owner } = await addOrganization()
    const bo = await addRegistered()
    const body = { email: bo.email, role: 'worker' as const }
    const { key, ...made } = await organizations.createInvitation({ body }, await as(owner, id))
    expect(made).toMatchObject({ accepted: false, expired: false })
    expect((await as(bo)).principal?.organization_roles).toEqual({})
    await expire(key)
    await organizations.acceptInvitation({ key }, await as(bo)) // 7 of 30 days
  })

  test('without a mailer cause the link to be logged at each sending', async () => {
    const { id, slug, owner } = await addOrganization()
    const body = { email: newAddress(), role: 'worker' as const }
    const { key } = await organizations.createInvitation({ body }, await as(owner, id))
    await organizations.resendInvitation({ key }, await as(owner))
    const emitted = lines
      .map((line) => JSON.parse(line))
      .filter((line) => line.organization === slug)
    const link = `https://label.example.org/invitations/${key}`
    expect(emitted).toMatchObject([{ link }, { link }])
  })
})
