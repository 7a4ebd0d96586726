import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { callAs } from '@reticle/kit/testing/call'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { createInviter } from '../../testing/invitations.ts'
import { testOrganizations } from '../../testing/organizations.ts'

/** Withdrawal of open invitations whose sender may no longer send them. */

const workspace = await testOrganizations()
const { db, over, addUser, addMember, addOrganization, as, takeEvents } = workspace
const { newAddress, register } = createInviter(workspace)
const admin = await addUser('admin')

describe.each(transports)('over %s', (transport) => {
  const { organizations, identity } = over(transport)

  /** Adds an organization with a member who has sent one open invitation for each role, and one sent by the owner. */
  const company = async (
    role: OrganizationRole = 'maintainer',
    wanted: readonly ('maintainer' | 'supervisor' | 'worker')[] = ['supervisor', 'worker'],
  ) => {
    const { id, owner } = await addOrganization()
    const sender = await addMember(id, role)
    const ownerCall = await as(owner, id)
    const kept = await organizations.createInvitation(
      { body: { email: newAddress(), role: 'worker' } },
      ownerCall,
    )
    const sent: { email: string; key: string; role: string }[] = []
    for (const each of wanted) {
      const email = newAddress()
      const call = role === 'worker' ? ownerCall : await as(sender, id)
      const { key } = await organizations.createInvitation({ body: { email, role: each } }, call)
      sent.push({ email, key, role: each })
    }
    await takeEvents()
    return { id, owner, sender, sent, kept, ownerCall }
  }
  type Company = Awaited<ReturnType<typeof company>>

  const openRoles = async ({ ownerCall, kept }: Company) => {
    const { results } = await organizations.listInvitations({ accepted: false }, ownerCall)
    return results
      .filter(({ key }) => key !== kept.key)
      .map(({ role }) => role)
      .sort()
  }
  const withdrawn = async () =>
    (await takeEvents()).flatMap(({ type, data }) =>
      type === 'delete:invitation' ? [Object(data).reason] : [],
    )

  test.each([
    ['is removed', (c: Company) => [{ id: c.sender.membership_id }, c.owner] as const],
    ['leaves', (c: Company) => [{ id: c.sender.membership_id }, c.sender] as const],
    [
      'is removed with their assignments',
      (c: Company) => [{ id: c.sender.membership_id, unassign: true }, c.owner] as const,
    ],
  ])('invitations are withdrawn when the sender %s', async (_, how) => {
    const given = await company()
    const [input, user] = how(given)
    await organizations.deleteMembership(input, await as(user))
    expect(await withdrawn()).toEqual(['revoked', 'revoked'])
    expect(await openRoles(given)).toEqual([])
    const [first] = given.sent
    const person = await register(first?.email ?? '')
    const attempt = organizations.acceptInvitation({ key: first?.key ?? '' }, await as(person))
    await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
    const { key } = given.kept
    expect(await organizations.getInvitation({ key }, given.ownerCall)).toMatchObject({ key })
    expect((await organizations.listMemberships({}, given.ownerCall)).count).toBe(2)
  })

  test.each(['supervisor', 'worker'] as const)(
    'invitations are withdrawn when the sender becomes a %s',
    async (role) => {
      const given = await company()
      const target = { id: given.sender.membership_id, body: { role } }
      await organizations.updateMembership(target, await as(given.owner))
      expect(await withdrawn()).toEqual(['revoked', 'revoked'])
      expect(await openRoles(given)).toEqual([])
    },
  )

  test('invitations for maintainers are withdrawn when an owner becomes a maintainer', async () => {
    const { id, owner } = await addOrganization()
    const heir = await addMember(id, 'maintainer')
    for (const role of ['maintainer', 'supervisor', 'worker'] as const) {
      const body = { email: newAddress(), role }
      await organizations.createInvitation({ body }, await as(owner, id))
    }
    await organizations.transferOrganization({ id, body: { user_id: heir.id } }, await as(owner))
    const { results } = await organizations.listInvitations({}, await as(heir, id))
    expect(results.map(({ role }) => role).sort()).toEqual(['supervisor', 'worker'])
  })

  test('invitations are withdrawn when the sender is deactivated', async () => {
    const given = await company()
    const body = { is_active: false }
    await identity.updateUser({ id: given.sender.id, body }, admin.call)
    expect(await withdrawn()).toEqual(['revoked', 'revoked'])
    expect(await openRoles(given)).toEqual([])
  })

  test("invitations are withdrawn when the sender's account is deleted, even without membership", async () => {
    const given = await company()
    const other = await addOrganization()
    const guest = await addUser('admin')
    const body = { email: newAddress(), role: 'worker' as const }
    await organizations.createInvitation({ body }, await as(guest, other.id))
    for (const { id } of [given.sender, guest]) await identity.deleteUser({ id }, admin.call)
    expect(await openRoles(given)).toEqual([])
    expect((await organizations.listInvitations({}, await as(other.owner, other.id))).count).toBe(0)
  })

  test('invitations stay when the sender keeps the right or they are accepted', async () => {
    const given = await company('maintainer', ['worker', 'worker'])
    const [accepted] = given.sent
    const person = await register(accepted?.email ?? '')
    await organizations.acceptInvitation({ key: accepted?.key ?? '' }, await as(person))
    const { id } = given.sender
    await identity.updateUser({ id, body: { first_name: 'Nell', groups: ['user'] } }, admin.call)
    expect(await openRoles(given)).toEqual(['worker'])
    await organizations.deleteMembership({ id: given.sender.membership_id }, await as(given.owner))
    expect(await openRoles(given)).toEqual([])
    expect((await as(person)).principal?.organization_roles).toEqual({ [given.id]: 'worker' })
  })

  test('only invitations of the organization that the sender leaves are withdrawn', async () => {
    const given = await company()
    const other = await addOrganization()
    await db
      .insertInto('memberships')
      .values({
        organization_id: other.id,
        user_id: given.sender.id,
        role: 'maintainer',
        is_active: true,
        joined_date: new Date(),
      })
      .execute()
    const body = { email: newAddress(), role: 'worker' as const }
    await organizations.createInvitation({ body }, await as(given.sender, other.id))
    await organizations.deleteMembership({ id: given.sender.membership_id }, await as(given.owner))
    expect((await organizations.listInvitations({}, await as(other.owner, other.id))).count).toBe(1)
  })

  test('an invitation sent while its sender is removed does not remain', async () => {
    const given = await company('maintainer', [])
    const call = await as(given.sender, given.id)
    await Promise.allSettled([
      ...Array.from({ length: 4 }, () =>
        organizations.createInvitation({ body: { email: newAddress(), role: 'worker' } }, call),
      ),
      organizations.deleteMembership({ id: given.sender.membership_id }, await as(given.owner)),
    ])
    expect(await openRoles(given)).toEqual([])
    const late = organizations.createInvitation(
      { body: { email: newAddress(), role: 'worker' } },
      call,
    )
    await expect(late).rejects.toMatchObject({ kind: 'forbidden' })
  })
})

test('an administrator outside the organization may still invite', async () => {
  const { organizations } = over('in-process')
  const { id } = await addOrganization()
  const call = callAs({ ...admin.call.principal, scope: { organization_id: id } })
  const body = { email: newAddress(), role: 'worker' as const }
  expect(await organizations.createInvitation({ body }, call)).toMatchObject({ accepted: false })
})
