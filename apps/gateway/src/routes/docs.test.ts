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
