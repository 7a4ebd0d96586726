import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import type { ProjectsDb } from '../../db/schema.ts'
import { identityHandlers } from '../rpc.ts'
import { anonymousCall, testIdentity } from '../testing.ts'

/** Calls on users. */

const { db, clock, settings, memberships, over, addUser, as } = await testIdentity()
// Exists so that no other user in these tests is the last administrator by accident.
const root = await addUser({ username: 'root', role: 'admin' })
const forbidden = { kind: 'forbidden' }
const notThere = { kind: 'not_found' }

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const boss = as(root)
  const whole = (id: number) => identity.getUser({ id }, boss)
  const login = (username: string) =>
    identity.signIn({ body: { username, password: 'secret' } }, anonymousCall())

  describe('the list of users', () => {
    test('contains only the caller, in the short form', async () => {
      await addUser()
      const self = await addUser({ first_name: 'Anna' })
      expect(await identity.listUsers({}, as(self))).toEqual({
        count: 1,
        results: [
          {
            url: `/users/${self.id}`,
            id: self.id,
            username: self.username,
            first_name: 'Anna',
            last_name: '',
          },
        ],
      })
    })

    test('contains all users in full for administrators, newest first', async () => {
      const first = await addUser()
      const second = await addUser({ email: `${transport}-list@example.org` })
      const { results } = await identity.listUsers({ page_size: '2' }, boss)
      expect(results.map(({ id }) => id)).toEqual([second.id, first.id])
      expect(results[0]).toEqual(await whole(second.id))
      expect(results[0]).toMatchObject({ email: second.email, groups: ['user'], is_active: true })
    })

    test('is sorted and filtered', async () => {
      const last_name = `Sorted ${transport}`
      const b = await addUser({ first_name: 'B', last_name, is_active: false })
      const a = await addUser({ first_name: 'A', last_name })
      const ids = async (query: object) => {
        const { results } = await identity.listUsers({ last_name, ...query }, boss)
        return results.map(({ id }) => id)
      }
      expect(await ids({})).toEqual([a.id, b.id])
      expect(await ids({ sort: 'id' })).toEqual([b.id, a.id])
      expect(await ids({ sort: 'first_name' })).toEqual([a.id, b.id])
      expect(await ids({ sort: '-username' })).toEqual([a.id, b.id])
      expect(await ids({ sort: 'is_active' })).toEqual([b.id, a.id])
      expect(await ids({ is_active: false })).toEqual([b.id])
      expect(await ids({ first_name: 'A' })).toEqual([a.id])
      expect(await ids({ username: b.username })).toEqual([b.id])
      expect(await ids({ id: a.id })).toEqual([a.id])
    })

    test('shows no other user, even when filtered by id', async () => {
      const call = as(await addUser())
      expect(await identity.listUsers({ id: root.id }, call)).toEqual({ count: 0, results: [] })
    })
  })

  describe('one user', () => {
    test('is shown in full to themselves and to administrators', async () => {
      const user = await addUser({ email: `${transport}-one@example.org`, role: 'worker' })
      const self = await identity.getUser({ id: user.id }, as(user))
      expect(self).toEqual(await identity.getSelf({}, as(user)))
      expect(self).toMatchObject({ email: user.email, groups: ['worker'] })
      expect(await whole(user.id)).toEqual(self)
    })

    test('is forbidden for other users, and not found when missing', async () => {
      const call = as(await addUser())
      await expect(identity.getUser({ id: root.id }, call)).rejects.toMatchObject(forbidden)
      await expect(identity.getUser({ id: 999_999 }, call)).rejects.toMatchObject(notThere)
    })
  })

  describe('a change of a user', () => {
    const changed = (id: number, body: object, call = boss) =>
      identity.updateUser({ id, body }, call)

    test('of names is allowed to the user and keeps the other fields', async () => {
      const user = await addUser({ email: `${transport}-names@example.org` })
      const before = await whole(user.id)
      const body = { username: `renamed.${transport}`, first_name: 'Anna', last_name: 'Lind' }
      const after = await changed(user.id, body, as(user))
      expect(after).toEqual({ ...before, ...body })
      expect(await whole(user.id)).toEqual(after)
    })

    test.each([
      { email: 'x@example.org' },
      { groups: ['admin'] },
      { is_active: true },
      { is_staff: true },
      { is_superuser: true },
    ])('of rights is allowed only to administrators: %j', async (body) => {
      const user = await addUser()
      const before = await whole(user.id)
      await expect(changed(user.id, { first_name: 'x', ...body }, as(user))).rejects.toMatchObject(
        forbidden,
      )
      expect(await whole(user.id)).toEqual(before)
      await changed(user.id, { ...body, email: '' })
    })

    test('of another user is forbidden even without effect; a missing user is not found', async () => {
      const call = as(await addUser())
      await expect(changed(root.id, {}, call)).rejects.toMatchObject(forbidden)
      await expect(changed(999_999, {}, call)).rejects.toMatchObject(notThere)
    })

    test('without effect returns the current record', async () => {
      const user = await addUser()
      const before = await whole(user.id)
      expect(await changed(user.id, {}, as(user))).toEqual(before)
      expect(await changed(user.id, { username: user.username }, as(user))).toEqual(before)
    })

    test('to a short name requires an administrator, but a short name may stay', async () => {
      const user = await addUser()
      const username = `s${transport.slice(0, 2)}`
      await expect(changed(user.id, { username }, as(user))).rejects.toMatchObject({
        kind: 'invalid',
        body: { username: ['Ensure this field has at least 5 characters.'] },
      })
      expect((await changed(user.id, { username })).username).toBe(username)
      const body = { username, first_name: 'x' }
      expect(await changed(user.id, body, as(user))).toMatchObject(body)
    })

    test('to taken names is rejected without regard to case, naming all fields', async () => {
      const other = await addUser({ email: `${transport}-taken@example.org` })
      const user = await addUser()
      const before = await whole(user.id)
      const username = other.username.toUpperCase()
      const email = other.email.toUpperCase()
      const nameTaken = 'A user with that username already exists.'
      const emailTaken = 'A user is already registered with this e-mail address.'
      await expect(changed(user.id, { username, email })).rejects.toMatchObject({
        kind: 'invalid',
        body: { username: [nameTaken], email: [emailTaken] },
      })
      await expect(changed(user.id, { username: email })).rejects.toMatchObject({
        body: { username: [nameTaken] },
      })
      await expect(changed(user.id, { email: `${other.username}` })).rejects.toMatchObject({
        body: { email: [emailTaken] },
      })
      expect(await whole(user.id)).toEqual(before)
    })

    test("to another spelling of the user's own name is allowed", async () => {
      const user = await addUser()
      const username = user.username.toUpperCase()
      expect((await changed(user.id, { username }, as(user))).username).toBe(username)
    })

    test('to one name by concurrent calls succeeds once and fails otherwise', async () => {
      const username = `both-${transport}`
      const people = [await addUser(), await addUser(), await addUser()]
      const ends = await Promise.allSettled(
        people.map((one) => changed(one.id, { username }, as(one))),
      )
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
      expect(refused.map(({ kind }) => kind)).toEqual(['invalid', 'invalid'])
    })

    test('of the e-mail stores it in lower case and as not verified', async () => {
      const user = await addUser({ email: `${transport}-a@x.org`, is_email_verified: true })
      const isVerified = async () =>
        (
          await db
            .selectFrom('users')
            .select('is_email_verified')
            .where('id', '=', user.id)
            .executeTakeFirstOrThrow()
        ).is_email_verified
      await changed(user.id, { email: `${transport}-A@X.org` })
      expect(await isVerified()).toBe(true)
      const after = await changed(user.id, { email: `${transport}-B@X.org` })
      expect(after.email).toBe(`${transport}-b@x.org`)
      expect(await isVerified()).toBe(false)
      expect((await changed(user.id, { email: '' })).email).toBe('')
    })

    test.each([
      [['worker'], ['worker']],
      [['worker', 'user'], ['user']],
      [['user', 'admin'], ['admin']],
      [[], []],
    ])('of groups %j uses the highest', async (groups, shown) => {
      const user = await addUser()
      expect((await changed(user.id, { groups })).groups).toEqual(shown)
    })
  })

  describe('a deactivated user', () => {
    test('is signed out everywhere, and after reactivation has to sign in again', async () => {
      const user = await addUser()
      const { key, session } = await login(user.username)
      const body = { name: 'a', read_only: true }
      const { value } = await identity.createAccessToken({ body }, as(user))
      const ways = [{ authorization: `Token ${key}` }, { session }]
      const token = { authorization: `Token ${value}` }
      const come = (way: object) => identity.authenticate({ ...way, address: '' }, anonymousCall())
      const refused = { kind: 'unauthenticated' }

      await identity.updateUser({ id: user.id, body: { is_active: false } }, boss)
      for (const way of [...ways, token]) await expect(come(way)).rejects.toMatchObject(refused)
      await expect(login(user.username)).rejects.toMatchObject({
        body: { non_field_errors: ['User account is disabled.'] },
      })

      await identity.updateUser({ id: user.id, body: { is_active: true } }, boss)
      for (const way of ways) await expect(come(way)).rejects.toMatchObject(refused)
      expect((await come(token)).principal.user_id).toBe(user.id)
      await login(user.username)
    })
  })

  describe('administrators', () => {
    test.each([
      [{ groups: ['user'] }],
      [{ groups: [] }],
      [{ is_active: false }],
      [{ is_staff: false }],
      [{ is_superuser: false }],
      [{ groups: ['worker'], is_staff: false, is_superuser: false }],
    ])('cannot remove their own rights: %j', async (body: object) => {
      const admin = await addUser({ role: 'admin' })
      const attempt = identity.updateUser({ id: admin.id, body }, as(admin))
      await expect(attempt).rejects.toMatchObject({ kind: 'conflict' })
      expect(await whole(admin.id)).toMatchObject({ groups: ['admin'], is_active: true })
    })

    test('can lose their rights by another administrator', async () => {
      const admin = await addUser({ role: 'admin' })
      const after = await identity.updateUser({ id: admin.id, body: { groups: ['user'] } }, boss)
      expect(after.groups).toEqual(['user'])
    })
  })

  describe('the deletion of a user', () => {
    test('is allowed to the user and to administrators', async () => {
      const user = await addUser()
      const other = await addUser()
      await expect(identity.deleteUser({ id: user.id }, as(other))).rejects.toMatchObject(forbidden)
      await identity.deleteUser({ id: user.id }, as(user))
      await identity.deleteUser({ id: other.id }, boss)
      for (const { id } of [user, other]) await expect(whole(id)).rejects.toMatchObject(notThere)
      await expect(identity.deleteUser({ id: user.id }, boss)).rejects.toMatchObject(notThere)
    })

    test('deletes tokens and sessions', async () => {
      const user = await addUser()
      const { key, session } = await login(user.username)
      const body = { name: 'a', read_only: true }
      const { value } = await identity.createAccessToken({ body }, as(user))
      await identity.deleteUser({ id: user.id }, as(user))
      for (const way of [
        { authorization: `Token ${key}` },
        { authorization: `Token ${value}` },
        { session },
      ])
        await expect(
          identity.authenticate({ ...way, address: '' }, anonymousCall()),
        ).rejects.toMatchObject({ kind: 'unauthenticated' })
    })

    test('keeps owned and assigned objects, without an owner or assignee', async () => {
      const user = await addUser()
      const people = { owner_id: user.id, assignee_id: user.id }
      const { id } = await db
        .insertInto('projects')
        .values({ name: 'p', ...people })
        .returning('id')
        .executeTakeFirstOrThrow()
      const task = await db
        .insertInto('tasks')
        .values({ name: 't', project_id: id, ...people })
        .returning('id')
        .executeTakeFirstOrThrow()
      await identity.deleteUser({ id: user.id }, as(user))
      for (const table of ['projects', 'tasks'] as const) {
        const row = await db
          .selectFrom(table)
          .select(['owner_id', 'assignee_id'])
          .where('id', '=', table === 'tasks' ? task.id : id)
          .executeTakeFirst()
        expect(row).toEqual({ owner_id: null, assignee_id: null })
      }
    })
  })
})

