import { projectRecord } from '@reticle/contracts/testing/records'
import { expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from './testing/gateway.ts'

/** The order of checks: a request with several problems gets the error of the first check. */

const { send } = await startTestGateway({
  settings: { rateUser: 1 },
  services: {
    projects: {
      async updateProject() {
        return projectRecord()
      },
    },
  },
})
// `bo` has exhausted the rate limit; the other users are used once or are not limited.
await send('/api/server/annotation/formats', { as: 'bo' })

const wrongJson = '{'
const wrongShape = '{"status":"done"}'
const json = { 'content-type': 'application/json' }
const patch = (path: string, sent: TestRequest): [string, TestRequest] => [
  path,
  { method: 'PATCH', ...sent },
]
const text = { 'content-type': 'text/plain', 'x-organization': 'acme', accept: 'text/csv' }

test.each<[string, number, [string, TestRequest]]>([
  ['an unknown path', 404, patch('/api/nowhere', { as: null, headers: text, body: 'x' })],
  ['a method', 405, ['/api/projects/x', { method: 'PUT', as: null, headers: text, body: 'x' }]],
  ['the credential', 401, patch('/api/projects/x', { as: 'nobody', headers: text, body: 'x' })],
  ['the rate', 429, patch('/api/projects/x', { as: 'bo', headers: text, body: 'x' })],
])('%s comes first: %i', async (_what, status, [path, sent]) => {
  expect((await send(path, sent)).status).toBe(status)
})

const unlimited = await startTestGateway({
  settings: { rateUser: 0 },
  services: {
    projects: {
      async updateProject() {
        return projectRecord()
      },
    },
  },
})

test.each<[string, number, [string, TestRequest]]>([
  [
    'a contradiction of scope',
    400,
    patch('/api/projects/x?org=a&org_id=1', { headers: text, body: 'x' }),
  ],
  ['an unknown organization', 404, patch('/api/projects/7', { headers: text, body: 'x' })],
  [
    'Accept',
    406,
    patch('/api/projects/7', {
      headers: { accept: 'text/csv', 'content-type': 'text/plain' },
      body: 'x',
    }),
  ],
  [
    'the media type',
    415,
    patch('/api/projects/x', {
      headers: { 'content-type': 'text/plain' },
      body: 'x'.repeat(3_000_000),
    }),
  ],
  [
    'the length',
    413,
    patch('/api/projects/7', { as: 'reader', headers: json, body: '['.repeat(3_000_000) }),
  ],
  [
    'what is no JSON',
    400,
    patch('/api/projects/7', { as: 'reader', headers: json, body: wrongJson }),
  ],
  ['the path id', 404, patch('/api/projects/x', { as: 'reader', headers: json, body: wrongShape })],
  ['the shape', 400, patch('/api/projects/7', { as: 'reader', headers: json, body: wrongShape })],
  [
    'the right of the token',
    403,
    patch('/api/projects/7', { as: 'reader', headers: json, body: '{}' }),
  ],
  ['nothing', 200, patch('/api/projects/7', { as: 'writer', headers: json, body: '{}' })],
])('then %s: %i', async (_what, status, [path, sent]) => {
  expect((await unlimited.send(path, sent)).status).toBe(status)
})
