import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { testGateway } from '../testing/gateway.ts'

const { send, url } = await testGateway()

test('the interface is described in YAML', async () => {
  const { status, headers, text } = await send('/api/schema', { as: null })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/vnd.oai.openapi')
  expect(parse(text)).toMatchObject({ openapi: '3.1.1', paths: { '/projects/{id}': {} } })
})

test.each([
  ['/api/schema?scheme=json', '*/*'],
  ['/api/schema/?lang=en', 'application/vnd.oai.openapi+json'],
])('%s for %s is JSON', async (path, accept) => {
  const { headers, json } = await send(path, { as: null, headers: { accept } })
  expect(headers['content-type']).toBe('application/vnd.oai.openapi+json')
  expect(json()).toMatchObject({ openapi: '3.1.1' })
})

test('about names the version and a picture that is there', async () => {
  const about = await send('/api/server/about', { as: null })
  expect(about.json()).toMatchObject({
    name: 'Reticle',
    version: '2.58.1',
    logo_url: `${url}/static/logo.svg`,
  })
  const logo = await send('/static/logo.svg', { as: null })
  expect(logo).toMatchObject({ status: 200, headers: { 'content-type': 'image/svg+xml' } })
})

test.each(['/api/docs', '/api/swagger/'])(
  '%s is a page to read, which loads nothing',
  async (path) => {
    const { status, headers, text } = await send(path, {
      as: null,
      headers: { accept: 'text/html' },
    })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).toContain('<code>/projects/{id}</code>')
    expect(text).toContain('<details id="schema-Project">')
    expect(text).not.toMatch(/<script|src=|https?:\/\//)
    const [, style = ''] = /<style>(.*)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`style-src 'sha256-${hash}'`)
  },
)
