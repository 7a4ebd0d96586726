import { projectRecord } from '@reticle/contracts/testing/records'
import { notFound } from '@reticle/kit'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const seen: unknown[] = []
const { send, url, raw } = await startTestGateway({
  services: {
    projects: {
      async getProject({ id }) {
        if (id !== 7) throw notFound()
        return projectRecord()
      },
      async listProjects(input) {
        seen.push(input)
        return { count: 25, results: [projectRecord()] }
      },
      async createProject({ body }) {
        return projectRecord({ name: body.name })
      },
      async updateProject(input) {
        seen.push(input)
        return projectRecord()
      },
      async deleteProject() {
        return undefined
      },
    },
    identity: {
      async signOut(_input, { credential }) {
        return { detail: String(credential) }
      },
    },
    requests: {
      async cancelRequest() {
        return undefined
      },
      async getTaskStatus() {
        return { state: 'Finished' as const, message: '', progress: 1 }
      },
    },
  },
})
const tag = `"7-${Date.parse(projectRecord().updated_date).toString(36)}"`

test('a record has absolute links, its entity tag and the media type of the API', async () => {
  const { status, headers, json } = await send('/api/projects/7')

  expect(status).toBe(200)
  expect(headers).toMatchObject({ 'content-type': 'application/vnd.service+json', etag: tag })
  expect(json()).toMatchObject({
    url: `${url}/api/projects/7`,
    owner: { url: `${url}/api/users/3` },
    tasks: { url: `${url}/api/tasks?project_id=7` },
  })
})

test('a deprecated operation names its successor', async () => {
  const { headers, json } = await send('/api/tasks/12/status/')
  expect(json()).toEqual({ state: 'Finished', message: '', progress: 1 })
  expect(headers).toMatchObject({
    deprecation: 'true',
    link: `<${url}/api/requests?action=create&task_id=12>; rel="successor-version"`,
  })
  expect((await send('/api/projects/7')).headers).not.toHaveProperty('deprecation')
})

test('a record with a known entity tag returns 304 without a body', async () => {
  const answer = await send('/api/projects/7', { headers: { 'if-none-match': `"x", W/${tag}` } })
  expect(answer).toMatchObject({ status: 304, text: '', headers: { etag: tag } })
})

test.each(['POST', 'PATCH'] as const)(
  'the response to %s contains the entity tag',
  async (method) => {
    const path = method === 'POST' ? '/api/projects' : '/api/projects/7'
    const { headers } = await send(path, { method, body: { name: 'a' } })
    expect(headers.etag).toBe(tag)
  },
)

test('every response contains the version, the request id and the Vary header', async () => {
  const { headers } = await send('/api/projects/7', { headers: { 'x-request-id': 'my-own-id' } })
  expect(headers).toMatchObject({
    'x-service-version': '2.58.1',
    'x-request-id': 'my-own-id',
    vary: 'Accept, Authorization, Cookie, Origin, X-Organization',
    'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'SAMEORIGIN',
  })
})