test('the last active administrator keeps the rights, even with concurrent calls', async () => {
  const { db: own, over: alone, addUser: add } = await testIdentity()
  const identity = alone('in-process')
  const admins = [await add({ role: 'admin' }), await add({ role: 'admin' })]
  await add({ role: 'admin', is_active: false })
  const [one, other] = admins
  if (!one || !other) throw new Error('unreachable')
  const body = { is_active: false }
  const ends = await Promise.allSettled([
    identity.updateUser({ id: one.id, body }, as(other)),
    identity.deleteUser({ id: other.id }, as(other)),
  ])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const [left] = await own
    .selectFrom('users')
    .select('id')
    .where('role', '=', 'admin')
    .where('is_active', '=', true)
    .execute()
  expect(left).toBeDefined()
  const last = { id: left?.id ?? 0 }
  const another = await add({ role: 'user' })
  for (const body of [{ groups: ['user' as const] }, { is_staff: false }, { is_superuser: false }])
    await expect(
      identity.updateUser({ ...last, body }, as({ ...another, role: 'admin' })),
    ).rejects.toMatchObject({ kind: 'conflict' })
  await expect(identity.deleteUser(last, as({ ...last, role: 'admin' }))).rejects.toMatchObject({
    kind: 'conflict',
  })
})

test('a list of any length needs two statements', async () => {
  const watched = countStatements<ProjectsDb>(db)
  const { listUsers } = identityHandlers({ db: watched.db, clock, settings, memberships })
  await listUsers({ page_size: '1' }, as(root))
  const few = watched.statements()
  await listUsers({ page_size: '100' }, as(root))
  expect([few, watched.statements() - few]).toEqual([2, 2])
})
