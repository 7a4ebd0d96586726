import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { anonymousCall, testIdentity } from '../testing.ts'

/** Verification of an e-mail. */

const { db, mails, over, addUser, as, days } = await testIdentity()
const root = await addUser({ role: 'admin' })
const link = 'https://label.example.org/api/auth/account-confirm-email/'
const password = 'Blue-Kettle-42'

describe.each(transports)('%s', (transport) => {
  const mandatory = { emailVerification: 'mandatory' } as const
  const identity = over(transport, mandatory)
  const relaxed = over(transport)
  const unmailed = over(transport, mandatory, null)
  let count = 0

  async function register() {
    const username = `fresh.${transport}.${++count}`
    const email = `${username}@example.org`
    const body = { username, email, password1: password, password2: password }
    await identity.register({ body }, anonymousCall())
    const signIn = () => identity.signIn({ body: { username, password } }, anonymousCall())
    return { username, email, signIn, key: newestKey() }
  }
  const newestKey = () => /confirm-email\/(\w+)/.exec(mails.at(-1)?.text ?? '')?.[1] ?? ''
  const verify = (key: string) => identity.verifyEmail({ body: { key } }, anonymousCall())
  const unverified = { kind: 'invalid', code: 'email_unverified' }
  const badKey = { kind: 'invalid', body: { key: ['Invalid value'] } }

  test('a registered user gets a key by mail, which allows signing in and works once', async () => {
    const { email, username, signIn, key } = await register()
    expect(mails.at(-1)).toMatchObject({ to: email, subject: 'Confirm your e-mail address' })
    expect(mails.at(-1)?.text).toContain(`${link}${key}`)
    expect(mails.at(-1)?.text).toContain(username)
    await expect(signIn()).rejects.toMatchObject(unverified)
    const last = newestKey()
    expect(await verify(last)).toEqual({ detail: 'ok' })
    await signIn()
    await expect(verify(last)).rejects.toMatchObject(badKey)
  })

  test('a sign-in before verification sends a new key and invalidates the earlier one', async () => {
    const { signIn, key } = await register()
    await expect(signIn()).rejects.toMatchObject(unverified)
    expect(newestKey()).not.toBe(key)
    await expect(verify(key)).rejects.toMatchObject(badKey)
    await verify(newestKey())
  })

  test('a wrong password sends no mail', async () => {
    const { username } = await register()
    const before = mails.length
    const attempt = identity.signIn({ body: { username, password: 'x' } }, anonymousCall())
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_credentials' })
    expect(mails).toHaveLength(before)
  })

  test('a key expires after three days', async () => {
    const { key } = await register()
    const other = await register()
    await days(3)
    await expect(verify(key)).rejects.toMatchObject(badKey)
    await expect(verify(other.key)).rejects.toMatchObject(badKey)
    await expect(verify('x')).rejects.toMatchObject(badKey)
  })

  test('a key is invalid after the e-mail has changed', async () => {
    const { email, key } = await register()
    const { id } = await db
      .selectFrom('users')
      .select('id')
      .where('email', '=', email)
      .executeTakeFirstOrThrow()
    await identity.updateUser({ id, body: { email: `other-${email}` } }, as(root))
    await expect(verify(key)).rejects.toMatchObject(badKey)
  })

  test('a key is sent again only to an unverified account, with the same response for all', async () => {
    const { email } = await register()
    const done = await addUser({ email: `${transport}-done@example.org`, is_email_verified: true })
    const removed = await addUser({ email: `${transport}-gone@example.org`, is_active: false })
    const before = mails.length
    for (const one of [email.toUpperCase(), done.email, removed.email, 'nobody@example.org'])
      expect(await identity.resendEmail({ body: { email: one } }, anonymousCall())).toEqual({
        detail: 'Verification e-mail has been sent.',
      })
    expect(mails.slice(before).map(({ to }) => to)).toEqual([email])
    await verify(newestKey())
  })

  test('no mail is sent when verification is off', async () => {
    const user = await addUser({ email: `${transport}-relaxed@example.org` })
    const before = mails.length
    await relaxed.resendEmail({ body: { email: user.email } }, anonymousCall())
    expect(mails).toHaveLength(before)
  })

  test('the link redirects to the page of its result', async () => {
    const { signIn, key } = await register()
    expect(await identity.confirmEmail({ key }, anonymousCall())).toEqual({
      location: 'https://ui.example.org/auth/email-confirmation',
    })
    await signIn()
    expect(await identity.confirmEmail({ key }, anonymousCall())).toEqual({
      location: 'https://ui.example.org/auth/incorrect-email-confirmation',
    })
    const off = relaxed.confirmEmail({ key }, anonymousCall())
    await expect(off).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('registration fails when verification is mandatory and no mailer is configured', async () => {
    const notConfigured = { kind: 'unavailable', code: 'email_not_configured' }
    const body = {
      username: `unmailed.${transport}`,
      email: `unmailed-${transport}@example.org`,
      password1: password,
      password2: password,
    }
    await expect(unmailed.register({ body }, anonymousCall())).rejects.toMatchObject(notConfigured)
    const resend = unmailed.resendEmail({ body }, anonymousCall())
    await expect(resend).rejects.toMatchObject(notConfigured)
    const { email } = await addUser({ email: body.email })
    const login = unmailed.signIn({ body: { email, password: 'secret' } }, anonymousCall())
    await expect(login).rejects.toMatchObject(unverified)
  })

  test('only a hash of a key is stored', async () => {
    const { key } = await register()
    const rows = await db.selectFrom('mailed_keys').select('key_hash').execute()
    expect(rows.map(({ key_hash }) => key_hash.toString('latin1')).join()).not.toContain(key)
  })
})
