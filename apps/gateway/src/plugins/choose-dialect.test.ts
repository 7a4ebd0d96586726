import { projectRecord } from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { startTestGateway } from '../testing/gateway.ts'
import { anna } from '../testing/services.ts'
import { withoutMount } from './choose-dialect.ts'

/** How a request selects its dialect: mount, host, media type or access token (docs/spec/dialect.md#mount). */

const cvat = 'application/vnd.cvat+json'
const service = 'application/vnd.service+json'

const { send, raw, url } = await startTestGateway({
  settings: { dialectHosts: new Map([['cvat.example.org', 'cvat']]) },
  services: {
    identity: {
      authenticate: async ({ authorization = '' }) => {
        const [, dialect] = authorization.split(' ')
        return { principal: anna, is_deprecated: false, dialect }
      },
    },
    projects: {
      getProject: async ({ id }) => projectRecord({ id }),
      listProjects: async () => ({ count: 25, results: [projectRecord()] }),
      createProject: async () => projectRecord(),
    },
  },
})

/**
 * Returns the content type and the dialect of the response; the dialect shows in the labels, which are a list or a
 * link.
 */
async function spoken(path: string, headers: Record<string, string> = {}, as = 'service') {
  const answer = await send(path, { as, headers })
  const { labels } = Object(answer.json())
  return [answer.headers['content-type'], Array.isArray(labels) ? 'service' : 'cvat', labels?.url]
}
const labelsAt = (place: string) => `${place}/api/labels?project_id=7`

test('a request without a selector uses the native API', async () => {
  expect(await spoken('/api/projects/7')).toEqual([service, 'service', undefined])
})

test.each<[string, string, Record<string, string>, string, string]>([
  ['the mount', '/as/cvat/api/projects/7', {}, 'service', `${url}/as/cvat`],
  [
    'the host',
    '/api/projects/7',
    { host: 'cvat.example.org' },
    'service',
    'http://cvat.example.org',
  ],
  [
    'the host in any case',
    '/api/projects/7',
    { host: 'CVAT.example.org:8080' },
    'service',
    'http://CVAT.example.org:8080',
  ],
  ['Accept', '/api/projects/7', { accept: cvat }, 'service', url],
  [
    'Accept among others',
    '/api/projects/7',
    { accept: `${service};q=0.1, ${cvat}; version=2.0` },
    'service',
    url,
  ],
  ['Content-Type', '/api/projects/7', { 'content-type': `${cvat}; charset=utf-8` }, 'service', url],
  ['the access token', '/api/projects/7', {}, 'cvat', url],
])('%s selects the dialect', async (_, path, headers, as, place) => {
  expect(await spoken(path, headers, as)).toEqual([cvat, 'cvat', labelsAt(place)])
})

test.each<[string, Record<string, string>]>([
  ['preferred less', { accept: `${cvat};q=0.1, ${service}` }],
  ['refused', { accept: `${cvat};q=0, */*` }],
  ['another vendor', { 'content-type': 'application/vnd.foo+json' }],
  ['another host', { host: 'cvat.example.com' }],
])('%s does not select the dialect', async (_, headers) => {
  expect((await spoken('/api/projects/7', headers))[1]).toBe('service')
})

test('the mount takes precedence over other selectors, and its responses have one type', async () => {
  const path = '/as/cvat/api/projects/7'
  for (const accept of [service, 'application/json', '*/*', 'application/vnd.foo+json'])
    expect(await spoken(path, { accept })).toEqual([cvat, 'cvat', labelsAt(`${url}/as/cvat`)])
  expect((await send(path, { headers: { accept: 'text/csv' } })).status).toBe(406)
})

test('links of a page lead to the mount of the request', async () => {
  const { next, results } = Object((await send('/as/cvat/api/projects/?page_size=10&x=1')).json())
  expect(next).toBe(`${url}/as/cvat/api/projects/?page_size=10&x=1&page=2`)
  expect(results[0].url).toBe(`${url}/as/cvat/api/projects/7`)
})

describe('a request below the mount', () => {
  test('gets errors with the type of the dialect, in the usual order of checks', async () => {
    const missing = await send('/as/cvat/api/nowhere')
    expect([missing.status, missing.headers['content-type']]).toEqual([404, cvat])
    const closed = await send('/as/cvat/api/projects/7', { as: null })
    expect([closed.status, closed.headers['content-type']]).toEqual([401, cvat])
    const broken = await raw(
      'GET /as/cvat/api/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect(broken).toMatch(/^HTTP\/1.1 400 [\s\S]*application\/vnd\.cvat\+json/)
    const body = { name: [] }
    const bad = await send('/as/cvat/api/projects', { method: 'POST', body })
    const same = await send('/api/projects', { method: 'POST', body })
    expect([bad.status, bad.text]).toEqual([400, same.text])
  })

  test('gets a problem document with its own path as instance', async () => {
    const headers = { accept: 'application/problem+json' }
    const { status, json } = await send('/as/cvat/api/projects/0', { headers })
    expect([status, json()]).toMatchObject([404, { instance: '/as/cvat/api/projects/0' }])
  })

  test('gets the methods of a path', async () => {
    const refused = await send('/as/cvat/api/projects/7', { method: 'PUT' })
    expect([refused.status, refused.headers.allow]).toEqual([
      405,
      'GET, PATCH, DELETE, HEAD, OPTIONS',
    ])
    const options = await send('/as/cvat/api/projects/7', { method: 'OPTIONS' })
    expect([options.status, options.headers.allow]).toEqual([200, refused.headers.allow])
    const head = await send('/as/cvat/api/projects/7', { method: 'HEAD' })
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', cvat])
  })

  test('supports conditional and compressed reads', async () => {
    const { headers } = await send('/as/cvat/api/projects/7')
    const known = { 'if-none-match': String(headers.etag) }
    expect((await send('/as/cvat/api/projects/7', { headers: known })).status).toBe(304)
    const packed = await send('/as/cvat/api/projects/7', { headers: { 'accept-encoding': 'gzip' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
  })
})

test.each([
  ['/as/cvat/api/projects?x=/as/cvat', '/api/projects?x=/as/cvat'],
  ['/as/cvat', '/'],
  ['/as/cvat?x=1', '/?x=1'],
  ['/as/cvat/as/cvat/api', '/as/cvat/api'],
  ['http://host:1/as/cvat/api/x', 'http://host:1/api/x'],
  ['/as/cvats/api', '/as/cvats/api'],
  ['/as/foo/api', '/as/foo/api'],
  ['/AS/cvat/api', '/AS/cvat/api'],
  ['/api/as/cvat', '/api/as/cvat'],
  ['*', '*'],
])('%s is routed as %s', (given, routed) => {
  expect(withoutMount(given)).toBe(routed)
})

test('hosts with dialects are read from a setting, and invalid entries are refused', () => {
  const read = (given: string) => readConfig({ RETICLE_GATEWAY_DIALECT_HOSTS: given }).dialectHosts
  expect([...read('CVAT.example.org=cvat, b.example.org=cvat')]).toEqual([
    ['cvat.example.org', 'cvat'],
    ['b.example.org', 'cvat'],
  ])
  expect([...read('')]).toEqual([])
  for (const wrong of ['cvat.example.org', 'a=foo', 'http://a=cvat', 'a:80=cvat', 'a=cvat=cvat'])
    expect(() => read(wrong)).toThrow(/hosts and dialects \(cvat\) such as cvat.example.org=cvat/)
})
