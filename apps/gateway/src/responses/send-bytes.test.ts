import { setTimeout as sleep } from 'node:timers/promises'
import { DomainError } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const mebibyte = 1024 * 1024
let given = 0
let isEnded = false
let received: string[] = []
const bugs: unknown[] = []

const { send, url } = await startTestGateway({
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
      async getTaskData() {
        const head = { type: 'application/zip', length: 10, etag: '"c"', max_age: 60 }
        const more = { checksum: '77', updated_date: '2026-03-01T09:00:05.000Z', has_ranges: true }
        return { head: { ...head, ...more }, chunks: leaving('01234', '56789') }
      },
    },
  },
})

let left = 0
let taken: string[] = []
async function* leaving(...texts: string[]) {
  taken = []
  try {
    for (const text of texts) {
      taken.push(text)
      yield Buffer.from(text)
    }
  } finally {
    left += 1
  }
}

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

test('a response of one piece is sent at once with its length', async () => {
  const { headers, text } = await send(path(1))
  expect(text).toBe('{"version":1}')
  expect(headers).toMatchObject({
    'content-length': '13',
    etag: '"j1"',
    'content-type': 'application/vnd.service+json',
    'cache-control': 'private, no-cache',
  })
})

test('a response of several pieces is streamed', async () => {
  const { headers, text } = await send(path(2))
  expect(text).toBe('{"shapes":[]}')
  expect(headers['transfer-encoding']).toBe('chunked')
})

test('bytes with a known entity tag return 304', async () => {
  const answer = await send(path(2), { headers: { 'if-none-match': '"j2"' } })
  expect(answer).toMatchObject({ status: 304, text: '' })
})

test('HEAD returns the headers of the bytes', async () => {
  const { status, headers, text } = await send('/api/jobs/1/preview', { method: 'HEAD' })
  expect({ status, text }).toEqual({ status: 200, text: '' })
  expect(headers).toMatchObject({ 'content-length': '4', 'content-type': 'image/jpeg' })
})

test('an image is displayed, and every other file of a user is a download', async () => {
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

test('an error before the first byte keeps its status', async () => {
  expect((await send(path(404))).status).toBe(404)
})

test('an error after the first bytes closes the connection', async () => {
  await expect(send(path(4))).rejects.toThrow()
  expect(bugs).toHaveLength(1)
})

test('a stalled reader causes back-pressure, and a disconnect ends the stream of the service', async () => {
  const { body } = await request(url + path(3), { headers: { authorization: 'Token anna' } })
  await sleep(300)
  const before = given
  await sleep(300)
  expect(given - before).toBeLessThan(3)
  body.destroy()
  body.on('error', () => undefined)
  await expect.poll(() => isEnded).toBe(true)
})

test('a body of bytes reaches the service in pieces', async () => {
  async function* body() {
    yield Buffer.from('{"version"')
    await sleep(50)
    yield Buffer.from(':1}')
  }
  const answer = await send(path(1), { method: 'PUT', headers: json, body: body() })
  expect(answer).toMatchObject({ status: 200, text: '{"version":1}', headers: { etag: '"j3"' } })
  expect(received).toEqual(['{"version"', ':1}'])
})

test('an empty body reaches the service as empty', async () => {
  const answer = await send(path(1), { method: 'PUT', headers: json })
  expect(answer.json()).toMatchObject({ detail: 'The body is empty.' })
})

test('a body with an announced length above the limit is not read', async () => {
  const body = 'x'.repeat(mebibyte + 1)
  expect((await send(path(1), { method: 'PUT', headers: json, body })).status).toBe(413)
  expect(received).toEqual([])
})

test('a chunked body is stopped at the limit', async () => {
  async function* body() {
    for (let sent = 0; sent < 3; sent++) yield Buffer.alloc(mebibyte / 2 + 1)
  }
  const answer = await send(path(1), { method: 'PUT', headers: json, body: body() })
  expect(answer.status).toBe(413)
})

test('a service can refuse a body before reading it', async () => {
  const body = 'x'.repeat(mebibyte)
  const answer = await send(path(1), { method: 'PATCH', headers: json, body })
  expect(answer).toMatchObject({ status: 403 })
})

test('a deletion can return the resulting entity tag', async () => {
  const answer = await send(path(1), { method: 'DELETE' })
  expect(answer).toMatchObject({ status: 204, text: '', headers: { etag: '"j4"' } })
  expect(answer.headers['content-type']).toBeUndefined()
})

describe('a range of bytes', () => {
  const chunk = '/api/tasks/1/data?type=chunk&number=0'
  const part = (range: string, headers: Record<string, string> = {}) =>
    send(chunk, { headers: { range, ...headers } })

  test.each([
    ['bytes=0-3', '0123', '0-3'],
    ['bytes=4-5', '45', '4-5'],
    ['bytes=5-5', '5', '5-5'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=-2', '89', '8-9'],
    ['bytes=2-99', '23456789', '2-9'],
  ])('%s is returned, and the stream of the service is closed', async (range, text, bounds) => {
    const before = left
    const answer = await part(range)
    expect([answer.status, answer.text]).toEqual([206, text])
    expect(answer.headers).toMatchObject({
      'content-range': `bytes ${bounds}/10`,
      'content-length': String(text.length),
      'x-checksum': '77',
      'x-updated-date': '2026-03-01T09:00:05.000Z',
      'cache-control': 'private, max-age=60',
      'accept-ranges': 'bytes',
      etag: '"c"',
    })
    expect(left).toBe(before + 1)
  })

  test('is read without the bytes after it', async () => {
    await part('bytes=0-3')
    expect(taken).toEqual(['01234'])
  })

  test('that contains no byte returns 416 with the size', async () => {
    const answer = await part('bytes=10-')
    expect(answer.status).toBe(416)
    expect(answer.json()).toMatchObject({ code: 'range_not_satisfiable' })
    expect(answer.headers['content-range']).toBe('bytes */10')
  })

  test.each([['bytes=0-1,4-5'], ['lines=0-1'], ['bytes=x-1']])(
    '%s is not supported and returns all bytes',
    async (range) => {
      const answer = await part(range)
      expect([answer.status, answer.text]).toEqual([200, '0123456789'])
    },
  )

  test('is returned only if If-Range matches the entity tag', async () => {
    expect((await part('bytes=0-3', { 'if-range': '"c"' })).status).toBe(206)
    expect((await part('bytes=0-3', { 'if-range': '"b"' })).text).toBe('0123456789')
  })

  test('is ignored for a known entity tag', async () => {
    const answer = await part('bytes=0-3', { 'if-none-match': '"c"' })
    expect([answer.status, answer.text]).toEqual([304, ''])
  })

  test('is supported only if the service declares it', async () => {
    const { headers } = await send(chunk, { method: 'HEAD' })
    expect(headers).toMatchObject({ 'accept-ranges': 'bytes', 'content-length': '10' })
    const picture = await send('/api/jobs/1/preview', { headers: { range: 'bytes=0-1' } })
    expect([picture.status, picture.text]).toEqual([200, 'jpeg'])
    expect(picture.headers['accept-ranges']).toBeUndefined()
  })
})
