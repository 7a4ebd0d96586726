import { expect, test } from 'vitest'
import { type AnyJson, createApiClient } from '../../support/client.ts'
import { createUserFactory, password, type RegisteredUser, statusOf } from '../../support/people.ts'
import { useTestServer } from '../../support/test-server.ts'

/** The key of a sign-in becomes invalid with its session, however the session ended. */

const reticle = useTestServer()
const { newPerson } = createUserFactory(() => reticle)
const newPassword = `${password}-new`

interface SignIn {
  key: string
  /** The cookies of the session, and the header that its writes need. */
  headers: Record<string, string>
}

async function signIn({ username }: RegisteredUser): Promise<SignIn> {
  const json = { username, password }
  const answer = await createApiClient(`${reticle.url}/api`).call('POST', '/auth/login', { json })
  expect(answer.status, answer.text).toBe(200)
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0] ?? '')
  const csrf = cookies.find((cookie) => cookie.startsWith('csrftoken='))?.split('=')[1] ?? ''
  const headers = { cookie: cookies.join('; '), 'x-csrftoken': csrf, origin: reticle.url }
  return { key: answer.body.key, headers }
}

const byKey = ({ key }: SignIn) => createApiClient(`${reticle.url}/api`, `Token ${key}`)
const byCookie = ({ headers }: SignIn, method: string, path: string, json?: AnyJson) =>
  createApiClient(`${reticle.url}/api`).call(method, path, { headers, json })

interface Way {
  how: string
  end: (person: RegisteredUser, one: SignIn) => Promise<unknown>
}

const ways: Way[] = [
  { how: 'signing out by the key', end: (_, one) => byKey(one).done('POST', '/auth/logout') },
  {
    how: 'signing out by the cookie of the session',
    end: (_, one) => byCookie(one, 'POST', '/auth/logout'),
  },
  {
    how: 'a new password, set with the old one',
    end: ({ api }) =>
      api.done('POST', '/auth/password/change', {
        json: { old_password: password, new_password1: newPassword, new_password2: newPassword },
      }),
  },
  {
    how: 'the deactivation of the account, also after it is active again',
    end: async ({ id }) => {
      await reticle.admin.done('PATCH', `/users/${id}`, { json: { is_active: false } })
      await reticle.admin.done('PATCH', `/users/${id}`, { json: { is_active: true } })
    },
  },
  {
    how: 'the deletion of the account',
    end: ({ id }) => reticle.admin.done('DELETE', `/users/${id}`),
  },
]

test.each(ways)('a key and its session become invalid by $how', async ({ end }) => {
  const person = await newPerson()
  const one = await signIn(person)
  expect(await statusOf(byKey(one), 'GET', '/users/self')).toBe(200)
  expect((await byCookie(one, 'GET', '/users/self')).status).toBe(200)

  await end(person, one)

  expect(await statusOf(byKey(one), 'GET', '/users/self')).toBe(401)
  expect((await byCookie(one, 'GET', '/users/self')).status).toBe(401)
  for (const scheme of ['token', 'TOKEN', 'Bearer']) {
    const again = createApiClient(`${reticle.url}/api`, `${scheme} ${one.key}`)
    expect(await statusOf(again, 'GET', '/users/self'), scheme).toBe(401)
  }
})
