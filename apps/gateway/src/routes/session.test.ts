import { unauthenticated } from '@reticle/kit'
import { expect, test } from 'vitest'
import { csrfFor } from '../call/cookies.ts'
import { startTestGateway } from '../testing/gateway.ts'

/** Sign-in, sign-out and session cookies (docs/spec/access.md#sign-in-and-registration). */

const signedOut: unknown[] = []
const { send } = await startTestGateway({
  settings: { trustedHops: 1 },
  services: {
    identity: {
      async signIn({ body }, { address }) {
        if (body.password === 'wrong') throw unauthenticated('Unable to log in.')
        return { key: `key of ${body.username} at ${address}`, session: 'value' }
      },
      async signOut({ session }, { credential, principal }) {
        signedOut.push([session, credential, principal?.session_id])
        return { detail: 'Successfully logged out.' }
      },
      async confirmEmail({ key }) {
        return { location: `https://ui.example.org/auth/${key}` }
      },
    },
  },
})
const login = (password: string, headers: Record<string, string> = {}) =>
  send('/api/auth/login', {
    method: 'POST',
    as: null,
    headers,
    body: { username: 'anna', password },
  })
const csrf = csrfFor('value')

test('signing in returns only the key and sets both cookies', async () => {
  const answer = await login('right')
  expect(answer.status).toBe(200)
  expect(answer.json()).toEqual({ key: 'key of anna at 127.0.0.1' })
  expect(answer.headers['set-cookie']).toEqual([
    'sessionid=value; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax',
    `csrftoken=${csrf}; Path=/; Max-Age=1209600; SameSite=Lax`,
  ])
})

test('cookies of a TLS connection are secure, and still end in an attribute with a value', async () => {
  const { headers } = await login('right', { 'x-forwarded-proto': 'https' })
  expect(headers['set-cookie']).toEqual([
    'sessionid=value; Path=/; Max-Age=1209600; HttpOnly; Secure; SameSite=Lax',
    `csrftoken=${csrf}; Path=/; Max-Age=1209600; Secure; SameSite=Lax`,
  ])
})

test('a wrong password sets no cookies', async () => {
  const { status, headers } = await login('wrong')
  expect(status).toBe(401)
  expect(headers['set-cookie']).toBeUndefined()
})

test('a sign-in without a password is refused with the name of the field', async () => {
  const answer = await send('/api/auth/login', {
    method: 'POST',
    as: null,
    body: { username: 'anna' },
  })
  expect(answer.status).toBe(400)
  expect(answer.json()).toEqual({ password: ['This field is required.'] })
})

const cleared = [
  'sessionid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
  'csrftoken=; Path=/; Max-Age=0; SameSite=Lax',
]
const logout = (as: string | null, headers: Record<string, string>) =>
  send('/api/auth/logout', { method: 'POST', as, headers })

test('signing out ends the session and clears the cookies', async () => {
  const token = csrfFor('anna')
  const headers = { cookie: `sessionid=anna; csrftoken=${token}`, 'x-csrftoken': token }
  const answer = await logout(null, headers)
  expect(answer.status).toBe(200)
  expect(answer.headers['set-cookie']).toEqual(cleared)
  expect(signedOut.pop()).toEqual(['anna', undefined, 1])
})

test('signing out with a header also ends the session of the cookie', async () => {
  const { headers } = await logout('anna', { cookie: 'a=b; sessionid=value' })
  expect(headers['set-cookie']).toEqual(cleared)
  expect(signedOut.pop()).toEqual(['value', 'Token anna', undefined])
})

test('signing out succeeds without a caller and with an expired session', async () => {
  for (const [cookie, expected] of [
    ['', undefined],
    ['a=b', undefined],
    ['sessionid=old', cleared],
    ['csrftoken=old', cleared],
  ] as const) {
    const answer = await logout(null, { cookie })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, expected])
  }
})

test('signing out with only a token sets no cookies', async () => {
  for (const mount of ['', '/as/cvat']) {
    const path = `${mount}/api/auth/logout`
    const answer = await send(path, { method: 'POST', headers: { cookie: 'theme=dark' } })
    expect([answer.status, answer.headers['set-cookie']]).toEqual([200, undefined])
    expect(signedOut.pop()).toEqual([undefined, 'Token anna', undefined])
  }
})

test('the link in an email redirects to a page', async () => {
  const answer = await send('/api/auth/account-confirm-email/good', { as: null })
  const { location, 'cache-control': caching } = answer.headers
  expect([answer.status, location, caching]).toEqual([
    302,
    'https://ui.example.org/auth/good',
    'no-store',
  ])
})
