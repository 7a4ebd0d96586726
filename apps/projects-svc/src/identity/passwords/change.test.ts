import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, basic, testIdentity } from '../testing.ts'

/** Change of a password (`POST /auth/password/change`). */

const { clock, over, addUser, as } = await testIdentity()
const fresh = 'Blue-Kettle-42'

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const come = (way: { authorization?: string; session?: string }) =>
    identity.authenticate({ ...way, address: '' }, anonymousCall())
  const signIn = (username: string) =>
    identity.signIn({ body: { username, password: 'secret' } }, anonymousCall())
  const body = (given: object = {}) => ({
    old_password: 'secret',
    new_password1: fresh,
    new_password2: fresh,
    ...given,
  })
  const ended = { kind: 'unauthenticated' }

  test('accepts the new password and rejects the old one', async () => {
    const user = await addUser()
    expect(await identity.changePassword({ body: body() }, as(user))).toEqual({
      detail: 'New password has been saved.',
    })
    await come({ authorization: basic(user.username, fresh) })
    const old = come({ authorization: basic(user.username, 'secret') })
    await expect(old).rejects.toMatchObject(ended)
  })

  test('ends all other sessions and all legacy tokens, but no access token', async () => {
    const user = await addUser()
    const mine = await signIn(user.username)
    const other = await signIn(user.username)
    const token = await identity.createAccessToken(
      { body: { name: 'a', read_only: true } },
      as(user),
    )
    const { principal } = await come({ session: mine.session })
    await identity.changePassword({ body: body() }, { ...as(user), principal })

    await come({ session: mine.session })
    await come({ authorization: `Token ${token.value}` })
    await expect(come({ session: other.session })).rejects.toMatchObject(ended)
    for (const { key } of [mine, other])
      await expect(come({ authorization: `Token ${key}` })).rejects.toMatchObject(ended)
  })

  test('is a 401 with any access token', async () => {
    const user = await addUser()
    const { principal } = as(user)
    if (!principal) throw new Error('unreachable')
    for (const read_only of [true, false]) {
      const call = { ...as(user), principal: { ...principal, token: { id: 1, read_only } } }
      const attempt = identity.changePassword({ body: body() }, call)
      await expect(attempt).rejects.toMatchObject({ kind: 'unauthenticated' })
    }
    await signIn(user.username)
  })

  const wrongOld = 'Your old password was entered incorrectly. Please enter it again.'
  test.each([
    [{ old_password: 'Secret' }, { old_password: [wrongOld] }],
    [{ old_password: '' }, { old_password: [wrongOld] }],
    [{ new_password2: 'x' }, { new_password2: ['The two password fields didn’t match.'] }],
    [
      { new_password1: 'Password1', new_password2: 'Password1' },
      { new_password2: ['This password is too common.'] },
    ],
  ])('with %j is rejected and changes nothing', async (given, shown) => {
    const user = await addUser()
    const { session } = await signIn(user.username)
    const attempt = identity.changePassword({ body: body(given) }, as(user))
    await expect(attempt).rejects.toMatchObject({ kind: 'invalid', body: shown })
    await signIn(user.username)
    await come({ session })
  })

  test('counts wrong old passwords as failed sign-ins', async () => {
    const user = await addUser()
    const call = { ...as(user), address: `10.2.0.${transport.length}` }
    const guess = () => identity.changePassword({ body: body({ old_password: 'x' }) }, call)
    for (let made = 0; made < 10; made++)
      await expect(guess()).rejects.toMatchObject({ kind: 'invalid' })
    await expect(guess()).rejects.toMatchObject({ kind: 'too_many' })
    await clock.advance(600_000)
    await identity.changePassword({ body: body() }, call)
  })

  test('by two concurrent calls succeeds once', async () => {
    const user = await addUser()
    const attempts = ['Red-Kettle-43', 'Green-Kettle-44'].map((one, at) =>
      identity.changePassword(
        { body: body({ new_password1: one, new_password2: one }) },
        { ...as(user), address: `10.3.0.${at}` },
      ),
    )
    const ends = await Promise.allSettled(attempts)
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })
})
