import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { testGateway } from './testing/gateway.ts'

const mebibyte = 1024 * 1024
let given = 0
let isEnded = false
let received: string[] = []
const bugs: unknown[] = []

const { send, url } = await testGateway({
  bugs,
  settings: { maxAnnotationsBodyBytes: mebibyte },
  services: {
    annotations: {
      async getJobAnnotations({ id }) {
        if (id === 404) throw new DomainError('not_found', 'Not found.')
        if (id === 1) return { head: { etag: '"j1"' }, chunks: bytesOf('{"version":1}') }
        if (id === 3) return { head: {}, chunks: endless() }
        if (id === 4) return { head: {}, chunks: breaking() }
        return { head: { etag: '"j2"' }, chunks: bytesOf('{"shapes":', '[]', '}') }
      },
      async replaceJobAnnotations({ body }) {
        received = []
        for await (const piece of body) received.push(Buffer.from(piece).toString())
        if (received.length === 0) throw new DomainError('invalid', 'The body is empty.')
        return { head: { etag: '"j3"' }, chunks: bytesOf(received.join('')) }
      },
      async updateJobAnnotations() {
        throw new DomainError('forbidden', 'Not yours.')
      },
      async deleteJobAnnotations() {
        return { head: { etag: '"j4"' }, chunks: bytesOf() }
      },
    },
    frames: {
      async getJobPreview() {
        const head = { type: 'image/jpeg', length: 4, etag: '"p"', max_age: 60 }
        return { head, chunks: bytesOf('jp', 'eg') }
      },
      async getTaskPreview() {
        return { head: { type: 'application/zip' }, chunks: bytesOf('zip') }
      },
    },
  },
})

async function* endless() {
  try {
    for (given = 0; ; given++) yield Buffer.alloc(64 * 1024, 0x20)
  } finally {
    isEnded = true
  }
}

async function* breaking() {
  yield Buffer.from('[1,')
  yield Buffer.from('2,')
  await sleep(50)
  throw new Error('the connection to the database is lost')
}

const path = (id: number) => `/api/jobs/${id}/annotations/`
const json = { 'content-type': 'application/json' }

test('one piece goes out at once, with its length', async () => {
  const { headers, text } = await send(path(1))
  expect(text).toBe('{"version":1}')
  expect(headers).toMatchObject({
    'content-length': '13',
    etag: '"j1"',
    'content-type': 'application/vnd.service+json',
    'cache-control': 'private, no-cache',
  })
})

test('more pieces are streamed', async () => {
  const { headers, text } = await send(path(2))
  expect(text).toBe('{"shapes":[]}')
  expect(headers['transfer-encoding']).toBe('chunked')
})

test('bytes that are known already are 304', async () => {
  const answer = await send(path(2), { headers: { 'if-none-match': '"j2"' } })
  expect(answer).toMatchObject({ status: 304, text: '' })
})

test('HEAD shows what is known of the bytes', async () => {
  const { status, headers, text } = await send('/api/jobs/1/preview', { method: 'HEAD' })
  expect({ status, text }).toEqual({ status: 200, text: '' })
  expect(headers).toMatchObject({ 'content-length': '4', 'content-type': 'image/jpeg' })
})

test('a picture is shown, every other file of a user is a download', async () => {
  const picture = await send('/api/jobs/1/preview')
  expect(picture.text).toBe('jpeg')
  expect(picture.headers).toMatchObject({
    'content-length': '4',
    'cache-control': 'private, max-age=60',
    'content-security-policy': 'sandbox',
  })
  expect(picture.headers['content-disposition']).toBeUndefined()
  const file = await send('/api/tasks/1/preview')
  expect(file.headers['content-disposition']).toBe('attachment')
})

test('an error before the first byte has its own status', async () => {
  expect((await send(path(404))).status).toBe(404)
})

test('an error after the first bytes cuts the connection', async () => {
  await expect(send(path(4))).rejects.toThrow()
  expect(bugs).toHaveLength(1)
})

test('a reader that stops holds the service back, and one that leaves ends it', async () => {
  const { body } = await request(url + path(3), { headers: { authorization: 'Token anna' } })
  await sleep(300)
  const before = given
  await sleep(300)
  expect(given - before).toBeLessThan(3)
  body.destroy()
  body.on('error', () => undefined)
  await expect.poll(() => isEnded).toBe(true)
})

test('a body of bytes reaches the service piece by piece', async () => {
  async function* body() {
    yield Buffer.from('{"version"')
    await sleep(50)
    yield Buffer.from(':1}')
  }
  const answer = await send(path(1), { method: 'PUT', headers: json, body: body() })
  expect(answer).toMatchObject({ status: 200, text: '{"version":1}', headers: { etag: '"j3"' } })
  expect(received).toEqual(['{"version"', ':1}'])
})

test('no bytes reach the service as none', async () => {
  const answer = await send(path(1), { method: 'PUT', headers: json })
  expect(answer.json()).toMatchObject({ detail: 'The body is empty.' })
})

test('an announced body above the limit is not begun', async () => {
  const body = 'x'.repeat(mebibyte + 1)
  expect((await send(path(1), { method: 'PUT', headers: json, body })).status).toBe(413)
  expect(received).toEqual([])
})

test('a body in chunks is stopped at the limit', async () => {
  async function* body() {
    for (let sent = 0; sent < 3; sent++) yield Buffer.alloc(mebibyte / 2 + 1)
  }
  const answer = await send(path(1), { method: 'PUT', headers: json, body: body() })
  expect(answer.status).toBe(413)
})

test('a service may refuse before it has read the body', async () => {
  const body = 'x'.repeat(mebibyte)
  const answer = await send(path(1), { method: 'PATCH', headers: json, body })
  expect(answer).toMatchObject({ status: 403 })
})

test('a deletion may say which state it left', async () => {
  const answer = await send(path(1), { method: 'DELETE' })
  expect(answer).toMatchObject({ status: 204, text: '', headers: { etag: '"j4"' } })
  expect(answer.headers['content-type']).toBeUndefined()
})
