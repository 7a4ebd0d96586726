import { restOperations } from '@reticle/contracts'
import { projectRecord } from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { csrfFor } from '../../call/cookies.ts'
import { startTestGateway } from '../../testing/gateway.ts'
import { anna } from '../../testing/services.ts'

/** Session cookies and protection against forged requests (docs/spec/access.md#authentication). */

const csrf = csrfFor('anna')
const cookie = `sessionid=anna; csrftoken=${csrf}`
const { send, url } = await startTestGateway({
  services: {
    projects: {
      async getProject() {
        return projectRecord()
      },
      async deleteProject() {
        return undefined
      },
    },
  },
})
const sendWith = (
  method: 'GET' | 'HEAD' | 'DELETE',
  headers: Record<string, string>,
  as: string | null = null,
) => send('/api/projects/7', { method, as, headers })

test.each(['GET', 'HEAD'] as const)('%s only needs the session cookie', async (method) => {
  expect((await sendWith(method, { cookie: 'sessionid=anna' })).status).toBe(200)
})

test('a change needs the value of the CSRF cookie in a header', async () => {
  expect((await sendWith('DELETE', { cookie, 'x-csrftoken': csrf })).status).toBe(204)
})

describe('a change is refused', () => {
  const other = csrfFor('bo')
  test.each([
    ['without the header', { cookie }],
    ['with another value', { cookie, 'x-csrftoken': other }],
    ['with an empty one', { cookie: 'sessionid=anna; csrftoken=', 'x-csrftoken': '' }],
    ['without the cookie', { cookie: 'sessionid=anna', 'x-csrftoken': csrf }],
    [
      'with a pair of another session',
      { cookie: `sessionid=anna; csrftoken=${other}`, 'x-csrftoken': other },
    ],
    [
      'from the page of another site',
      { cookie, 'x-csrftoken': csrf, origin: 'https://elsewhere.org' },
    ],
    ['from a page without an origin', { cookie, 'x-csrftoken': csrf, origin: 'null' }],
  ])('%s', async (_, headers) => {
    const answer = await sendWith('DELETE', headers)
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'csrf_failed'])
    expect(answer.json()).toMatchObject({ detail: expect.stringMatching(/^CSRF Failed: /) })
  })
})

test.each([
  ['its own', () => url],
  ['its own behind a proxy that ends TLS', () => url.replace('http:', 'https:')],
])('a page of %s may make changes', async (_, origin) => {
  const headers = { cookie, 'x-csrftoken': csrf, origin: origin() }
  expect((await sendWith('DELETE', headers)).status).toBe(204)
})

const changes = restOperations.filter(({ method }) => method !== 'GET')
test.each(changes.map(({ method, path }) => [method, path] as const))(
  'a forged request %s %s is refused',
  async (method, path) => {
    const route = `/api${path.replace(/:\w+/g, '1')}`
    const answer = await send(route, { method: method ?? 'GET', as: null, headers: { cookie } })
    expect([answer.status, answer.headers['x-error-code']]).toEqual([403, 'csrf_failed'])
  },
)

describe('an expired session', () => {
  const dead = { cookie: 'sessionid=nobody' }

  test('is refused with 401', async () => {
    expect((await sendWith('GET', dead)).status).toBe(401)
  })

  test('counts as an anonymous caller on public routes', async () => {
    const answer = await send('/api/server/about', { as: null, headers: dead })
    expect(answer.status).toBe(200)
  })
})

describe('an Authorization header sent with a session cookie', () => {
  test('takes precedence, and no CSRF token is required', async () => {
    expect((await sendWith('DELETE', { cookie }, 'anna')).status).toBe(204)
  })

  test('is refused with 401 when it is wrong, without using the session', async () => {
    expect((await sendWith('GET', { cookie }, 'nobody')).status).toBe(401)
  })
})

test('only a renewed session gets its cookies again', async () => {
  const renewing = await startTestGateway({
    services: {
      identity: {
        async authenticate({ session }) {
          const principal = { ...anna, session_id: 1 }
          return { principal, is_deprecated: false, is_renewed: session === 'old' }
        },
      },
    },
  })
  const cookiesFor = async (value: string) => {
    const headers = { cookie: `sessionid=${value}` }
    const answer = await renewing.send('/api/server/about', { as: null, headers })
    return answer.headers['set-cookie']
  }
  expect(await cookiesFor('old')).toEqual([
    'sessionid=old; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax',
    `csrftoken=${csrfFor('old')}; Path=/; Max-Age=1209600; SameSite=Lax`,
  ])
  expect(await cookiesFor('young')).toBeUndefined()
})
