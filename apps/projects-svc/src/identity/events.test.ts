import { callAs } from '@reticle/kit/testing/call'
import { transports } from '@reticle/kit/testing/transport'
import { beforeEach, describe, expect, test } from 'vitest'
import { logFailures } from './passwords/attempts.ts'
import { anonymousCall, basic, testIdentity } from './testing.ts'

/** Events of accounts, tokens and sign-ins. */

const { db, clock, over, addUser, as, takeEvents } = await testIdentity()
const root = await addUser({ username: 'root', role: 'admin' })
const password = 'Blue-Kettle-42'
const from = { address: '10.0.0.1', user_agent: 'browser/1' }
const by = (id: number) => expect.stringContaining(`"id":${id},`)

beforeEach(async () => {
  await clock.advance(3_600_000) // so that failures of other tests have expired
  await logFailures({ db, clock })
  await takeEvents()
})

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const strict = over(transport, { emailVerification: 'mandatory' })
  const emitted = async () => (await takeEvents()).map(({ type, data }) => [type, data])

  describe('account events', () => {
    test('a registration is logged with the new user as actor and without the password', async () => {
      const username = `events.${transport}`
      const body = { username, password1: password, password2: password }
      await identity.register({ body }, { ...anonymousCall(), ...from })
      const events = await takeEvents()
      expect(events).toMatchObject([
        { type: 'create:user', data: { user: { username, groups: ['user'], is_active: true } } },
      ])
      const user = events[0]?.data
      expect(JSON.stringify(events)).not.toContain(password)
      expect(user).toHaveProperty('user.id')
      expect(events[0]?.headers).toMatchObject({
        actor: expect.stringContaining(`"username":"${username}"`),
        caller: JSON.stringify(from),
      })
    })

    test('a change is logged with the old values; a change without effect is not logged', async () => {
      const { id, username } = await addUser({ first_name: 'Anna' })
      const change = (body: object) => identity.updateUser({ id, body }, as(root))
      await change({ first_name: 'Anne', groups: ['worker'] })
      await change({ first_name: 'Anne' })
      expect(await takeEvents()).toMatchObject([
        {
          type: 'update:user',
          key: `user:${id}`,
          data: {
            user: { id, username, first_name: 'Anne', groups: ['worker'] },
            before_update: { first_name: 'Anna', groups: ['user'] },
          },
          headers: { actor: by(root.id) },
        },
      ])
    })

    test('a deletion is logged with the last record; a rejected one is not logged', async () => {
      const { id, username } = await addUser()
      await expect(identity.deleteUser({ id }, as(await addUser()))).rejects.toThrow()
      expect(await emitted()).toEqual([])
      await identity.deleteUser({ id }, as(root))
      expect(await emitted()).toMatchObject([['delete:user', { user: { id, username } }]])
    })
  })

  test('access tokens log creation, change and revocation without their value', async () => {
    const user = await addUser()
    const body = { name: 'nightly', read_only: true }
    const { id, value } = await identity.createAccessToken({ body }, as(user))
    await identity.updateAccessToken({ id, body: { name: 'daily' } }, as(user))
    await identity.updateAccessToken({ id, body: { name: 'daily' } }, as(user))
    await identity.deleteAccessToken({ id }, as(user))
    const events = await takeEvents()
    const record = { id, owner: { id: user.id } }
    expect(events).toMatchObject([
      { type: 'create:accesstoken', data: { accesstoken: { ...record, name: 'nightly' } } },
      {
        type: 'update:accesstoken',
        data: { accesstoken: { name: 'daily' }, before_update: { name: 'nightly' } },
      },
      { type: 'delete:accesstoken', data: { accesstoken: record } },
    ])
    expect(events.map(({ key }) => key)).toEqual(Array(3).fill(`accesstoken:${id}`))
    for (const part of value.split('.')) expect(JSON.stringify(events)).not.toContain(part)
  })

  describe('sign-in events', () => {
    const login = (username: string, word: string, to = identity) =>
      to.signIn({ body: { username, password: word } }, { ...anonymousCall(), ...from })
    const came = (authorization: string) =>
      identity.authenticate({ authorization, address: from.address }, anonymousCall())

    test('a sign-in by password is logged; the use of a credential is not', async () => {
      const { id, username } = await addUser()
      const { key } = await login(username, 'secret')
      expect(await takeEvents()).toMatchObject([
        {
          type: 'login:user',
          key: `user:${id}`,
          data: { user_id: id },
          headers: { actor: by(id), caller: JSON.stringify(from) },
        },
      ])
      for (const one of [`Token ${key}`, basic(username, 'secret')]) await came(one)
      expect(await emitted()).toEqual([])
    })

    test('a sign-out is logged only when it ends a session', async () => {
      const user = await addUser()
      const { key, session } = await login(user.username, 'secret')
      await takeEvents()
      const call = callAs({ user_id: user.id })
      await identity.signOut({}, { ...call, credential: `Token ${key}` })
      await identity.signOut({ session }, call)
      expect(await emitted()).toEqual(Array(2).fill(['logout:user', { user_id: user.id }]))
      await identity.signOut({}, anonymousCall())
      await identity.signOut({}, { ...call, credential: basic(user.username, 'secret') })
      expect(await emitted()).toEqual([])
    })

    test('a wrong password is logged with the attempted name, for login and Basic', async () => {
      const { id, username } = await addUser()
      const unknown = `Nobody-${transport}`
      await expect(login(username, 'wrong-word')).rejects.toThrow()
      await clock.advance(60_000)
      await expect(login(unknown, 'wrong-word')).rejects.toThrow()
      await clock.advance(60_000)
      await expect(came(basic(username, 'wrong-word'))).rejects.toThrow()
      const events = await takeEvents()
      const reason = 'wrong_password'
      expect(events).toMatchObject([
        {
          type: 'reject:login',
          data: { username, user_id: id, reason },
          headers: { actor: 'null', caller: JSON.stringify(from) },
        },
        { data: { username: unknown.toLowerCase(), user_id: null, reason } },
        {
          data: { username, user_id: id, reason },
          headers: { caller: JSON.stringify({ address: from.address }) },
        },
      ])
      expect(JSON.stringify(events)).not.toContain('wrong-word')
    })

    test('wrong passwords are counted in one entry per minute and network', async () => {
      const { id, username } = await addUser({ email: `gathered-${transport}@example.org` })
      const tried = async (name: string, address: string) => {
        const body = { username: name, password: 'wrong' }
        await expect(identity.signIn({ body }, { ...anonymousCall(), address })).rejects.toThrow()
      }
      const log = async () => {
        await logFailures({ db, clock })
        return (await takeEvents()).map(({ data, headers }) => ({ data, headers }))
      }
      const [first, second] = ['2001:db8::1', '2001:db8::2']
      const entry = (data: object, address: string) => ({
        data,
        headers: { actor: 'null', caller: JSON.stringify({ address }) },
      })
      const reason = 'wrong_password'

      await tried(username, first)
      expect(await log()).toMatchObject([entry({ username, user_id: id, reason }, first)])
      for (let count = 0; count < 3; count++) await tried(username, second)
      await tried(`gathered-${transport}@example.org`, first)
      await tried(`stranger-${transport}`, second)
      await clock.advance(59_999)
      expect(await log()).toEqual([])
      await clock.advance(1)
      const gathered = { username, user_id: id, reason, count: 5, names: 2 }
      expect(await log()).toMatchObject([entry(gathered, '2001:db8:0:0::/64')])

      await tried(username, first) // in the minute after that entry
      expect(await log()).toEqual([])
      await clock.advance(60_000)
      expect(await log()).toMatchObject([{ data: { count: 1, names: 1 } }])
      await clock.advance(600_000)
      expect(await log()).toEqual([])
    })

    test('a sign-in blocked for a reason other than the password is logged with that reason', async () => {
      const removed = await addUser({ is_active: false })
      const fresh = await addUser({ email: `unverified-${transport}@example.org` })
      await expect(login(removed.username, 'secret')).rejects.toThrow()
      await expect(login(fresh.username, 'secret', strict)).rejects.toThrow()
      expect(await emitted()).toEqual([
        ['reject:login', { username: removed.username, user_id: removed.id, reason: 'disabled' }],
        [
          'reject:login',
          { username: fresh.username, user_id: fresh.id, reason: 'unverified_email' },
        ],
      ])
    })
  })
})
