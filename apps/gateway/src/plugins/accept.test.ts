import { projectRecord } from '@reticle/contracts/testing/records'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { negotiateMediaType } from './accept.ts'

const service = 'application/vnd.service+json'
const cvat = 'application/vnd.cvat+json'

/** Content negotiation of JSON responses. */
test.each([
  [undefined, service],
  ['', service],
  ['*/*', service],
  ['application/*', service],
  [service, service],
  [`${service}; version=2.0`, service],
  [`${service};version="2.58.1"`, service],
  [`${service}; version=3`, null],
  ['application/json', 'application/json'],
  ['application/json, text/plain, */*', 'application/json'],
  [`application/json, ${service}`, 'application/json'],
  [`${service}, application/json`, service],
  [`application/json;q=0.5, ${service};q=0.9`, service],
  [`${service};q=0.1, application/json`, 'application/json'],
  [cvat, cvat],
  [`${cvat}; version=2`, cvat],
  [`${cvat}; version=2.58; q=0.3, application/json;q=0.2`, cvat],
  [`${cvat}; version=1`, null],
  [`${cvat}; version=1, application/json;q=0.1`, 'application/json'],
  ['application/problem+json', service],
  ['application/problem+json, application/json', 'application/json'],
  ['application/json;q=0', null],
  ['text/csv', null],
  ['nonsense', null],
  [`${service};q=0.5 ; version=2`, service],
  [`${cvat}; q = 0.9, application/json;q=0.1`, cvat],
  ['application/vnd.cvat+json; version=2; level=1', null],
  ['application/vnd.cvat+json+x', null],
  ['application/vnd.cvat+json,', cvat],
])('Accept: %s selects %s', (accept, type) => {
  expect(negotiateMediaType(accept)).toBe(type)
})

const ranges = (count: number, range = 'text/csv') => Array(count).fill(range).join(',')

/** An `Accept` header beyond 1 KiB or 20 media ranges is ignored (RFC 9110 12.5.1). */
test.each([
  ['of 20 media ranges is read', ranges(20), null],
  ['of 21 media ranges is disregarded', ranges(21), service],
  ['of 1 KiB is read', `text/csv${' '.repeat(1016)}`, null],
  ['of more than 1 KiB is disregarded', `text/csv${' '.repeat(1017)}`, service],
  ['of many spaces is disregarded', `${cvat},a/b${' '.repeat(15_000)};q`, service],
  ['of many vendors is disregarded', ranges(600, cvat), service],
  ['of many parameters is disregarded', `text/csv${';q=0'.repeat(4000)}`, service],
])('an Accept header %s', (_, accept, type) => {
  expect(negotiateMediaType(accept)).toBe(type)
})

const { send } = await startTestGateway({
  services: {
    projects: {
      async getProject() {
        return projectRecord()
      },
    },
    frames: {
      async getTaskPreview() {
        return { head: { type: 'image/jpeg' }, chunks: bytesOf('jpeg') }
      },
    },
    annotations: {
      async getJobAnnotations() {
        return { head: {}, chunks: bytesOf('{}') }
      },
      async replaceJobAnnotations() {
        throw new Error('must not be called')
      },
    },
  },
})

describe.each([
  ['/api/projects/7', 406],
  ['/api/jobs/1/annotations/', 406],
  ['/api/tasks/1/preview', 200],
  ['/api/server/health', 200],
  ['/api/schema', 200],
  ['/api/server/about', 406],
])('%s for a client that only accepts CSV', (path, status) => {
  test(`is ${status}`, async () => {
    expect((await send(path, { headers: { accept: 'text/csv' } })).status).toBe(status)
  })
})

test('a write is not executed when the client does not accept its response', async () => {
  const headers = { accept: 'text/csv', 'content-type': 'application/json' }
  const answer = await send('/api/jobs/1/annotations/', { method: 'PUT', headers, body: '{}' })
  expect(answer.status).toBe(406)
})

test('an Accept header that is too long is ignored', async () => {
  const { status, headers } = await send('/api/projects/7', {
    headers: { accept: `${cvat},${ranges(20)}` },
  })
  expect([status, headers['content-type']]).toEqual([200, service])
})

test('annotations are returned with the requested type', async () => {
  const { headers } = await send('/api/jobs/1/annotations/', {
    headers: { accept: 'application/json' },
  })
  expect(headers['content-type']).toBe('application/json')
})
