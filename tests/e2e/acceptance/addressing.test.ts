import { restOperations } from '@reticle/contracts'
import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test } from 'vitest'
import { bodies, queries } from '../../support/accepted.ts'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Addresses, content types and the format of errors. */

const password = 'a-password-of-some-length'
let reticle: ServerUnderTest
let admin: ApiClient
let anna: ApiClient
let foreign: AnyJson
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
  const [username, email] = ['addressing', 'addressing@example.org'] // a user that no other test file creates
  await addPerson(await reticle.people(), { username, password, email, role: 'user' })
  const basic = Buffer.from(`${username}:${password}`).toString('base64')
  anna = createApiClient(admin.api, `Basic ${basic}`)
  const json = { name: 'of the administrator' }
  foreign = await admin.done('POST', '/projects', { json })
})

const missing = '999999'
const filled = (route: string) =>
  route.replace(':key', 'k'.repeat(64)).replace(/:\w+/g, missing).replace(/\/$/, '')
/** Calls whose repetition returns the same answer: not those that create sessions or set deadlines. */
const isRepeatable = ({ name }: { name: string }) => !/^(?:login|logout|create|register)/.test(name)
const routes = restOperations.map((one) => [`${one.method} ${one.path}`, one] as const)

describe('trailing slashes of paths', () => {
  test.each(routes.filter(([, one]) => isRepeatable(one)))(
    '%s behaves the same with and without a trailing slash, and never redirects',
    async (_, { name, method, path: route }) => {
      const [json, query = ''] = [bodies[name], queries[name] ?? '']
      const call = async (address: string) => {
        const answer = await anna.call(String(method), `${address}${query}`, { json })
        return [answer.status, answer.headers.get('x-error-code')]
      }
      const [without, withSlash] = [await call(filled(route)), await call(`${filled(route)}/`)]
      expect(withSlash).toEqual(without)
      if (!route.includes('account-confirm')) expect([301, 302, 307, 308]).not.toContain(without[0])
    },
  )

  test('existing resources are also served with a trailing slash', async () => {
    const of = async (address: string) => (await admin.call('GET', address)).body
    expect(await of(`/projects/${foreign.id}/`)).toEqual(await of(`/projects/${foreign.id}`))
    const made = await admin.call('POST', '/projects/', { json: { name: 'with a slash' } })
    expect(made.status).toBe(201)
    expect((await admin.call('DELETE', `/projects/${made.body.id}/`)).status).toBe(204)
  })
})

const service = 'application/vnd.service+json'
describe('the Accept header', () => {
  test.each<[string | undefined, number, string]>([
    [undefined, 200, service],
    ['*/*', 200, service],
    ['application/*', 200, service],
    [service, 200, service],
    ['application/json', 200, 'application/json'],
    [`application/json;q=0.5, ${service}`, 200, service],
    ['application/vnd.cvat+json', 200, 'application/vnd.cvat+json'],
    ['application/vnd.cvat+json; version=2.0', 200, 'application/vnd.cvat+json'],
    ['application/vnd.foo+json', 200, 'application/vnd.foo+json'],
    [`${service}; version=2.58.1`, 200, service],
    [`${service}; version=9`, 406, service],
    ['text/csv', 406, service],
  ])('%s is answered %i with content type %s', async (accept, status, type) => {
    const headers = { ...(accept !== undefined && { accept }) }
    const answer = await admin.call('GET', `/projects/${foreign.id}`, { headers })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type])
    if (status === 200) expect(answer.body.name).toBe('of the administrator')
  })
})

describe('a call with two faults reports the first one in the documented order', () => {
  const anonymous = () => createApiClient(admin.api, 'Token wrong')
  const name = { json: { name: 'x' } }
  const unknown = { json: { nosuch: 1 } }
  const reference = { json: { assignee_id: 999_999 } }
  type Sent = { json: AnyJson }
  test.each<[string, number, () => ApiClient, string, Sent | undefined]>([
    [
      'a bad token and an unknown organization',
      401,
      anonymous,
      `/projects/${missing}?org=no`,
      name,
    ],
    ['an unknown organization and id', 404, () => anna, `/projects/${missing}?org=no`, name],
    ['an object that is not to be seen', 403, () => anna, '/projects/{foreign}', name],
    ['an object that is not there', 404, () => anna, `/projects/${missing}`, name],
    ['a wrong shape of what is not there', 400, () => anna, `/projects/${missing}`, unknown],
    ['a reference of what is not there', 404, () => anna, `/projects/${missing}`, reference],
    ['a reference of what is not to be seen', 403, () => anna, '/projects/{foreign}', reference],
    ['a reference alone', 400, () => admin, '/projects/{foreign}', reference],
  ])('%s is answered %i', async (_, status, who, given, sent) => {
    const address = given.replace('{foreign}', String(foreign.id))
    const answer = await who().call('PATCH', address, sent)
    expect(answer.status, answer.text).toBe(status)
    if (given.includes('org=no') && status === 404)
      expect(answer.body.detail).toBe('no organization does not exist.')
  })
})

