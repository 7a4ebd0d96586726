import { beforeEach, describe, expect, test } from 'vitest'
import { csrfFor } from '../../call/cookies.ts'
import { startTestGateway } from '../../testing/gateway.ts'

/** Sessions that clients of a dialect expect where the native API starts none. */

const mount = '/as/cvat/api'
const body = { username: 'bertha', password1: 'a-long-password', password2: 'a-long-password' }
const passwords = { old_password: 'a', new_password1: 'b', new_password2: 'b' }
let key: string | null = 'k'
let signedIn: unknown[] = []
beforeEach(() => {
  key = 'k'
  signedIn = []
})

const { send } = await startTestGateway({
  services: {
    identity: {
      register: async () => ({
        ...{ username: 'bertha', email: '', first_name: '', last_name: '' },
        ...{ email_verification_required: key === null, key },
      }),
      signIn: async (input) => {
        signedIn.push(input)
        return { key: 'other', session: 'the-session' }
      },
      changePassword: async () => ({ detail: 'New password has been saved.' }),
    },
  },
})
const register = (api: string, as: string | null = null) =>
  send(`${api}/auth/register`, { method: 'POST', as, body })

describe('a registration', () => {
  test('below the mount signs in with cookies', async () => {
    const { status, headers, json } = await register(mount)
    expect([status, Object(json()).key]).toEqual([201, 'k'])
    const cookies = [headers['set-cookie']].flat().map((cookie) => cookie?.split('=')[0])
    expect(cookies).toEqual(['sessionid', 'csrftoken'])
    const { username, password1: password } = body
    expect(signedIn).toEqual([{ body: { username, password } }])
  })

  test.each([
    ['beside the mount', () => register('/api')],
    ['of another account by an administrator', () => register(mount, 'boss')],
    [
      'of an address that has to be verified first',
      () => {
        key = null
        return register(mount)
      },
    ],
  ])('%s sets no cookies', async (_, attempt) => {
    const { status, headers } = await attempt()
    expect([status, headers['set-cookie'], signedIn]).toEqual([201, undefined, []])
  })
})

test.each(['/api', mount])(
  'a change of the password with a token sets no cookies on %s',
  async (api) => {
    const changed = await send(`${api}/auth/password/change`, { method: 'POST', body: passwords })
    expect([changed.status, changed.headers['set-cookie']]).toEqual([200, undefined])
  },
)

test('a password change in a session below the mount sets its cookies again', async () => {
  const csrf = csrfFor('anna')
  const headers = { cookie: `sessionid=anna; csrftoken=${csrf}`, 'x-csrftoken': csrf }
  const change = (api: string) =>
    send(`${api}/auth/password/change`, { method: 'POST', as: null, headers, body: passwords })
  const changed = await change(mount)
  expect([changed.status, [changed.headers['set-cookie']].flat()]).toEqual([
    200,
    [expect.stringMatching(/^sessionid=anna; .*Max-Age=\d+/), expect.stringContaining(csrf)],
  ])
  expect((await change('/api')).headers['set-cookie']).toBeUndefined()
})
