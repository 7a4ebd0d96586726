import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, basic, testIdentity } from '../testing.ts'
import { purgeOrigins } from './attempts.ts'

/** Password guesses against one account from many networks. */

const { db, clock, over, addUser, days, mails } = await testIdentity()
const minute = 60_000
const wrong = { kind: 'unauthenticated' }
const refused = { kind: 'too_many', code: 'throttled', limit: 50 }

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const signIn = (username: string, password: string, address: string) =>
    identity.signIn({ body: { username, password } }, { ...anonymousCall(), address })
  const callBasic = (username: string, password: string, address: string) =>
    identity.authenticate({ authorization: basic(username, password), address }, anonymousCall())

  let networks = 0
  const elsewhere = () => {
    networks++
    return `2001:db8:${transport === 'grpc' ? 1 : 2}:${networks.toString(16)}::1`
  }
  /**
   * Records wrong passwords, each from another network. Only the last of each name is a real call; the others are
   * inserted as rows, because hashing is slow.
   */
  async function guess(names: string[], count = 50) {
    const username = names[0] ?? ''
    const failed_date = clock.now()
    const earlier = { username, failed_date, logged_date: failed_date, is_familiar: false }
    const rows = Array.from({ length: count - names.length }, () => ({
      ...earlier,
      address: elsewhere(),
    }))
    await db.insertInto('password_failures').values(rows).execute()
    for (const name of names)
      await expect(signIn(name, 'wrong', elsewhere())).rejects.toMatchObject(wrong)
  }

  test('fifty wrong passwords within an hour from different networks block the account', async () => {
    const { username } = await addUser()
    await guess([username])
    const last = signIn(username, 'wrong', elsewhere())
    await expect(last).rejects.toMatchObject({ ...refused, retry_after: 3600 })
    await expect(callBasic(username, 'secret', elsewhere())).rejects.toMatchObject(refused)
    await clock.advance(60 * minute)
    await signIn(username, 'secret', elsewhere())
  })

  test('user name, e-mail and other capitalization count as one account', async () => {
    const email = `guessed-${transport}@example.org`
    const { username } = await addUser({ email })
    await guess([username, email, username.toUpperCase(), email.toUpperCase()])
    await expect(signIn(email, 'secret', elsewhere())).rejects.toMatchObject(refused)
  })

  test('an unknown user name has the same limit', async () => {
    const name = `no-such-user-${transport}`
    await guess([name])
    await expect(signIn(name, 'x', elsewhere())).rejects.toMatchObject(refused)
  })

  test('the user can sign in from a network that they have used before', async () => {
    const { username } = await addUser()
    const home = elsewhere()
    const neighbour = home.replace('::1', '::ffff:2') // the same /64
    await signIn(username, 'secret', home)
    await guess([username])
    await signIn(username, 'secret', neighbour)
    await callBasic(username, 'secret', neighbour)
    await expect(signIn(username, 'secret', elsewhere())).rejects.toMatchObject(refused)
  })

  test('guesses from a known network use the limit of that network only', async () => {
    const { username } = await addUser()
    const home = elsewhere()
    await signIn(username, 'secret', home)
    await guess([username], 49)
    for (let count = 0; count < 10; count++)
      await expect(signIn(username, 'wrong', home)).rejects.toMatchObject(wrong)
    const another = signIn(username, 'secret', home)
    await expect(another).rejects.toMatchObject({ kind: 'too_many', limit: 10 })
    await signIn(username, 'secret', elsewhere()) // 49 of 50
  })

  test('sessions and tokens work while the account is blocked', async () => {
    const { username } = await addUser()
    const { key, session } = await signIn(username, 'secret', elsewhere())
    await guess([username])
    const address = elsewhere()
    await identity.authenticate({ authorization: `Token ${key}`, address }, anonymousCall())
    await identity.authenticate({ session, address }, anonymousCall())
  })

  test('a user who resets the password by mail can sign in from that network', async () => {
    const email = `reset-${transport}@example.org`
    const { id, username } = await addUser({ email })
    await guess([username])
    await identity.resetPassword({ body: { email } }, anonymousCall())
    const [, token = ''] = /token=(\w{40})/.exec(mails.at(-1)?.text ?? '') ?? []
    const password = 'Blue-Kettle-42'
    const chosen = { new_password1: password, new_password2: password }
    const address = elsewhere()
    const body = { uid: String(id), token, ...chosen }
    await identity.confirmPasswordReset({ body }, { ...anonymousCall(), address })
    await signIn(username, password, address)
  })

  test('an IPv4 address is one network in any notation', async () => {
    const { username } = await addUser()
    const written = ['203.0.113.9', '::ffff:203.0.113.9', '::ffff:cb00:7109', '203.0.113.9:4711']
    for (let count = 0; count < 10; count++)
      await expect(
        signIn(username, 'wrong', written[count % written.length] ?? ''),
      ).rejects.toMatchObject(wrong)
    for (const address of written)
      await expect(signIn(username, 'secret', address)).rejects.toMatchObject({ limit: 10 })
  })

  test('addresses in one IPv6 /64 share a limit', async () => {
    const { username } = await addUser()
    const prefix = elsewhere().replace('::1', '')
    for (let count = 0; count < 10; count++)
      await expect(signIn(username, 'wrong', `${prefix}::${count + 1}`)).rejects.toMatchObject(
        wrong,
      )
    const eleventh = signIn(username, 'secret', `${prefix}:1:2:3:4`)
    await expect(eleventh).rejects.toMatchObject({ kind: 'too_many', limit: 10 })
  })

  test('a network unused for 30 days is no longer known, and its row is deleted', async () => {
    const { id, username } = await addUser()
    const home = elsewhere()
    await signIn(username, 'secret', home)
    const origins = () =>
      db.selectFrom('password_origins').selectAll().where('user_id', '=', id).execute()
    await days(29)
    await purgeOrigins({ db, clock })
    expect(await origins()).toHaveLength(1)
    await days(1)
    await guess([username])
    await expect(signIn(username, 'secret', home)).rejects.toMatchObject(refused)
    await purgeOrigins({ db, clock })
    expect(await origins()).toEqual([])
  })
})
