import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { nobody, testIdentity } from '../testing.ts'

/** `POST /auth/register`: `spec/api-workspace.md` 2.2. */

const { db, over, addUser } = await testIdentity()
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
  const register = (body: ReturnType<typeof fine>) => identity.register({ body }, nobody())
  const refused = async (given: object, body: object) => {
    const before = await countOf()
    await expect(register(fine(given))).rejects.toMatchObject({ kind: 'invalid', body })
    expect(await countOf()).toBe(before)
  }

  test('makes a user who can sign in, and is signed in by the key', async () => {
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
    const { principal } = await identity.authenticate({ authorization, address: '' }, nobody())
    expect(principal).toMatchObject({ username: body.username, role: 'user' })
    const { username, password1: password } = body
    await identity.signIn({ body: { username, password } }, nobody())
  })

  test('needs no e-mail', async () => {
    expect(await register(fine())).toMatchObject({ email: '', first_name: '', last_name: '' })
  })

  test.each(['worker', 'admin', null] as const)('gives the role it is told: %s', async (role) => {
    const other = over(transport, { defaultRole: role })
    const { key } = await other.register({ body: fine() }, nobody())
    const authorization = `Token ${key}`
    const { principal } = await identity.authenticate({ authorization, address: '' }, nobody())
    expect(principal.role).toBe(role)
  })

  test('is refused where it is switched off', async () => {
    const closed = over(transport, { registration: false })
    const before = await countOf()
    await expect(closed.register({ body: fine() }, nobody())).rejects.toMatchObject({
      kind: 'forbidden',
    })
    expect(await countOf()).toBe(before)
  })

  test('names every field that somebody else has, in any case', async () => {
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

  test('of many at once with one name makes one user', async () => {
    const body = fine()
    const ends = await Promise.allSettled(Array.from({ length: 5 }, () => register(body)))
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ kind: 'invalid' })
  })

  test('tells what is wrong with a password', async () => {
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

  test('with a mandatory verification needs an e-mail, and gives no key before', async () => {
    await expect(strict.register({ body: fine() }, nobody())).rejects.toMatchObject({
      kind: 'invalid',
      code: 'required',
      body: { email: ['This field is required.'] },
    })
    const body = fine({ email: `${transport}-strict@example.org` })
    expect(await strict.register({ body }, nobody())).toMatchObject({
      email_verification_required: true,
      key: null,
    })
    const { username, password1: password } = body
    await expect(strict.signIn({ body: { username, password } }, nobody())).rejects.toMatchObject({
      code: 'email_unverified',
    })
  })
})