describe('error bodies', () => {
  const wrongField = () => admin.call('POST', '/projects', { json: { name: '', labels: [{}] } })

  test('a map of field errors is returned without a code', async () => {
    const { status, headers, body } = await wrongField()
    expect(status).toBe(400)
    expect(headers.get('x-error-code')).toMatch(/^[a-z_]+$/)
    expect(body).not.toHaveProperty('code')
    expect(body).toMatchObject({ name: ['This field may not be blank.'] })
  })

  test('a body with a detail also has an error code and the request id', async () => {
    const headers = { 'x-request-id': 'my-request-12' }
    const answer = await admin.call('GET', `/projects/${missing}`, { headers })
    expect(answer.body).toEqual({
      detail: 'Not found.',
      ...{ code: 'not_found', request_id: 'my-request-12' },
    })
    expect(answer.headers.get('x-error-code')).toBe('not_found')
  })

  test('a client that accepts problem+json receives pointer, code and text of each error', async () => {
    const headers = { accept: 'application/problem+json' }
    const json = { name: 'a', labels: [{ name: 'car', color: 'red' }] }
    const answer = await admin.call('POST', '/projects', { json, headers })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({
      ...{ title: 'Validation failed', status: 400, instance: '/api/projects' },
      ...{ detail: expect.stringMatching(/^labels\[0\]\.color: /) },
      request_id: answer.headers.get('x-request-id'),
      type: `urn:service:error:${answer.body.code}`,
      errors: [{ pointer: '/labels/0/color', code: answer.body.code }],
    })
  })

  test.each([
    ['GET', '/nowhere', 404],
    ['PUT', '/projects/1', 405],
    ['GET', '/projects?page=99', 404],
    ['GET', '/projects?filter=%7B', 400],
    ['GET', '/projects/7/backup', 410],
    ['GET', '/projects?org=nosuch', 404],
  ])('%s %s is answered with a problem document too', async (method, address, status) => {
    const headers = { accept: 'application/problem+json' }
    const answer = await admin.call(method, address, { headers })
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({ status, code: answer.headers.get('x-error-code') })
  })

  test('every answer has a request id, which is generated when the client sent none', async () => {
    const calls = ['/projects', '/nowhere', `/projects/${missing}`, '/server/about']
    const answers = await Promise.all(calls.map((address) => admin.call('GET', address)))
    const found = answers.map(({ headers }) => headers.get('x-request-id'))
    expect(found.every((id) => /^[\da-f-]{36}$/.test(String(id)))).toBe(true)
    expect(new Set(found).size).toBe(calls.length)
  })
})

describe('endpoints that describe the server', () => {
  test('capabilities and limits match the settings of this server', async () => {
    const can = await createApiClient(admin.api).done('GET', '/server/capabilities')
    const limits = await anna.done('GET', '/server/limits')
    expect(can).toMatchObject({ registration: true, share: false, analytics: true })
    expect(can.email).toBeTypeOf('boolean') // mails are either written to files or not configured
    expect(can.image_types).toContain('jpeg')
    expect(can.max_jobs_per_task).toBe(limits.jobs_per_task)
    expect(can.max_upload_bytes).toBe(limits.upload_bytes)
    expect(limits).toMatchObject({ page_size: 1000, archive_bytes: 100 * 1024 ** 3 })
    expect(await anna.done('GET', '/server/share')).toEqual([])
    expect(await createApiClient(admin.api).done('GET', '/user-agreements')).toEqual([])
    const [logo, page] = [(await admin.done('GET', '/server/about')).logo_url, '/docs']
    for (const address of [logo, page]) expect((await admin.call('GET', address)).status).toBe(200)
  })

  test('health lists all components, and shows details to administrators', async () => {
    const health = await createApiClient(admin.api).done('GET', '/server/health/?format=json')
    const parts = ['Cache', 'DatabaseBackend', 'MemoryUsage', 'ObjectStorage', 'Queue']
    for (const part of parts) expect(health).toMatchObject({ [part]: 'working' })
    expect(health).toHaveProperty('DiskUsage')
    const inDetail = await admin.done('GET', '/server/health?details=true')
    expect(inDetail.Queue).toEqual({ status: 'working', took_ms: expect.any(Number), reason: null })
    expect((await anna.call('GET', '/server/health?details=true')).status).toBe(403)
  })

  test('a missing preview is answered 204 to a client that prefers handling=empty', async () => {
    const preview = `/projects/${foreign.id}/preview`
    const headers = { prefer: 'handling=empty' }
    const empty = await admin.call('GET', preview, { headers })
    expect([empty.status, empty.text, empty.headers.get('content-type')]).toEqual([204, '', null])
    expect((await admin.call('GET', preview)).status).toBe(404)
    expect((await admin.call('GET', `/projects/${missing}/preview`, { headers })).status).toBe(404)
  })
})
