import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, testIdentity } from '../testing.ts'
import { purgeSessions } from './life.ts'

/** Sessions of browsers. */

const { db, clock, over, addUser, as, days } = await testIdentity()

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const ended = { kind: 'unauthenticated', message: 'The session has ended. Sign in again.' }
  const come = (session: string) => identity.authenticate({ session, address: '' }, anonymousCall())
  const byKey = (key: string) =>
    identity.authenticate({ authorization: `Token ${key}`, address: '' }, anonymousCall())

  async function signedIn(count = 1) {
    const user = await addUser()
    const body = { username: user.username, password: 'secret' }
    const ways = []
    for (let made = 0; made < count; made++)
      ways.push(await identity.signIn({ body }, anonymousCall()))
    return { user, ways }
  }

  test('start with a sign-in and identify the user', async () => {
    const { user, ways } = await signedIn()
    const [{ session } = { session: '' }] = ways
    expect(session).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(await come(session)).toMatchObject({
      principal: { user_id: user.id, token: null, session_id: expect.any(Number) },
      is_deprecated: false,
      is_renewed: false,
    })
  })

  test('are stored only as a hash of their value', async () => {
    const { ways } = await signedIn()
    const rows = await db.selectFrom('sessions').select('token_hash').execute()
    const kept = rows.map(({ token_hash }) => token_hash.toString('latin1')).join()
    expect(kept).not.toContain(ways[0]?.session)
  })

  test('end after 14 days without use, and are extended by use', async () => {
    const { ways } = await signedIn()
    const session = ways[0]?.session ?? ''
    await days(13)
    expect((await come(session)).is_renewed).toBe(true)
    await days(13)
    await come(session)
    await days(14)
    await expect(come(session)).rejects.toMatchObject(ended)
  })

  test('are extended at most daily', async () => {
    const { ways } = await signedIn()
    const session = ways[0]?.session ?? ''
    await clock.advance(86_400_000 - 1)
    expect((await come(session)).is_renewed).toBe(false)
    await clock.advance(1)
    expect((await come(session)).is_renewed).toBe(true)
    expect((await come(session)).is_renewed).toBe(false)
  })

  describe('the legacy token of a sign-in', () => {
    const invalid = { kind: 'unauthenticated', message: 'Invalid token.' }
    const registered = async () => {
      const { username } = await addUser()
      const word = 'Blue-Kettle-42'
      const names = { username: `${username}-new`, first_name: '', last_name: '' }
      const body = { ...names, password1: word, password2: word }
      return (await identity.register({ body }, anonymousCall())).key ?? ''
    }
    const signedInKey = async () => (await signedIn()).ways[0]?.key ?? ''

    test.each([
      ['a sign-in', signedInKey],
      ['a registration', registered],
    ])('of %s ends after 14 days without use, and is extended by use', async (_, begin) => {
      const key = await begin()
      for (let times = 0; times < 2; times++) {
        await days(13)
        await byKey(key)
      }
      await days(14)
      await expect(byKey(key)).rejects.toMatchObject(invalid)
      await purgeSessions({ db, clock })
      await expect(byKey(key)).rejects.toMatchObject(invalid)
    })

    test('is extended by the use of the cookie, and the cookie by the use of the token', async () => {
      const { ways } = await signedIn()
      const { key, session } = ways[0] ?? { key: '', session: '' }
      await days(13)
      await come(session)
      await days(13)
      await byKey(key)
      await days(13)
      await come(session)
    })

    test('ends when its session is signed out by another credential', async () => {
      const { user, ways } = await signedIn(2)
      const [first, second] = ways
      if (!first || !second) throw new Error('unreachable')
      const call = { ...as(user), credential: 'Basic eDp5' }
      await identity.signOut({ session: first.session }, call)
      await expect(byKey(first.key)).rejects.toMatchObject(invalid)
      await byKey(second.key)
    })

    test('ends its session when it is signed out without the cookie', async () => {
      const { user, ways } = await signedIn()
      const { key, session } = ways[0] ?? { key: '', session: '' }
      await identity.signOut({}, { ...as(user), credential: `Bearer ${key}` })
      await expect(come(session)).rejects.toMatchObject(ended)
    })

    test('ends when the row of its session is deleted', async () => {
      const { user, ways } = await signedIn()
      await db.deleteFrom('sessions').where('user_id', '=', user.id).execute()
      await expect(byKey(ways[0]?.key ?? '')).rejects.toMatchObject(invalid)
    })

    test('ends when the account is deactivated, and stays ended after reactivation', async () => {
      const root = await addUser({ role: 'admin' })
      const { user, ways } = await signedIn(2)
      for (const is_active of [false, true])
        await identity.updateUser({ id: user.id, body: { is_active } }, as(root))
      for (const { key } of ways) await expect(byKey(key)).rejects.toMatchObject(invalid)
    })

    test('ends when the password is changed, even if its session is kept', async () => {
      const { user, ways } = await signedIn(2)
      const { principal } = await come(ways[0]?.session ?? '')
      const [old_password, word] = ['secret', 'Blue-Kettle-42']
      const body = { old_password, new_password1: word, new_password2: word }
      await identity.changePassword({ body }, { ...as(user), principal })
      for (const { key } of ways) await expect(byKey(key)).rejects.toMatchObject(invalid)
      await come(ways[0]?.session ?? '')
    })

    test('of a replica of the previous release lasts 14 days', async () => {
      const { user, ways } = await signedIn()
      await db
        .updateTable('auth_tokens')
        .set({ session_id: null })
        .where('user_id', '=', user.id)
        .execute()
      await days(13)
      await byKey(ways[0]?.key ?? '')
      await days(1)
      await expect(byKey(ways[0]?.key ?? '')).rejects.toMatchObject(invalid)
    })
  })

  test('with an unknown value are rejected', async () => {
    await expect(come('x'.repeat(32))).rejects.toMatchObject(ended)
    await expect(come('')).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('of a deactivated user are rejected', async () => {
    const { user, ways } = await signedIn()
    await db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
    await expect(come(ways[0]?.session ?? '')).rejects.toMatchObject({
      message: 'User inactive or deleted.',
    })
  })

  describe('a sign-out', () => {
    test('by session ends it and all legacy tokens, but no other session', async () => {
      const { user, ways } = await signedIn(2)
      const [first, second] = ways
      if (!first || !second) throw new Error('unreachable')
      const token = await identity.createAccessToken(
        { body: { name: 'a', read_only: true } },
        as(user),
      )
      const { principal } = await come(first.session)
      await identity.signOut({ session: first.session }, { ...as(user), principal })
      await expect(come(first.session)).rejects.toMatchObject(ended)
      for (const { key } of ways)
        await expect(byKey(key)).rejects.toMatchObject({ message: 'Invalid token.' })
      await come(second.session)
      await byKey(token.value)
    })

    test('by a token ends it and the session of the cookie', async () => {
      const { user, ways } = await signedIn(2)
      const [first, second] = ways
      if (!first || !second) throw new Error('unreachable')
      const call = { ...as(user), credential: `Token ${first.key}` }
      await identity.signOut({ session: first.session }, call)
      await expect(come(first.session)).rejects.toMatchObject(ended)
      await expect(byKey(first.key)).rejects.toMatchObject({ message: 'Invalid token.' })
      await byKey(second.key)
    })

    test('cannot end the session of another user, or without a user', async () => {
      const { ways } = await signedIn()
      const session = ways[0]?.session ?? ''
      await identity.signOut({ session }, as(await addUser()))
      await identity.signOut({ session }, anonymousCall())
      await come(session)
    })
  })
})

test('ended sessions are deleted', async () => {
  const identity = over('in-process')
  const { id, username } = await addUser()
  const sign = () => identity.signIn({ body: { username, password: 'secret' } }, anonymousCall())
  await sign()
  await days(13)
  await sign()
  await days(1)
  await purgeSessions({ db, clock })
  const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
  expect(rows).toHaveLength(1)
})
