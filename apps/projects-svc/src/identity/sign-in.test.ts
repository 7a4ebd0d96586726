import { callAs } from '@reticle/kit/testing/call'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, testIdentity } from './testing.ts'

/** Signing in and out. */

const { db, clock, over, addUser } = await testIdentity()
const from = (address: string) => ({ ...callAs(null), address })

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const strict = over(transport, { emailVerification: 'mandatory' })
  const login = (
    body: { username?: string; email?: string; password: string },
    call = anonymousCall(),
  ) => identity.signIn({ body }, call)
  const whoHas = (key: string) =>
    identity.authenticate({ authorization: `Token ${key}`, address: '' }, anonymousCall())

  describe('signing in', () => {
    test('by user name, in any case, returns a valid legacy token', async () => {
      const { id, username } = await addUser()
      const { key } = await login({ username: username.toUpperCase(), password: 'secret' })
      expect(key).toMatch(/^[0-9a-f]{40}$/)
      expect(await whoHas(key)).toMatchObject({ principal: { user_id: id }, is_deprecated: true })
    })

    test.each(['email', 'username'] as const)('by e-mail works in the field %s', async (field) => {
      const email = `${transport}-${field}@example.org`
      const { id } = await addUser({ email })
      const { key } = await login({ [field]: email.toUpperCase(), password: 'secret' })
      expect((await whoHas(key)).principal.user_id).toBe(id)
    })

    test('returns another token each time, and all of them are valid', async () => {
      const { id, username } = await addUser()
      const first = await login({ username, password: 'secret' })
      const second = await login({ username, password: 'secret' })
      expect(first.key).not.toBe(second.key)
      for (const { key } of [first, second]) expect((await whoHas(key)).principal.user_id).toBe(id)
    })

    test('stores only a hash of the token', async () => {
      const { username } = await addUser()
      const { key } = await login({ username, password: 'secret' })
      const rows = await db.selectFrom('auth_tokens').select('token_hash').execute()
      for (const { token_hash } of rows) {
        expect(token_hash.toString('hex')).not.toContain(key)
        expect(token_hash.toString('latin1')).not.toContain(key)
      }
    })

    test('stores its time', async () => {
      const user = await addUser()
      await login({ username: user.username, password: 'secret' })
      const self = await identity.getSelf({}, callAs({ user_id: user.id }))
      expect(self.last_login).toBe(clock.now().toISOString())
    })
  })

  describe('a sign-in is rejected', () => {
    test.each([
      ['a wrong password', { password: 'Secret' }],
      ['an unknown user', { username: 'nobody-at-all' }],
      ['an unknown e-mail', { username: undefined, email: 'x@example.org' }],
      ['an empty password', { password: '' }],
    ])('for %s, always with the same text', async (_, wrong) => {
      const { username } = await addUser()
      await expect(login({ username, password: 'secret', ...wrong })).rejects.toMatchObject({
        kind: 'unauthenticated',
        code: 'invalid_credentials',
        message: 'Unable to log in with provided credentials.',
      })
    })

    test('without a name', async () => {
      await expect(login({ password: 'secret' })).rejects.toMatchObject({
        kind: 'invalid',
        body: { non_field_errors: ['Must include "username" or "email", and "password".'] },
      })
    })

    test('for a disabled user, with the reason only if the password is right', async () => {
      const { username } = await addUser({ is_active: false })
      await expect(login({ username, password: 'secret' })).rejects.toMatchObject({
        kind: 'invalid',
        body: { non_field_errors: ['User account is disabled.'] },
      })
      await expect(login({ username, password: 'wrong' })).rejects.toMatchObject({
        code: 'invalid_credentials',
      })
    })

    test('for an unverified e-mail when verification is mandatory', async () => {
      const email = `${transport}-unverified@example.org`
      await addUser({ email })
      const body = { email, password: 'secret' }
      await expect(strict.signIn({ body }, anonymousCall())).rejects.toMatchObject({
        kind: 'invalid',
        code: 'email_unverified',
        message: 'Unverified email',
      })
      await identity.signIn({ body }, anonymousCall())
    })

    test('after ten wrong passwords in ten minutes, until the first failure expires', async () => {
      const { username } = await addUser()
      const guess = (password: string, address = '10.0.0.1') =>
        login({ username, password }, from(address))
      for (let count = 0; count < 10; count++) {
        await expect(guess('wrong')).rejects.toMatchObject({ kind: 'unauthenticated' })
        await clock.advance(10_000)
      }
      await expect(guess('secret')).rejects.toMatchObject({
        kind: 'too_many',
        code: 'throttled',
        retry_after: 500,
        limit: 10,
        message: 'Request was throttled. Expected available in 500 seconds.',
      })
      await guess('secret', '10.0.0.2')
      await clock.advance(500_000)
      await guess('secret')
    })

    test('after ten wrong passwords even if all guesses are concurrent', async () => {
      const { username } = await addUser()
      const guesses = Array.from({ length: 25 }, () =>
        login({ username, password: 'wrong' }, from('10.0.0.3')).catch((error) => error.kind),
      )
      const kinds = await Promise.all(guesses)
      expect(kinds.filter((kind) => kind === 'unauthenticated')).toHaveLength(10)
      expect(kinds.filter((kind) => kind === 'too_many')).toHaveLength(15)
    })

    test('after ten failures for an unknown name of any length', async () => {
      const username = `${transport} ${'x'.repeat(5000)}`
      for (let count = 0; count < 10; count++)
        await expect(login({ username, password: 'x' })).rejects.toMatchObject({
          kind: 'unauthenticated',
        })
      await expect(login({ username, password: 'x' })).rejects.toMatchObject({ kind: 'too_many' })
    })
  })

  describe('a sign-out', () => {
    test('deletes only the presented token', async () => {
      const { id, username } = await addUser()
      const first = await login({ username, password: 'secret' })
      const second = await login({ username, password: 'secret' })
      const call = { ...callAs({ user_id: id }), credential: `Bearer ${first.key}` }
      expect(await identity.signOut({}, call)).toEqual({ detail: 'Successfully logged out.' })
      await expect(whoHas(first.key)).rejects.toMatchObject({ message: 'Invalid token.' })
      expect((await whoHas(second.key)).principal.user_id).toBe(id)
    })

    test('keeps an access token', async () => {
      const { id } = await addUser()
      const body = { name: 'a', read_only: true }
      const { value } = await identity.createAccessToken({ body }, callAs({ user_id: id }))
      await identity.signOut({}, { ...callAs({ user_id: id }), credential: `Token ${value}` })
      expect((await whoHas(value)).principal.user_id).toBe(id)
    })

    test('works without being signed in', async () => {
      expect(await identity.signOut({}, anonymousCall())).toEqual({
        detail: 'Successfully logged out.',
      })
    })
  })
})
