import { callAs } from '@reticle/kit/testing/call'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { createInviter } from '../../testing/invitations.ts'
import { testOrganizations } from '../../testing/organizations.ts'

/** An unverified e-mail address makes no member, whichever way the account got it. */

const workspace = await testOrganizations()
const { db, over, addUser, addMember, addOrganization, as, takeEvents } = workspace
const { newAddress, addRegistered, register, invite } = createInviter(workspace)
const admin = await addUser('admin')
const password = 'Blue-Kettle-77-river'
const notFound = { kind: 'not_found' }

const byEmail = (email: string) =>
  db
    .selectFrom('users')
    .select(['id', 'username', 'is_email_verified'])
    .where('email', '=', email.toLowerCase())
    .executeTakeFirstOrThrow()

describe.each(transports)('over %s', (transport) => {
  const { organizations, identity } = over(transport)
  let count = 0

  /** Registers by the API, anonymously or as an administrator. */
  const registerOver = async (email: string, call = callAs(null)) => {
    const username = `person-${transport}-${++count}`
    const names = { username, email, first_name: '', last_name: '' }
    await identity.register({ body: { ...names, password1: password, password2: password } }, call)
    const { id } = await byEmail(email)
    return { id, username, call: callAs({ user_id: id, username }) }
  }
  type Person = Awaited<ReturnType<typeof registerOver>>
  const rolesOf = async (person: Person) => (await as(person)).principal?.organization_roles
  const listed = async (person: Person, scope?: number | null) =>
    (await organizations.listInvitations({}, await as(person, scope))).results.map(({ key }) => key)
  const inviteInto = async (email: string, role: 'worker' | 'maintainer' = 'maintainer') => {
    const { id, owner } = await addOrganization()
    const call = await as(owner, id)
    return {
      id,
      owner,
      made: await organizations.createInvitation({ body: { email, role } }, call),
    }
  }

  test.each([
    ['as it is', (email: string) => email],
    ['in capitals', (email: string) => email.toUpperCase()],
    ['with a Kelvin sign for a k', (email: string) => email.replace('k', '\u212a')],
  ])(
    'an account that registered before the invitation is not a member: the address %s',
    async (_, spelt) => {
      const email = `k${newAddress()}`
      const early = await registerOver(email)
      const { id, made } = await inviteInto(spelt(email))
      expect(made).toMatchObject({ user: { id: early.id }, accepted: false, expired: false })
      expect(await rolesOf(early)).toEqual({})
      for (const scope of [undefined, null, id]) expect(await listed(early, scope)).toEqual([])
    },
  )

  test('an account that registers afterwards sees no key and is not a member', async () => {
    const email = newAddress()
    const { id } = await inviteInto(email)
    const late = await registerOver(email.toUpperCase())
    expect(await rolesOf(late)).toEqual({})
    for (const scope of [undefined, null, id]) expect(await listed(late, scope)).toEqual([])
  })

  test('a plus address and another Unicode form are other addresses', async () => {
    const [name = ''] = newAddress().split('@')
    const early = await registerOver(`${name}@corp.test`)
    for (const other of [`${name}+x@corp.test`, `${name}e\u0301@corp.test`]) {
      const { made } = await inviteInto(other)
      expect(made.user.id).not.toBe(early.id)
    }
    expect(await listed(early)).toEqual([])
  })

  test('the key makes the invited account a member, but confirms no other invitation', async () => {
    const email = newAddress()
    const first = await inviteInto(email)
    const second = await inviteInto(email, 'worker')
    const person = await registerOver(email)
    const { key } = first.made
    expect(await organizations.getInvitation({ key }, await as(person))).toMatchObject({
      key,
      role: 'maintainer',
      accepted: false,
      user: { id: person.id },
    })
    await organizations.acceptInvitation({ key }, await as(person))
    expect(await rolesOf(person)).toEqual({ [first.id]: 'maintainer' })
    expect(await listed(person)).toEqual([key])
    expect(await listed(person)).not.toContain(second.made.key)
    expect(await byEmail(email)).toMatchObject({ is_email_verified: false })
  })

  test('the key does not work for another account', async () => {
    const email = newAddress()
    const { made } = await inviteInto(email)
    await registerOver(email)
    const other = await registerOver(newAddress())
    const { key } = made
    const attempts = [
      async () => organizations.getInvitation({ key }, await as(other)),
      async () => organizations.acceptInvitation({ key }, await as(other)),
      async () => organizations.declineInvitation({ key }, await as(other)),
    ]
    for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject(notFound)
  })

  test('an account that an administrator registers is a member at once and sees pending invitations', async () => {
    const root = callAs({ user_id: admin.id, role: 'admin' })
    const known = await registerOver(newAddress(), root)
    const { email } = await db
      .selectFrom('users')
      .select('email')
      .where('id', '=', known.id)
      .executeTakeFirstOrThrow()
    const at = await inviteInto(email, 'worker')
    expect(at.made.accepted).toBe(true)
    expect(await rolesOf(known)).toEqual({ [at.id]: 'worker' })

    const waiting = newAddress()
    const { made } = await inviteInto(waiting)
    const late = await registerOver(waiting, root)
    expect(await listed(late)).toEqual([made.key])
    expect(await rolesOf(late)).toEqual({})
  })

  test('an address that an administrator sets is not verified until they confirm it', async () => {
    const email = newAddress()
    const person = await registerOver(newAddress())
    const root = callAs({ user_id: admin.id, role: 'admin' })
    await identity.updateUser({ id: person.id, body: { email } }, root)
    const { id } = await inviteInto(email, 'worker')
    expect(await rolesOf(person)).toEqual({})
    await identity.updateUser({ id: person.id, body: { is_email_verified: true } }, root)
    expect(await listed(person, id)).toHaveLength(1)
    const later = await inviteInto(email, 'worker')
    expect(await rolesOf(person)).toEqual({ [later.id]: 'worker' })
  })

  test('a changed address does not keep the invitations of the previous one', async () => {
    const email = newAddress()
    const squatter = await registerOver(email)
    const { id, owner, made } = await inviteInto(email)
    const root = callAs({ user_id: admin.id, role: 'admin' })
    await takeEvents()
    const body = { email: newAddress(), is_email_verified: true }
    await identity.updateUser({ id: squatter.id, body }, root)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:invitation', key: `org:${id}`, data: { reason: 'revoked' } },
      { type: 'update:user' },
    ])
    expect(await listed(squatter)).toEqual([])
    const { key } = made
    const attempt = organizations.acceptInvitation({ key }, await as(squatter))
    await expect(attempt).rejects.toMatchObject(notFound)
    expect((await organizations.listMemberships({}, await as(owner, id))).count).toBe(1)
  })

  test('users cannot verify their own address, and an empty address cannot be verified', async () => {
    const person = await registerOver(newAddress())
    const own = identity.updateUser(
      { id: person.id, body: { is_email_verified: true } },
      await as(person),
    )
    await expect(own).rejects.toMatchObject({ kind: 'forbidden' })
    const root = callAs({ user_id: admin.id, role: 'admin' })
    const none = identity.updateUser(
      { id: person.id, body: { email: '', is_email_verified: true } },
      root,
    )
    await expect(none).rejects.toMatchObject({ body: { is_email_verified: [expect.any(String)] } })
  })

  test('no event of a pending membership contains the key', async () => {
    const { id, owner, made } = await inviteInto(newAddress(), 'worker')
    const call = await as(owner, id)
    const { results } = await organizations.listMemberships({}, call)
    const pending = results.find(({ is_active }) => !is_active)
    const body = { role: 'supervisor' as const }
    await organizations.updateMembership({ id: pending?.id ?? 0, body }, call)
    expect(JSON.stringify(await takeEvents())).not.toContain(made.key)
  })

  test('a removed maintainer no longer sees the keys of the organization', async () => {
    const { organization, key } = await invite()
    const maintainer = await addMember(organization.id, 'maintainer')
    const call = await as(maintainer)
    expect(await organizations.getInvitation({ key }, call)).toMatchObject({ key })
    await organizations.deleteMembership({ id: maintainer.membership_id }, call)
    const attempt = organizations.getInvitation({ key }, await as(maintainer))
    await expect(attempt).rejects.toMatchObject(notFound)
  })
})

test('an address verified by mail sees earlier invitations', async () => {
  const { organizations } = over('in-process')
  const { email, key } = await invite()
  const person = await register(email, false)
  const keys = async () =>
    (await organizations.listInvitations({}, await as(person))).results.map((one) => one.key)
  expect(await keys()).toEqual([])
  await db
    .updateTable('users')
    .set({ is_email_verified: true })
    .where('id', '=', person.id)
    .execute()
  expect(await keys()).toEqual([key])
  const other = await addRegistered({ is_email_verified: false })
  expect((await organizations.listInvitations({}, await as(other))).count).toBe(0)
})
