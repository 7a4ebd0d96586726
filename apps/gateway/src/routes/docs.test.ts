import { createHash } from 'node:crypto'
import { restOperations } from '@reticle/contracts'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { startTestGateway } from '../testing/gateway.ts'

const { send, url } = await startTestGateway()

test('the API is described in YAML', async () => {
  const { status, headers, text } = await send('/api/schema', { as: null })
  expect(status).toBe(200)
  expect(headers['content-type']).toBe('application/vnd.oai.openapi')
  expect(parse(text)).toMatchObject({ openapi: '3.1.1', paths: { '/projects/{id}': {} } })
})

test.each([
  ['/api/schema?scheme=json', '*/*'],
  ['/api/schema/?lang=en', 'application/vnd.oai.openapi+json'],
])('the schema at %s for %s is JSON', async (path, accept) => {
  const { headers, json } = await send(path, { as: null, headers: { accept } })
  expect(headers['content-type']).toBe('application/vnd.oai.openapi+json')
  expect(json()).toMatchObject({ openapi: '3.1.1' })
})

test.each([
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  ['application/json;q=0.9, application/vnd.oai.openapi;q=0.5', 'application/json'],
  ['application/vnd.oai.openapi, application/json;q=0.5', 'application/vnd.oai.openapi'],
  ['application/json;q=0', 'application/vnd.oai.openapi'],
  ['*/*', 'application/vnd.oai.openapi'],
  ['text/html', 'application/vnd.oai.openapi'],
])('the schema for Accept: %s is %s', async (accept, expected) => {
  for (const path of ['/api/schema', '/api/schema/', '/as/cvat/api/schema/']) {
    const { status, headers, text } = await send(path, { as: null, headers: { accept } })
    expect([status, headers['content-type']]).toEqual([200, expected])
    expect(text.startsWith('{')).toBe(expected === 'application/json')
  }
})

test('about contains the version and the URL of an existing image', async () => {
  const about = await send('/api/server/about', { as: null })
  expect(about.json()).toMatchObject({
    name: 'Reticle',
    version: '2.58.1',
    logo_url: `${url}/static/logo.svg`,
  })
  const logo = await send('/static/logo.svg', { as: null })
  expect(logo).toMatchObject({ status: 200, headers: { 'content-type': 'image/svg+xml' } })
})

describe.each(['/api/docs', '/api/swagger/'])('%s', async (path) => {
  const { status, headers, text } = await send(path, { as: null, headers: { accept: 'text/html' } })
  const read = (html: string) =>
    html
      .replace(/<[^>]+>/g, '')
      .replace(/&quot;/g, '"')
      .replace(/&amp;/g, '&')
  const partOf = (name: string) =>
    read(new RegExp(`<details id="${name}">.*?</details>`, 's').exec(text)?.[0] ?? '')

  test('is a page without external resources', () => {
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(text).not.toMatch(/<script|src=|href="(?:\w+:)?\/\//)
    const [, style = ''] = /<style>(.*)<\/style>/.exec(text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain(`style-src 'sha256-${hash}'`)
  })

  test('contains every operation in a group, and has no broken link', () => {
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining(restOperations.map(({ name }) => name)))
    const links = [...text.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id)
    expect(links.filter((id) => !ids.includes(id))).toEqual([])
    expect(text).not.toContain('>Other<')
  })

  test.each([
    [
      'createProject',
      `curl -X POST -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"name":"name"}' "$API/projects"`,
    ],
    ['getAbout', 'curl "$API/server/about"'],
    [
      'getTaskData',
      'curl -H "Authorization: Bearer $TOKEN" "$API/tasks/1/data?type=frame&number=1"',
    ],
    ['uploadTaskData', '-F client_files=@FILE "$API/tasks/1/data"'],
    ['exportTaskDataset', '"$API/tasks/1/dataset/export?format=COCO%201.0"'],
    [
      'sendTaskDataFile',
      '-H "Content-Type: application/offset+octet-stream" --data-binary @FILE "$API/tasks/1/data/FILE_ID"',
    ],
  ])('contains a command to call %s', (name, line) => {
    expect(partOf(name)).toContain(line)
  })

  test('states the permitted callers and the possible errors', () => {
    expect(partOf('getAbout')).toContain('This operation needs no credential.')
    expect(partOf('createProject')).not.toContain('needs no credential')
    expect(partOf('updateProject')).toMatch(/400 401 403 404 406 409 412 413 415 429 503/)
    const [, errors = ''] = /<h2 id="errors">(.*?)<h2/s.exec(text) ?? []
    for (const status of [400, 401, 403, 404, 409, 412, 429, 503])
      expect(errors).toContain(`<span id="error-${status}">${status}</span>`)
  })
})
