import { projectRecord } from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { csrfFor } from '../call/cookies.ts'
import { readConfig } from '../config.ts'
import { startTestGateway } from '../testing/gateway.ts'

/** CORS: access by pages of other origins. */

const page = 'https://app.example.org'
const { send } = await startTestGateway({
  settings: { corsOrigins: [page, 'http://localhost:3000'] },
  services: {
    projects: {
      async getProject({ id }) {
        if (id === 500) throw new Error('a bug')
        return projectRecord()
      },
      async deleteProject() {
        return undefined
      },
    },
  },
})
const preflight = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization, x-organization',
}
const listed = (header: unknown) => String(header).toLowerCase().split(', ')

describe.each([
  ['an answer', '/api/projects/7', 'anna', 200],
  ['a missing credential', '/api/projects/7', null, 401],
  ['a missing object', '/api/tasks/7', 'anna', 404],
  ['an unknown path', '/api/nowhere', 'anna', 404],
  ['a path that is none', '/api/projects/%zz', 'anna', 400],
  ['a wrong shape', '/api/projects?status=x', 'anna', 400],
  ['an error of ours', '/api/projects/500', 'anna', 500],
])('%s', (_, path, as, status) => {
  test('is accessible to a page with an allowed origin', async () => {
    const answer = await send(path, { as, headers: { origin: page } })
    expect(answer.status).toBe(status)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': page,
      'access-control-allow-credentials': 'true',
      vary: expect.stringContaining('Origin'),
    })
    const exposed = listed(answer.headers['access-control-expose-headers'])
    for (const name of ['x-request-id', 'x-error-code', 'x-ratelimit-reset', 'location', 'etag'])
      expect(exposed).toContain(name)
  })

  test.each([
    ['of another origin', { origin: 'https://app.example.org.evil.com' }],
    ['of the same host over another scheme', { origin: 'http://app.example.org' }],
    ['without an origin of its own', { origin: 'null' }],
    ['that is none', {}],
  ])('is not accessible to a page %s', async (_who, headers) => {
    const answer = await send(path, { as, headers })
    expect(answer.status).toBe(status)
    const names = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
    expect(names).toEqual([])
    expect(answer.headers.vary).toContain('Origin')
  })
})

test('a preflight request of an allowed page needs no credential', async () => {
  const headers = { origin: 'http://localhost:3000', ...preflight }
  const answer = await send('/api/projects/7', { method: 'OPTIONS', as: null, headers })
  expect(answer).toMatchObject({ status: 204, text: '' })
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '600',
    allow: expect.stringContaining('PATCH'),
  })
  expect(listed(answer.headers['access-control-allow-methods'])).toContain('patch')
  const allowed = listed(answer.headers['access-control-allow-headers'])
  for (const name of [
    ...['authorization', 'content-type', 'x-organization', 'x-csrftoken', 'upload-offset'],
    ...['upload-length', 'upload-metadata', 'tus-version', 'tus-resumable', 'upload-start'],
    ...['upload-finish', 'upload-multiple', 'if-match'],
  ])
    expect(allowed).toContain(name)
})

test('a preflight request of another page gets only the general OPTIONS response', async () => {
  const headers = { origin: 'https://elsewhere.org', ...preflight }
  const answer = await send('/api/projects/7', { method: 'OPTIONS', as: null, headers })
  expect(answer.status).toBe(204)
  expect(answer.headers.allow).toContain('PATCH')
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  expect(answer.headers).not.toHaveProperty('access-control-allow-methods')
})

test.each<Record<string, string>>([{ origin: page, ...preflight }, { origin: page }, {}])(
  'OPTIONS of an unknown path is 404, also for %j',
  async (headers) => {
    for (const path of ['/api/nowhere', '/nowhere']) {
      const answer = await send(path, { method: 'OPTIONS', as: null, headers })
      expect([path, answer.status]).toEqual([path, 404])
    }
  },
)

test('an allowed page may make changes with session cookies', async () => {
  const csrf = csrfFor('anna')
  const cookie = `sessionid=anna; csrftoken=${csrf}`
  const asIf = async (headers: Record<string, string>) =>
    (await send('/api/projects/7', { method: 'DELETE', as: null, headers })).status
  expect(await asIf({ cookie, 'x-csrftoken': csrf, origin: page })).toBe(204)
  expect(await asIf({ cookie, origin: page })).toBe(403)
  expect(await asIf({ cookie, 'x-csrftoken': csrf, origin: 'https://elsewhere.org' })).toBe(403)
})

test.each(['*', 'app.example.org', 'https://app.example.org/', 'https://*.example.org'])(
  '%s is refused as an allowed origin',
  (given) => {
    const read = () =>
      readConfig({ RETICLE_GATEWAY_CORS_ORIGINS: `https://ok.example.org,${given}` })
    expect(read).toThrow(/RETICLE_GATEWAY_CORS_ORIGINS: Expected origins such as/)
  },
)
