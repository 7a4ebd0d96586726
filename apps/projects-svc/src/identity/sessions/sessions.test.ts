import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { nobody, testIdentity } from '../testing.ts'
import { purgeSessions } from './life.ts'

/** Sessions: `spec/api-workspace.md` 2.1, 2.2. */

const { db, clock, over, addUser, as, days } = await testIdentity()

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const ended = { kind: 'unauthenticated', message: 'The session has ended. Sign in again.' }
  const come = (session: string) => identity.authenticate({ session, address: '' }, nobody())
  const byKey = (key: string) =>
    identity.authenticate({ authorization: `Token ${key}`, address: '' }, nobody())

  async function signedIn(count = 1) {
    const user = await addUser()
    const body = { username: user.username, password: 'secret' }
    const ways = []
    for (let made = 0; made < count; made++) ways.push(await identity.signIn({ body }, nobody()))
    return { user, ways }
  }

  test('begin with a sign-in, and tell who calls', async () => {
    const { user, ways } = await signedIn()
    const [{ session } = { session: '' }] = ways
    expect(session).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(await come(session)).toMatchObject({
      principal: { user_id: user.id, token: null, session_id: expect.any(Number) },
      is_deprecated: false,
      is_renewed: false,
    })
  })

  test('are known by a hash of their value only', async () => {
    const { ways } = await signedIn()
    const rows = await db.selectFrom('sessions').select('token_hash').execute()
    const kept = rows.map(({ token_hash }) => token_hash.toString('latin1')).join()
    expect(kept).not.toContain(ways[0]?.session)
  })

  test('end after 14 days without use, and live on while they are used', async () => {
    const { ways } = await signedIn()
    const session = ways[0]?.session ?? ''
    await days(13)
    expect((await come(session)).is_renewed).toBe(true)
    await days(13)
    await come(session)
    await days(14)
    await expect(come(session)).rejects.toMatchObject(ended)
  })

  test('are renewed at most daily', async () => {
    const { ways } = await signedIn()
    const session = ways[0]?.session ?? ''
    await clock.advance(86_400_000 - 1)
    expect((await come(session)).is_renewed).toBe(false)
    await clock.advance(1)
    expect((await come(session)).is_renewed).toBe(true)
    expect((await come(session)).is_renewed).toBe(false)
  })

  test('unknown ones are refused', async () => {
    await expect(come('x'.repeat(32))).rejects.toMatchObject(ended)
    await expect(come('')).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('of a deactivated user are refused', async () => {
    const { user, ways } = await signedIn()
    await db.updateTable('users').set({ is_active: false }).where('id', '=', user.id).execute()
    await expect(come(ways[0]?.session ?? '')).rejects.toMatchObject({
      message: 'User inactive or deleted.',
    })
  })

  describe('signing out', () => {
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

    test('by a token ends it and the session beside it', async () => {
      const { user, ways } = await signedIn(2)
      const [first, second] = ways
      if (!first || !second) throw new Error('unreachable')
      const call = { ...as(user), credential: `Token ${first.key}` }
      await identity.signOut({ session: first.session }, call)
      await expect(come(first.session)).rejects.toMatchObject(ended)
      await expect(byKey(first.key)).rejects.toMatchObject({ message: 'Invalid token.' })
      await byKey(second.key)
    })

    test('never ends the session of somebody else, nor for nobody', async () => {
      const { ways } = await signedIn()
      const session = ways[0]?.session ?? ''
      await identity.signOut({ session }, as(await addUser()))
      await identity.signOut({ session }, nobody())
      await come(session)
    })
  })
})

test('sessions that have ended are removed', async () => {
  const identity = over('in-process')
  const { id, username } = await addUser()
  const sign = () => identity.signIn({ body: { username, password: 'secret' } }, nobody())
  await sign()
  await days(13)
  await sign()
  await days(1)
  await purgeSessions({ db, clock })
  const rows = await db.selectFrom('sessions').select('id').where('user_id', '=', id).execute()
  expect(rows).toHaveLength(1)
})