test('a request id with unsafe characters is replaced', async () => {
  const { headers } = await send('/api/projects/7', { headers: { 'x-request-id': 'a b' } })
  expect(headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
})

test('links to neighbouring pages keep all parameters', async () => {
  const { json } = await send('/api/projects?page=2&name=a%26b&unknown=1')
  expect(json()).toMatchObject({
    count: 25,
    next: `${url}/api/projects?page=3&name=a%26b&unknown=1`,
    previous: `${url}/api/projects?page=1&name=a%26b&unknown=1`,
  })
})

test.each([
  ['a question mark', 'GET /api/projects?name=a?b'],
  ['an address in absolute form', 'GET http://labels.example.org/api/projects?name=a?b'],
])('page links are correct for %s', async (_, line) => {
  const headers = 'Host: labels.example.org\r\nAuthorization: Token anna\r\nConnection: close'
  const answer = await raw(`${line} HTTP/1.1\r\n${headers}\r\n\r\n`)
  expect(answer).toContain('"next":"http://labels.example.org/api/projects?name=a%3Fb&page=2"')
})

test.each([
  ['', 2, null],
  ['?page=last', null, 2],
  ['?page_size=all', null, null],
  ['?page_size=25', null, null],
  ['?page_size=24', 2, null],
])('the page %s has the right neighbours', async (query, next, previous) => {
  const { json } = await send(`/api/projects${query}`)
  const number = (link: unknown) =>
    link ? Number(new URL(String(link)).searchParams.get('page')) : null
  const page = json()
  expect(number(Reflect.get(Object(page), 'next'))).toBe(next)
  expect(number(Reflect.get(Object(page), 'previous'))).toBe(previous)
})

test('the service receives only declared parameters', async () => {
  await send('/api/projects?name=a&unknown=1&unknown=2')
  expect(seen.at(-1)).toEqual({ name: 'a' })
})

test('If-Match reaches the service', async () => {
  await send('/api/projects/7', { method: 'PATCH', body: {}, headers: { 'if-match': tag } })
  expect(seen.at(-1)).toEqual({ id: 7, if_match: tag, body: {} })
})

test('signing out passes the credential to the service', async () => {
  const { json } = await send('/api/auth/logout', { method: 'POST' })
  expect(json()).toEqual({ detail: 'Token anna' })
})

test.each(['/api/projects/7/', '/api/projects/7'])('%s is the same resource', async (path) => {
  expect((await send(path)).status).toBe(200)
})

test('HEAD is GET without a body', async () => {
  const got = await send('/api/projects/7')
  const { status, headers, text } = await send('/api/projects/7', { method: 'HEAD' })
  expect({ status, text }).toEqual({ status: 200, text: '' })
  expect(headers).toMatchObject({ etag: tag, 'content-length': got.headers['content-length'] })
})

test('OPTIONS lists the allowed methods without a credential', async () => {
  const answer = await send('/api/tasks/1/annotations/', { method: 'OPTIONS', as: null })
  expect(answer).toMatchObject({ status: 204, text: '' })
  const allow = String(answer.headers.allow).split(', ')
  expect(allow.toSorted()).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'])
})

test.each([
  ['PUT', '/api/projects/1'],
  ['DELETE', '/api/projects'],
  ['POST', '/api/requests/x'],
  ['TRACE', '/api/projects'],
  ['PROPFIND', '/api/projects'],
  ['QUERY', '/api/projects'],
  ['DELETE', '/api/auth/access_tokens/self'],
] as const)('%s %s is 405 and names what is allowed', async (method, path) => {
  const answer = await send(path, { method, as: null })
  expect(answer.status).toBe(405)
  expect(answer.headers.allow).toContain('OPTIONS')
  expect(answer.json()).toMatchObject({
    detail: `Method "${method}" not allowed.`,
    code: 'method_not_allowed',
  })
})

test.each([
  ['/api/projects/7/annotations', 'anna', 410],
  ['/api/projects/7/annotations/?format=x', 'anna', 410],
  ['/api/projects/x/annotations', 'anna', 404],
  ['/api/projects/7/annotations', null, 401],
])('removed operation %s for %s: %i', async (path, as, status) => {
  expect((await send(path, { as })).status).toBe(status)
})

test.each(['PROPFIND', 'QUERY'])('%s of an unknown path is 404', async (method) => {
  const answer = await raw(
    `${method} /api/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1.1 404 /)
})

test('an operation without a result has an empty response', async () => {
  const path = '/api/requests/action%3Dexport/cancel'
  const cancelled = await send(path, { method: 'POST' })
  expect(cancelled).toMatchObject({ status: 200, text: '' })
  const deleted = await send('/api/projects/7', { method: 'DELETE' })
  expect(deleted).toMatchObject({ status: 204, text: '' })
})

test('a header that overrides the method is ignored', async () => {
  const headers = { 'x-http-method-override': 'DELETE' }
  expect((await send('/api/projects', { headers })).json()).toMatchObject({ count: 25 })
})
