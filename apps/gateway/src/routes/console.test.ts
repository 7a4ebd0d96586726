import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const { send, url, raw } = await startTestGateway()

/** Header of a browser that opens a URL from its address bar. */
const asPage = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }
const openPage = (path: string, method: 'GET' | 'HEAD' = 'GET') =>
  send(path, { as: null, method, headers: asPage })
const document = (await openPage('/')).text
const [script = ''] = /\/assets\/index-[\w-]+\.js/.exec(document) ?? []

describe.each(['/', '/projects', '/tasks/7/frames/3?label=car', '/invitations/abc'])(
  '%s',
  (path) => {
    test('serves the document of the console, which browsers revalidate each time', async () => {
      const { status, headers, text } = await openPage(path)
      expect([status, text]).toEqual([200, document])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      })
    })

    test('has a content security policy without other sites and inline code', async () => {
      const { headers } = await openPage(path)
      const policy = String(headers['content-security-policy']).split('; ')
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("style-src 'self'")
      expect(policy).toContain("connect-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy.join(' ')).not.toMatch(/unsafe|\*|https?:/)
    })

    test('responds to HEAD without a body', async () => {
      const { status, headers, text } = await openPage(path, 'HEAD')
      expect([status, text]).toEqual([200, ''])
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
    })
  },
)

test.each([
  ['*/*', '/'],
  ['application/json', '/?check=1'],
  [undefined, '/'],
  ['text/html;q=0, application/json', '/'],
  ['text/htmlx', '/'],
])(
  'a client that accepts %s gets the URLs of the API and the console at %s',
  async (accept, path) => {
    const headers: Record<string, string> = accept === undefined ? {} : { accept }
    const answer = await send(path, { as: null, headers })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toMatch(/^application\/json/)
    expect(answer.json()).toEqual({
      name: 'Reticle',
      version: expect.stringMatching(/^\d+\.\d+/),
      api: `${url}/api/`,
      console: `${url}/`,
    })
    const head = await send(path, { as: null, method: 'HEAD', headers })
    expect([head.status, head.text]).toEqual([200, ''])
  },
)

test.each(['POST', 'PUT', 'DELETE'] as const)('%s of / is 404', async (method) => {
  expect((await send('/', { as: null, method })).status).toBe(404)
})

test.each([
  ['*/*', '/projects'],
  ['application/json', '/tasks/7'],
])(
  'a client that accepts %s gets 404 for %s, because it does not display pages',
  async (accept, path) => {
    const { status, headers, json } = await send(path, { as: null, headers: { accept } })
    expect(status).toBe(404)
    expect(headers['x-error-code']).toBe('not_found')
    expect(json()).toMatchObject({ code: 'not_found' })
  },
)

test.each([
  '/api/nothing',
  '/api',
  '/as/cvat/api/nothing',
  '/assets/nothing-12345678.js',
  '/assets/',
])('%s is never served as a page', async (path) => {
  const { status, headers, json } = await openPage(path)
  expect(status).toBe(404)
  expect(headers['cache-control']).toBe('no-store')
  expect(json()).toMatchObject({ code: 'not_found' })
})

test.each(['TEXT/HTML', 'text/html;level=1', 'application/json, text/html;q=0.1'])(
  'a client that accepts %s gets the page',
  async (accept) => {
    const { status, text } = await send('/tasks/7', { as: null, headers: { accept } })
    expect([status, text]).toEqual([200, document])
  },
)

test('only reads are served a page', async () => {
  const { status } = await send('/projects', { as: null, method: 'POST', headers: asPage })
  expect(status).toBe(404)
})

test('an asset has a hash in its name, and browsers cache it permanently', async () => {
  const { status, headers } = await send(script, { as: null })
  expect(status).toBe(200)
  expect(headers).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  })
})

test.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
])('an asset is sent with %s encoding on request', async (coding, unpack) => {
  const plain = await send(script, { as: null })
  const packed = await request(url + script, { headers: { 'accept-encoding': coding } })
  expect(packed.headers['content-encoding']).toBe(coding)
  expect(packed.headers.vary).toBe('Accept-Encoding') // independent of the caller
  const bytes = Buffer.from(await packed.body.arrayBuffer())
  expect(unpack(bytes).toString()).toBe(plain.text)
  expect(bytes.length).toBeLessThan(plain.text.length / 2)
})

test.each([
  '/assets/%00',
  '/assets/%zz',
  '/assets/../index.html',
  '/assets/..%2findex.html',
  '/assets/%2e%2e/%2e%2e/package.json',
])('%s does not leave the folder', async (path) => {
  const answer = await raw(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 (400|403|404) /)
  expect(answer).not.toContain('@reticle/console')
})
