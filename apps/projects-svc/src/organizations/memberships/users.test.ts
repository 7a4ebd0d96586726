import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testOrganizations } from '../../testing/organizations.ts'

/** Users as seen by members of their organizations, and memberships of deleted accounts. */

const { db, over, addUser, addMember, addOrganization, as, takeEvents } = await testOrganizations()
const admin = await addUser('admin')
const conflict = { kind: 'conflict' }
const forbidden = { kind: 'forbidden' }

describe.each(transports)('over %s', (transport) => {
  const { identity, organizations } = over(transport)
  type Call = Awaited<ReturnType<typeof as>>
  const idsFor = async (call: Call, query = {}) => {
    const { count, results } = await identity.listUsers({ page_size: 'all', ...query }, call)
    expect(count).toBe(results.length)
    return results.map(({ id }) => id).sort((one, other) => one - other)
  }

  describe('the list of users', () => {
    test('contains the active members of the organization, with public fields', async () => {
      const { id, owner } = await addOrganization()
      const worker = await addMember(id, 'worker', 'worker')
      await addMember(id, 'worker', 'user', false)
      const ids = [owner.id, worker.id]
      expect(await idsFor(await as(owner, id))).toEqual(ids)
      expect(await idsFor(await as(worker, id))).toEqual(ids)
      const { results } = await identity.listUsers({ id: owner.id }, await as(worker, id))
      expect(results).toEqual([
        {
          url: `/users/${owner.id}`,
          id: owner.id,
          username: owner.username,
          first_name: '',
          last_name: '',
        },
      ])
    })

    test('contains only the caller without an organization or in the personal workspace', async () => {
      const { id, owner } = await addOrganization()
      await addMember(id, 'worker')
      expect(await idsFor(await as(owner))).toEqual([owner.id])
      expect(await idsFor(await as(owner, null))).toEqual([owner.id])
    })

    test('is empty for users outside the organization', async () => {
      const { id } = await addOrganization()
      const stranger = await addUser()
      const asked = await addMember(id, 'worker', 'user', false)
      for (const one of [stranger, asked]) expect(await idsFor(await as(one, id))).toEqual([])
    })

    test('contains full records for administrators, and all users without an organization', async () => {
      const { id, owner } = await addOrganization()
      const { results } = await identity.listUsers({}, await as(admin, id))
      expect(results).toMatchObject([{ id: owner.id, email: '', groups: ['user'] }])
      expect((await idsFor(await as(admin))).length).toBeGreaterThan(5)
    })
  })

  describe('one user', () => {
    const shown = async (id: number, call: Call) => identity.getUser({ id }, call)

    test('is visible to fellow members in the organization of the request, with public fields', async () => {
      const { id, owner } = await addOrganization()
      const worker = await addMember(id, 'worker', null)
      const found = await shown(owner.id, await as(worker, id))
      expect(found).toMatchObject({ id: owner.id, username: owner.username })
      expect(found).not.toHaveProperty('email')
    })

    test('is hidden without an organization, and when caller or user is outside it', async () => {
      const { id, owner } = await addOrganization()
      const other = await addOrganization()
      const worker = await addMember(id, 'worker')
      const asked = await addMember(id, 'worker', 'user', false)
      const attempts: [number, Call][] = [
        [owner.id, await as(worker)],
        [owner.id, await as(worker, null)],
        [owner.id, await as(worker, other.id)],
        [other.owner.id, await as(worker, id)],
        [asked.id, await as(worker, id)],
        [owner.id, await as(asked, id)],
      ]
      for (const attempt of attempts)
        await expect(shown(...attempt)).rejects.toMatchObject(forbidden)
    })
  })

  describe('the deletion of an account', () => {
    test('is rejected while it owns an organization, whose name the error contains', async () => {
      const { id, slug, owner } = await addOrganization()
      const heir = await addMember(id, 'maintainer')
      for (const call of [await as(owner), admin.call])
        await expect(identity.deleteUser({ id: owner.id }, call)).rejects.toMatchObject({
          ...conflict,
          message: expect.stringContaining(slug),
        })
      expect((await organizations.getOrganization({ id }, await as(heir))).owner?.id).toBe(owner.id)

      const body = { user_id: heir.id }
      await organizations.transferOrganization({ id, body }, await as(owner))
      await identity.deleteUser({ id: owner.id }, await as(owner))
      await organizations.deleteOrganization({ id }, await as(heir))
      await identity.deleteUser({ id: heir.id }, await as(heir))
    })

    test('ends its memberships and emits events', async () => {
      const { id, owner } = await addOrganization()
      const other = await addOrganization()
      const { id: user_id, call } = await addMember(id, 'worker')
      await db
        .insertInto('memberships')
        .values({ organization_id: other.id, user_id, role: 'worker', is_active: false })
        .execute()
      await takeEvents()
      await identity.deleteUser({ id: user_id }, call)
      expect(await takeEvents()).toMatchObject([
        {
          type: 'delete:membership',
          key: `org:${id}`,
          headers: { 'org-id': String(id) },
          data: { membership: { user: { id: user_id }, role: 'worker', is_active: true } },
        },
        { type: 'delete:user', key: `user:${user_id}`, data: { user: { id: user_id } } },
      ])
      expect(await idsFor(await as(owner, id))).toEqual([owner.id])
      const left = db.selectFrom('memberships').select('id').where('user_id', '=', user_id)
      expect(await left.execute()).toEqual([])
    })

    test('withdraws the open invitations that it received and sent', async () => {
      const { id, owner } = await addOrganization()
      const call = await as(owner, id)
      const email = `gone-${transport}@example.org`
      const body = { email, role: 'worker' as const }
      const { user } = await organizations.createInvitation({ body }, call)
      await takeEvents()
      await identity.deleteUser({ id: user.id }, admin.call)
      expect((await takeEvents()).map(({ type, data }) => [type, data])).toMatchObject([
        ['delete:invitation', { reason: 'revoked' }],
        ['delete:user', { user: { id: user.id } }],
      ])
      const leader = await addMember(id, 'maintainer')
      const { key } = await organizations.createInvitation({ body }, await as(leader, id))
      await takeEvents()
      await identity.deleteUser({ id: leader.id }, leader.call)
      expect(await takeEvents()).toMatchObject([
        { type: 'delete:invitation', data: { reason: 'revoked' } },
        { type: 'delete:membership' },
        { type: 'delete:user' },
      ])
      const attempt = organizations.getInvitation({ key }, call)
      await expect(attempt).rejects.toMatchObject({ kind: 'not_found' })
    })

    test('concurrent with joining leaves no membership without a user', async () => {
      const { id, owner } = await addOrganization()
      const people = await Promise.all(Array.from({ length: 4 }, () => addUser()))
      await Promise.all(
        people.map(({ id: user_id }) =>
          db
            .updateTable('users')
            .set({
              email: `${user_id}@example.org`,
              password_hash: 'hash',
              is_email_verified: true,
            })
            .where('id', '=', user_id)
            .execute(),
        ),
      )
      const call = await as(owner, id)
      await Promise.allSettled(
        people.flatMap((one) => [
          organizations.createInvitation(
            { body: { email: `${one.id}@example.org`, role: 'worker' } },
            call,
          ),
          identity.deleteUser({ id: one.id }, one.call),
        ]),
      )
      for (const one of people)
        await expect(identity.getUser({ id: one.id }, admin.call)).rejects.toMatchObject({
          kind: 'not_found',
        })
      const { results } = await organizations.listMemberships({ page_size: 'all' }, call)
      const ids = results.map(({ user }) => user.id)
      expect(ids.filter((user_id) => people.some((one) => one.id === user_id))).toEqual([])
    })
  })
})
