import { hash } from '@node-rs/argon2'
import { callAs } from '@reticle/kit/testing/call'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { verifyPassword } from './passwords/hash.ts'
import { anonymousCall, basic, testIdentity } from './testing.ts'

/** Authentication of requests. */

const { db, clock, over, addUser, as, days } = await testIdentity()

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const strict = over(transport, { emailVerification: 'mandatory' })
  const authenticate = (authorization: string, address = '10.1.0.1') =>
    identity.authenticate({ authorization, address }, anonymousCall())
  const refused = async (authorization: string, message: string) =>
    expect(authenticate(authorization)).rejects.toMatchObject({ kind: 'unauthenticated', message })

  async function addToken(given: { read_only?: boolean; expiry_date?: string } = {}) {
    const user = await addUser()
    const body = { name: 'a', read_only: true, ...given }
    const token = await identity.createAccessToken({ body }, as(user))
    return { user, token, header: `Token ${token.value}` }
  }
  const setUser = (id: number, changes: { is_active?: boolean; password_hash?: string }) =>
    db.updateTable('users').set(changes).where('id', '=', id).execute()

  describe('access tokens', () => {
    test.each([true, false])('identify the user and the read-only flag: %s', async (read_only) => {
      const { user, token, header } = await addToken({ read_only })
      expect(await authenticate(header)).toEqual({
        principal: {
          user_id: user.id,
          username: user.username,
          first_name: '',
          last_name: '',
          email: '',
          role: 'user',
          token: { id: token.id, read_only },
          organization_roles: {},
          scope: null,
        },
        is_deprecated: false,
        dialect: 'service',
      })
    })

    test('work until the end of their last day, in UTC', async () => {
      const today = clock.now().toISOString().slice(0, 10)
      const { header } = await addToken({ expiry_date: today })
      const lastMoment = Date.parse(`${today}T23:59:59.999Z`)
      await clock.advance(lastMoment - clock.now().getTime())
      await authenticate(header)
      await clock.advance(1)
      await refused(header, 'Invalid token.')
    })

    test('are stale after 180 days without use', async () => {
      const { header } = await addToken()
      await days(179)
      await authenticate(header)
      await days(179)
      await authenticate(header)
      await days(180)
      await refused(header, 'Invalid token.')
    })

    test('are rejected once revoked', async () => {
      const { user, token, header } = await addToken()
      await identity.deleteAccessToken({ id: token.id }, as(user))
      await refused(header, 'Invalid token.')
    })

    test('are rejected when unknown', async () => {
      await refused(`Token abcd1234.${'x'.repeat(32)}`, 'Invalid token.')
      await refused(`Token ${'0'.repeat(40)}`, 'Invalid token.')
    })

    test('of a deactivated user are rejected', async () => {
      const { user, header } = await addToken()
      await setUser(user.id, { is_active: false })
      await refused(header, 'User inactive or deleted.')
    })

    test('store their time of use at most every two hours', async () => {
      const { user, token, header } = await addToken()
      const lastUsed = async () =>
        (await identity.getAccessToken({ id: token.id }, as(user))).last_used_date
      expect(await lastUsed()).toBeNull()
      const first = clock.now().toISOString()
      await authenticate(header)
      expect(await lastUsed()).toBe(first)
      await clock.advance(2 * 3_600_000 - 1)
      await authenticate(header)
      expect(await lastUsed()).toBe(first)
      await clock.advance(1)
      await authenticate(header)
      expect(await lastUsed()).toBe(clock.now().toISOString())
    })
  })

  test('a legacy token of a deactivated user is rejected', async () => {
    const user = await addUser()
    const body = { username: user.username, password: 'secret' }
    const { key } = await identity.signIn({ body }, anonymousCall())
    await setUser(user.id, { is_active: false })
    await refused(`Token ${key}`, 'User inactive or deleted.')
  })

  test('a superuser who is staff is an administrator, in any group', async () => {
    const { username } = await addUser({ role: 'worker', is_staff: true, is_superuser: true })
    expect((await authenticate(basic(username, 'secret'))).principal.role).toBe('admin')
  })

  test('a user without a group has no role', async () => {
    const { username } = await addUser({ role: null })
    expect((await authenticate(basic(username, 'secret'))).principal.role).toBeNull()
  })

  describe('Basic authentication', () => {
    test('accepts user name or e-mail', async () => {
      const email = `${transport}-basic@example.org`
      const { id, username } = await addUser({ email })
      for (const name of [username, email])
        expect(await authenticate(basic(name, 'secret'))).toMatchObject({
          principal: { user_id: id, token: null },
          is_deprecated: false,
        })
    })

    test.each([
      ['a wrong password', 'wrong'],
      ['an empty one', ''],
    ])('rejects %s', async (_, password) => {
      const { username } = await addUser()
      await refused(basic(username, password), 'Invalid username/password.')
    })

    test('rejects an unknown user', async () => {
      await refused(basic('nobody-at-all', 'x'), 'Invalid username/password.')
    })

    test('rejects a deactivated user', async () => {
      const { username } = await addUser({ is_active: false })
      await refused(basic(username, 'secret'), 'User inactive or deleted.')
    })

    test('requires a verified e-mail when that is mandatory', async () => {
      const { username } = await addUser()
      const verified = await addUser({ is_email_verified: true })
      const attempt = (name: string) =>
        strict.authenticate({ authorization: basic(name, 'secret'), address: '' }, anonymousCall())
      await expect(attempt(username)).rejects.toMatchObject({
        kind: 'unauthenticated',
        message: 'E-mail is not verified.',
      })
      await attempt(verified.username)
    })

    test('uses a changed password at once', async () => {
      const { id, username } = await addUser()
      const header = basic(username, 'secret')
      await authenticate(header)
      await setUser(id, { password_hash: await hash('another') })
      await refused(header, 'Invalid username/password.')
      await authenticate(basic(username, 'another'))
    })

    test('is throttled after ten failures, except for recently verified credentials', async () => {
      const right = await addUser()
      const { username } = await addUser()
      await authenticate(basic(right.username, 'secret'), '10.9.9.9')
      for (const name of [username, right.username])
        for (let count = 0; count < 10; count++)
          await expect(authenticate(basic(name, 'wrong'), '10.9.9.9')).rejects.toMatchObject({
            kind: 'unauthenticated',
          })
      await expect(authenticate(basic(username, 'secret'), '10.9.9.9')).rejects.toMatchObject({
        kind: 'too_many',
        retry_after: 600,
      })
      await authenticate(basic(right.username, 'secret'), '10.9.9.9')
    })

    test('rehashes a password that has outdated hash parameters', async () => {
      const { id, username } = await addUser()
      const old = await hash('secret', { memoryCost: 8192, timeCost: 1 })
      await setUser(id, { password_hash: old })
      await authenticate(basic(username, 'secret'))
      const { password_hash } = await db
        .selectFrom('users')
        .select('password_hash')
        .where('id', '=', id)
        .executeTakeFirstOrThrow()
      expect(password_hash).toContain('m=19456,t=2,p=1')
      expect(await verifyPassword(password_hash, 'secret')).toBe(true)
    })
  })

  describe('the current user', () => {
    test('is returned in full', async () => {
      const email = `${transport}-self@example.org`
      const given = { email, first_name: 'Anna', last_name: 'Lind', role: 'admin' as const }
      const user = await addUser(given)
      expect(await identity.getSelf({}, as(user))).toEqual({
        url: `/users/${user.id}`,
        id: user.id,
        username: user.username,
        first_name: 'Anna',
        last_name: 'Lind',
        email,
        groups: ['admin'],
        is_staff: true,
        is_superuser: true,
        is_active: true,
        last_login: null,
        date_joined: user.date_joined.toISOString(),
        has_analytics_access: true,
      })
    })

    test('without a group has no groups and no analytics access', async () => {
      const user = await addUser({ role: null })
      const self = await identity.getSelf({}, as(user))
      expect(self).toMatchObject({ groups: [], has_analytics_access: false })
    })

    test('is unauthenticated after deletion', async () => {
      await expect(identity.getSelf({}, callAs({ user_id: 999_999 }))).rejects.toMatchObject({
        kind: 'unauthenticated',
      })
    })
  })
})
