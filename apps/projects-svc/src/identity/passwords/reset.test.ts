import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import type { Mail, Mailer } from '../mail/mailer.ts'
import { anonymousCall, basic, testIdentity } from '../testing.ts'

/** Password reset by mail. */

const { mails, over, addUser, as, days } = await testIdentity()
const root = await addUser({ role: 'admin' })
const fresh = 'Blue-Kettle-42'

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  let count = 0
  const addPerson = (given = {}) =>
    addUser({ email: `reset-${transport}-${++count}@example.org`, ...given })
  const ask = (email: string) => identity.resetPassword({ body: { email } }, anonymousCall())

  async function requestReset() {
    const user = await addPerson()
    await ask(user.email)
    const [, uid = '', token = ''] = /\?uid=(\w+)&token=(\w+)/.exec(mails.at(-1)?.text ?? '') ?? []
    return { user, uid, token }
  }
  const confirm = (uid: string, token: string, given: object = {}) =>
    identity.confirmPasswordReset(
      { body: { uid, token, new_password1: fresh, new_password2: fresh, ...given } },
      anonymousCall(),
    )
  const come = (username: string, password: string) =>
    identity.authenticate(
      { authorization: basic(username, password), address: '' },
      anonymousCall(),
    )
  const badToken = { kind: 'invalid', body: { token: ['Invalid value'] } }
  const badUid = { kind: 'invalid', body: { uid: ['Invalid value'] } }

  test('the mail links to the page for a new password', async () => {
    const { user, uid, token } = await requestReset()
    expect(mails.at(-1)).toMatchObject({ to: user.email, subject: 'Choose a new password' })
    expect(mails.at(-1)?.text).toContain(
      `https://ui.example.org/auth/password/reset/confirm?uid=${user.id}&token=${token}`,
    )
    expect(await confirm(uid, token)).toEqual({
      detail: 'Password has been reset with the new password.',
    })
    await come(user.username, fresh)
    const old = come(user.username, 'secret')
    await expect(old).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('all addresses get the same response, with or without an account', async () => {
    const removed = await addPerson({ is_active: false })
    const before = mails.length
    for (const email of [removed.email, 'nobody@example.org'])
      expect(await ask(email)).toEqual({ detail: 'Password reset e-mail has been sent.' })
    expect(mails).toHaveLength(before)
    const user = await addPerson()
    expect(await ask(user.email.toUpperCase())).toEqual({
      detail: 'Password reset e-mail has been sent.',
    })
    expect(mails.at(-1)?.to).toBe(user.email)
  })

  test('a token works once, for three days, and until the next mail', async () => {
    const { uid, token } = await requestReset()
    await confirm(uid, token)
    await expect(confirm(uid, token)).rejects.toMatchObject(badToken)

    const late = await requestReset()
    await days(3)
    await expect(confirm(late.uid, late.token)).rejects.toMatchObject(badToken)

    const first = await requestReset()
    await ask(first.user.email)
    await expect(confirm(first.uid, first.token)).rejects.toMatchObject(badToken)
  })

  test('concurrent uses of one token succeed once', async () => {
    const { uid, token } = await requestReset()
    const ends = await Promise.allSettled([1, 2, 3].map(() => confirm(uid, token)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  test('a mismatch of user and token is rejected with an error of the field', async () => {
    const { uid, token } = await requestReset()
    const other = await requestReset()
    await expect(confirm(uid, 'x')).rejects.toMatchObject(badToken)
    await expect(confirm(other.uid, token)).rejects.toMatchObject(badToken)
    for (const wrong of ['999999', 'abc', '0', '-1', '99999999999'])
      await expect(confirm(wrong, token)).rejects.toMatchObject(badUid)
    await confirm(uid, token)
  })

  test('a rejected password leaves the token valid', async () => {
    const { uid, token } = await requestReset()
    const short = confirm(uid, token, { new_password1: 'kettle', new_password2: 'kettle' })
    await expect(short).rejects.toMatchObject({
      kind: 'invalid',
      body: { new_password2: [expect.stringContaining('too short')] },
    })
    const unequal = confirm(uid, token, { new_password2: 'Blue-Kettle-43' })
    await expect(unequal).rejects.toMatchObject({ kind: 'invalid' })
    await confirm(uid, token)
  })

  test('a reset ends all sessions and legacy tokens', async () => {
    const { user, uid, token } = await requestReset()
    const body = { username: user.username, password: 'secret' }
    const { key, session } = await identity.signIn({ body }, anonymousCall())
    await confirm(uid, token)
    for (const way of [{ authorization: `Token ${key}` }, { session }])
      await expect(
        identity.authenticate({ ...way, address: '' }, anonymousCall()),
      ).rejects.toMatchObject({
        kind: 'unauthenticated',
      })
  })

  test('a token is invalid after a change of password or e-mail', async () => {
    const one = await requestReset()
    const body = { old_password: 'secret', new_password1: fresh, new_password2: fresh }
    await identity.changePassword({ body }, as(one.user))
    await expect(confirm(one.uid, one.token)).rejects.toMatchObject(badToken)

    const two = await requestReset()
    const email = `moved-${two.user.email}`
    await identity.updateUser({ id: two.user.id, body: { email } }, as(root))
    await expect(confirm(two.uid, two.token)).rejects.toMatchObject(badToken)
  })

  test('a deactivated user cannot reset the password', async () => {
    const { user, uid, token } = await requestReset()
    await identity.updateUser({ id: user.id, body: { is_active: false } }, as(root))
    await expect(confirm(uid, token)).rejects.toMatchObject(badUid)
  })

  test('a server that keeps its mails refers to an administrator in the response', async () => {
    const kept: Mail[] = []
    const mailer: Mailer = { keepsMails: true, send: async (mail) => void kept.push(mail) }
    const identity = over(transport, {}, mailer)
    const user = await addPerson()
    const answers: unknown[] = []
    for (const email of [user.email, user.email.toUpperCase(), 'nobody@example.org'])
      answers.push(await identity.resetPassword({ body: { email } }, anonymousCall()))
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(answers[0]).toEqual({
      detail: expect.stringMatching(/sends no e-mails.*administrator hands it over/),
    })
    expect(kept.map(({ to }) => to)).toEqual([user.email, user.email])
  })

  test('without a mailer every request is rejected', async () => {
    const unmailed = over(transport, {}, null)
    const attempt = unmailed.resetPassword(
      { body: { email: 'nobody@example.org' } },
      anonymousCall(),
    )
    await expect(attempt).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'email_not_configured',
    })
  })
})
