import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { accountOf } from '../placeholder.ts'
import { anonymousCall, basic, testIdentity } from '../testing.ts'

/** Registration (`POST /auth/register`). */

const { db, mails, over, addUser, as, takeEvents } = await testIdentity()
const root = await addUser({ role: 'admin' })
const countOf = async () => (await db.selectFrom('users').select('id').execute()).length

describe.each(transports)('%s', (transport) => {
  const identity = over(transport)
  const strict = over(transport, { emailVerification: 'mandatory' })
  let count = 0
  const fine = (given: object = {}) => {
    const username = `new.${transport}.${++count}`
    const password = 'Blue-Kettle-42'
    return { username, password1: password, password2: password, ...given }
  }
  const register = (body: ReturnType<typeof fine>) => identity.register({ body }, anonymousCall())
  const refused = async (given: object, body: object) => {
    const before = await countOf()
    await expect(register(fine(given))).rejects.toMatchObject({ kind: 'invalid', body })
    expect(await countOf()).toBe(before)
  }

  test('creates a user who can sign in, and returns a key that signs them in', async () => {
    const body = fine({ email: `${transport}@Example.org`, first_name: 'Nell', last_name: 'Ode' })
    const { key, ...answer } = await register(body)
    expect(answer).toEqual({
      username: body.username,
      email: `${transport}@example.org`,
      first_name: 'Nell',
      last_name: 'Ode',
      email_verification_required: false,
    })
    expect(key).toMatch(/^[0-9a-f]{40}$/)
    const authorization = `Token ${key}`
    const { principal } = await identity.authenticate(
      { authorization, address: '' },
      anonymousCall(),
    )
    expect(principal).toMatchObject({ username: body.username, role: 'user' })
    const { username, password1: password } = body
    await identity.signIn({ body: { username, password } }, anonymousCall())
  })

  test('does not require an e-mail', async () => {
    expect(await register(fine())).toMatchObject({ email: '', first_name: '', last_name: '' })
  })

  test.each(['worker', 'admin', null] as const)('gives the configured role: %s', async (role) => {
    const other = over(transport, { defaultRole: role })
    const { key } = await other.register({ body: fine() }, anonymousCall())
    const authorization = `Token ${key}`
    const { principal } = await identity.authenticate(
      { authorization, address: '' },
      anonymousCall(),
    )
    expect(principal.role).toBe(role)
  })

  test('is rejected when it is disabled', async () => {
    const closed = over(transport, { registration: false })
    const before = await countOf()
    await expect(closed.register({ body: fine() }, anonymousCall())).rejects.toMatchObject({
      kind: 'forbidden',
      message: expect.stringMatching(/administrator.*RETICLE_PROJECTS_REGISTRATION=true/),
    })
    expect(await countOf()).toBe(before)
  })

  test('by an administrator works when it is disabled, but not with a token', async () => {
    const closed = over(transport, { registration: false })
    const caller = as(root)
    const body = fine()
    await takeEvents()
    await closed.register({ body }, caller)
    const [made] = await takeEvents()
    expect(JSON.parse(String(Object(made?.headers).actor))).toMatchObject({ id: root.id })
    const { username, password1: password } = body
    await identity.signIn({ body: { username, password } }, anonymousCall())
    const token = { id: 1, read_only: false }
    const principal = caller.principal && { ...caller.principal, token }
    for (const refused of [{ ...caller, principal }, as(await addUser())])
      await expect(closed.register({ body: fine() }, refused)).rejects.toMatchObject({
        kind: 'forbidden',
      })
  })

  test('names every taken field, without regard to case', async () => {
    const other = await addUser({ email: `${transport}-there@example.org` })
    await refused(
      { username: other.username.toUpperCase(), email: other.email.toUpperCase() },
      {
        username: ['A user with that username already exists.'],
        email: ['A user is already registered with this e-mail address.'],
      },
    )
    await refused({ username: other.email }, { username: [expect.any(String)] })
  })

  describe('for an invited address', () => {
    const invite = (email: string) => db.transaction().execute((tx) => accountOf(tx, email))
    const invited = async (name: string) => {
      const email = `${name}-${transport}@example.org`
      return { email, ...(await invite(email)) }
    }

    test('completes the account created by the invitation', async () => {
      const { id, email } = await invited('waiting')
      const before = await countOf()
      const body = fine({ email: email.toUpperCase(), first_name: 'Nell' })
      const { key } = await register(body)
      expect(await countOf()).toBe(before)
      const { principal } = await identity.authenticate(
        { authorization: `Token ${key}`, address: '' },
        anonymousCall(),
      )
      expect(principal).toMatchObject({ user_id: id, username: body.username, email, role: 'user' })
      expect(await identity.getUser({ id }, as(root))).toMatchObject({
        first_name: 'Nell',
        email,
        groups: ['user'],
        is_active: true,
      })
      expect(await invite(email)).toMatchObject({
        id,
        is_registered: true,
        is_email_verified: false,
      })
      await refused({ email }, { email: [expect.any(String)] })
    })

    test('rejects a taken name and leaves the invited account unregistered', async () => {
      const { id, email } = await invited('still-waiting')
      const other = await addUser()
      await refused({ email, username: other.username }, { username: [expect.any(String)] })
      expect(await invite(email)).toMatchObject({ id, is_registered: false })
      await register(fine({ email, username: email }))
      expect(await invite(email)).toMatchObject({
        id,
        is_registered: true,
        is_email_verified: false,
      })
    })

    test('is the only way to use the account; passwords and mails do not open it', async () => {
      const { email } = await invited('closed')
      const sent = mails.length
      for (const password of ['', 'x']) {
        const login = identity.signIn({ body: { email, password } }, anonymousCall())
        await expect(login).rejects.toMatchObject({ code: 'invalid_credentials' })
        const authorization = basic(email, password)
        const call = identity.authenticate({ authorization, address: '' }, anonymousCall())
        await expect(call).rejects.toMatchObject({ kind: 'unauthenticated' })
      }
      await identity.resetPassword({ body: { email } }, anonymousCall())
      await strict.resendEmail({ body: { email } }, anonymousCall())
      expect(mails).toHaveLength(sent)
    })

    test('requires verification when that is mandatory', async () => {
      const { id, email } = await invited('unverified')
      const body = fine({ email })
      expect(await strict.register({ body }, anonymousCall())).toMatchObject({ key: null })
      expect(mails.at(-1)).toMatchObject({ to: email, subject: 'Confirm your e-mail address' })
      expect(await invite(email)).toMatchObject({
        id,
        is_registered: true,
        is_email_verified: false,
      })
    })

    test('does not reactivate an account that an administrator deactivated', async () => {
      const { id, email } = await invited('deactivated')
      await identity.updateUser({ id, body: { is_active: false } }, as(root))
      await refused({ email }, { email: [expect.any(String)] })
    })
  })

  test('concurrent calls with one name create one user', async () => {
    const body = fine()
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => register(body)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'invalid' })
  })

  test('reports all faults of a password', async () => {
    await refused(
      { password1: '1234567', password2: '1234567' },
      {
        password1: [
          'This password is too short. It must contain at least 8 characters.',
          'This password is entirely numeric.',
        ],
      },
    )
    await refused(
      { username: 'margarethe', password1: 'Margarethe1', password2: 'Margarethe1' },
      { password1: ['The password is too similar to the username.'] },
    )
    await refused(
      { password2: 'Blue-Kettle-43' },
      { non_field_errors: ["The two password fields didn't match."] },
    )
  })

  test('with mandatory verification requires an e-mail and returns no key', async () => {
    await expect(strict.register({ body: fine() }, anonymousCall())).rejects.toMatchObject({
      kind: 'invalid',
      code: 'required',
      body: { email: ['This field is required.'] },
    })
    const body = fine({ email: `${transport}-strict@example.org` })
    expect(await strict.register({ body }, anonymousCall())).toMatchObject({
      email_verification_required: true,
      key: null,
    })
    const { username, password1: password } = body
    await expect(
      strict.signIn({ body: { username, password } }, anonymousCall()),
    ).rejects.toMatchObject({
      code: 'email_unverified',
    })
  })
})
