import { gunzipSync } from 'node:zlib'
import { projectRecord } from '@reticle/contracts/testing/records'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { acceptsGzip } from './compress.ts'

/** Responses are compressed on request when they are large enough. */

const set = `{"shapes":[${Array(100).fill('{}').join(',')}]}`
const { url } = await startTestGateway({
  services: {
    projects: {
      async getProject() {
        return projectRecord({ name: 'x'.repeat(256) })
      },
      async listProjects() {
        return { count: 0, results: [] }
      },
    },
    frames: {
      async getTaskPreview() {
        return { head: { type: 'image/jpeg' }, chunks: bytesOf('j'.repeat(1000)) }
      },
    },
    annotations: {
      async getJobAnnotations() {
        const length = Buffer.byteLength(set)
        return {
          head: { etag: '"a1"', length },
          chunks: bytesOf(set.slice(0, 100), set.slice(100)),
        }
      },
    },
  },
})

const problem = 'application/problem+json' // the longest there is

async function get(
  path: string,
  accepted: string | undefined,
  { accept = '*/*', method = 'GET' }: { accept?: string; method?: 'GET' | 'HEAD' } = {},
) {
  const given = accepted && { 'accept-encoding': accepted }
  const headers = { authorization: 'Token anna', accept, ...given }
  const answer = await request(`${url}/api${path}`, { method, headers })
  const bytes = Buffer.from(await answer.body.arrayBuffer())
  return { status: answer.statusCode, headers: answer.headers, bytes }
}

test.each(['/projects/7', '/jobs/1/annotations/', '/schema', '/docs'])(
  '%s is compressed on request, with the same content',
  async (path) => {
    const plain = await get(path, undefined)
    const packed = await get(path, 'br, gzip')
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(packed.status).toBe(plain.status)
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': plain.headers['content-type'],
      vary: 'Accept, Authorization, Cookie, Origin, X-Organization, Accept-Encoding',
    })
    expect(packed.headers.etag).toBe(plain.headers.etag)
    expect(gunzipSync(packed.bytes)).toEqual(plain.bytes)
  },
)

test.each([
  ['a short body', '/projects'],
  ['a picture', '/tasks/1/preview'],
])('%s is not compressed', async (_, path) => {
  const { status, headers } = await get(path, 'gzip')
  expect(status).toBe(200)
  expect(headers).not.toHaveProperty('content-encoding')
  expect(headers.vary).not.toContain('Accept-Encoding')
})

test('an error is compressed as well', async () => {
  const { status, headers, bytes } = await get('/projects?status=x', 'gzip', { accept: problem })
  expect([status, headers['content-encoding']]).toEqual([400, 'gzip'])
  expect(JSON.parse(gunzipSync(bytes).toString())).toHaveProperty('status')
})

test('a response to HEAD is not compressed', async () => {
  const { status, headers } = await get('/projects/7', 'gzip', { method: 'HEAD' })
  expect(status).toBe(200)
  expect(headers).not.toHaveProperty('content-encoding')
})

describe('the accepted encodings of a client', () => {
  test.each([
    ['gzip', true],
    ['deflate, GZIP;q=0.5', true],
    ['x-gzip', true],
    ['*', true],
    ['gzip;q=0', false],
    ['gzip; q=0.000, *', false],
    ['*;q=0', false],
    ['identity', false],
    ['', false],
    [undefined, false],
  ])('%s: %s', (given, expected) => {
    expect(acceptsGzip({ 'accept-encoding': given })).toBe(expected)
  })
})
