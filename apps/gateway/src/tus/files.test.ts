import { createHash } from 'node:crypto'
import { DomainError, forbidden, notFound } from '@reticle/kit'
import { partAt, partKey, spreadBytes, spreadKey, takenOver } from '@reticle/kit/blob/spread'
import { readAllBytes } from '@reticle/kit/testing/bytes'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from '../testing/gateway.ts'
import type { SomeServices } from '../testing/services.ts'

/** The resumable upload protocol (tus.io 1.0.0) from the view of clients. */

const largest = 64 * 1024 * 1024
const expires_date = '2026-03-01T22:00:00.000Z'
const bugs: unknown[] = []
const patience = { timeout: 60_000 }

/** State of the requests service as the gateway sees it: one file, `3_f`. */
let file: { key: string; tail?: string; length: number; offset: number; lease?: string }
let leases = 0
beforeEach(async () => {
  await blobs.removePrefix('up/')
  file = { key: spreadKey('up/f', largest), length: largest, offset: 0 }
})

const own = ({ id, file_id }: { id: number; file_id: string }) => {
  if (id === 403) throw forbidden()
  if (file_id !== '3_f') throw notFound()
}
const requests: SomeServices['requests'] = {
  async createFile() {
    return { file_id: '3_f', expires_date }
  },
  async findFile(named) {
    own(named)
    return { filename: 'a.zip', length: file.length, offset: file.offset, expires_date }
  },
  async openChunk({ offset, bytes, ...named }) {
    own(named)
    const { key, tail } = file
    const seen = { filename: 'a.zip', key, offset: file.offset, ...(tail && { tail }) }
    if (offset !== file.offset) return seen
    if (offset + bytes > file.length) throw new DomainError('too_large', 'too much')
    if (file.lease) file.key = takenOver(file.key, offset)
    file.lease = `lease ${++leases}`
    return { ...seen, key: file.key, lease: file.lease }
  },
  async noteChunk({ lease, offset, is_over }) {
    const is_noted = lease === file.lease
    if (is_noted) {
      file.offset = offset
      file.tail = offset % spreadBytes === 0 ? undefined : partKey(file.key, partAt(offset))
      if (is_over) file.lease = undefined
    }
    return { is_noted, offset: file.offset, expires_date }
  },
}
const { send, raw, blobs } = await startTestGateway({
  bugs,
  settings: { maxUploadBytes: largest, trustedHops: 1 },
  services: { requests },
})
const version = { 'tus-resumable': '1.0.0' }
const base64 = (text: string) => Buffer.from(text).toString('base64')
const named = (name: string, length = '5') => ({
  ...{ 'upload-length': length, 'upload-metadata': `filename ${base64(name)}` },
})
const location = '/api/tasks/12/data/3_f'
const chunk = (
  offset: number | string,
  body: TestRequest['body'],
  more: Partial<TestRequest> = {},
) =>
  send(location, {
    method: 'PATCH',
    body,
    ...more,
    headers: {
      ...version,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...more.headers,
    },
  })

describe('chunks of a file', () => {
  test('are stored and counted', async () => {
    const first = await chunk(0, 'abc')
    expect([first.status, first.text]).toEqual([204, ''])
    expect(first.headers).toMatchObject({
      'upload-offset': '3',
      'upload-filename': 'a.zip',
      'upload-expires': 'Sun, 01 Mar 2026 22:00:00 GMT',
      'tus-resumable': '1.0.0',
      'cache-control': 'no-store',
    })
    expect((await chunk(3, 'de')).headers['upload-offset']).toBe('5')
    expect(file).toMatchObject({ offset: 5, lease: undefined })
    expect(String(await readAllBytes((await blobs.get(`${file.key}/0-0`)).chunks))).toBe('abcde')
  })

  test('without bytes change nothing', async () => {
    const answer = await chunk(0, '', { headers: { 'content-length': '0' } })
    expect([answer.status, answer.headers['upload-offset']]).toEqual([204, '0'])
    expect(file.lease).toBeUndefined()
  })

  test('of many megabytes are stored in parts', async () => {
    const bytes = Buffer.alloc(2 * spreadBytes + 7, 'xyz')
    expect((await chunk(0, bytes)).headers['upload-offset']).toBe(String(bytes.length))
    const hash = createHash('sha256')
    for (const index of [0, 1, 2])
      for await (const piece of (await blobs.get(`${file.key}/0-${index}`)).chunks)
        hash.update(piece)
    expect(hash.digest('hex')).toBe(createHash('sha256').update(bytes).digest('hex'))
  })

  test.each([1, '3'])(
    'with offset %s, which is not the end, get the right offset and no body',
    async (offset) => {
      await chunk(0, 'ab')
      const answer = await chunk(offset, 'c')
      expect([answer.status, answer.text]).toEqual([409, ''])
      expect(answer.headers).toMatchObject({
        'upload-offset': '2',
        'x-error-code': 'upload_offset',
      })
      expect(file.offset).toBe(2)
    },
  )

  test.each<[string, () => ReturnType<typeof chunk>, number]>([
    ['without an offset', () => chunk('', 'a', { headers: { 'upload-offset': '' } }), 400],
    ['with an offset that is none', () => chunk('1e3', 'a'), 400],
    ['of another type', () => chunk(0, 'a', { headers: { 'content-type': 'text/plain' } }), 415],
    ['of another version', () => chunk(0, 'a', { headers: { 'tus-resumable': '0.2.2' } }), 412],
    ['of a read-only token', () => chunk(0, 'a', { as: 'reader' }), 403],
  ])('%s are refused', async (_, attempt, status) => {
    const answer = await attempt()
    expect(answer.status).toBe(status)
    expect(answer.headers['tus-version']).toBe('1.0.0')
    expect([file.offset, file.lease]).toEqual([0, undefined])
  })

  test('without an announced length are refused', async () => {
    async function* body() {
      yield Buffer.from('a')
    }
    const answer = await chunk(0, body())
    expect([answer.status, answer.json()]).toEqual([
      400,
      { 'Content-Length': ['This header is required.'] },
    ])
  })

  test('beyond the end of the file are refused', async () => {
    file.length = 3
    const answer = await chunk(0, 'abcd')
    expect(answer.status).toBe(413)
    expect(file.offset).toBe(0)
  })

  test('above the maximum size are refused without reading them', async () => {
    const head = `PATCH ${location} HTTP/1.1\r\nHost: x\r\nAuthorization: Token anna\r\nUpload-Offset: 0\r\n`
    const type = 'Content-Type: application/offset+octet-stream'
    expect(await raw(`${head}${type}\r\nContent-Length: ${largest + 1}\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 413 /,
    )
  })

  test('are counted up to a disconnect, and the file is released', async () => {
    const cancel = new AbortController()
    async function* body() {
      yield Buffer.alloc(spreadBytes)
      yield Buffer.from('abc')
      await expect.poll(() => file.offset, patience).toBe(spreadBytes)
      cancel.abort()
      yield Buffer.from('never')
    }
    const { signal } = cancel
    const headers = { 'content-length': String(2 * spreadBytes) }
    await expect(chunk(0, body(), { headers, signal })).rejects.toThrow()
    await expect
      .poll(() => file, patience)
      .toMatchObject({ offset: spreadBytes + 3, lease: undefined })
    expect((await chunk(spreadBytes + 3, 'd')).status).toBe(204)
    expect(String(await readAllBytes((await blobs.get(`${file.key}/0-1`)).chunks))).toBe('abcd')
  })

  test('are counted up to a stall of the client', async () => {
    const impatient = await startTestGateway({
      blobs,
      services: { requests },
      settings: { idleTimeoutMs: 500 },
    })
    const head = `PATCH ${location} HTTP/1.1\r\nHost: x\r\nAuthorization: Token anna\r\nUpload-Offset: 0\r\n`
    const type = 'Content-Type: application/offset+octet-stream'
    await impatient.raw(`${head}${type}\r\nContent-Length: 100\r\n\r\nabc`)
    await expect.poll(() => file, patience).toMatchObject({ offset: 3, lease: undefined })
  })

  test('sent concurrently by two clients are accepted once, and the other client gets the offset', async () => {
    const bytes = [Buffer.alloc(100_000, 'a'), Buffer.alloc(100_000, 'b')]
    const answers = await Promise.all(bytes.map((body) => chunk(0, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
    const lost = answers.find(({ status }) => status === 409)
    expect(lost?.text).toBe('')
    expect(file.lease).toBeUndefined()
    expect(file.offset).toBe(100_000)
  })

  test('can be sent again after a failure of the store, to another object', async () => {
    const full = new DomainError('unavailable', 'There is no room.', { retry_after: 60 })
    const away = await startTestGateway({
      blobs: { ...blobs, put: () => Promise.reject(full) },
      services: { requests },
    })
    const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const answer = await away.send(location, { method: 'PATCH', body: 'abc', headers })
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '60'])
    const { key } = file
    expect((await chunk(0, 'abc')).status).toBe(204)
    expect(file).toMatchObject({ offset: 3, key: takenOver(key, 0) })
  })

  test('are not rate-limited, unlike creations', async () => {
    const limited = await startTestGateway({
      blobs,
      services: { requests },
      settings: { rateUser: 3 },
    })
    const headers = { 'content-type': 'application/offset+octet-stream' }
    for (let at = 0; at < 5; at++) {
      const sent = { body: 'a', headers: { ...headers, 'upload-offset': `${at}` } }
      const answer = await limited.send(location, { ...sent, method: 'PATCH' })
      expect([answer.status, answer.headers['x-ratelimit-limit']]).toEqual([204, undefined])
      expect((await limited.send(location, { method: 'HEAD' })).status).toBe(200)
    }
    const begin = () => limited.send('/api/tasks/12/data', { method: 'POST', headers: named('a') })
    for (let at = 0; at < 3; at++) expect((await begin()).status).toBe(201)
    expect((await begin()).status).toBe(429)
  })
})

describe('the state of a file', () => {
  test('is returned by HEAD as headers', async () => {
    file.offset = 77
    const answer = await send(location, { method: 'HEAD', headers: version, as: 'reader' })
    expect([answer.status, answer.text]).toEqual([200, ''])
    expect(answer.headers).toMatchObject({
      'upload-offset': '77',
      'upload-length': String(largest),
      'upload-metadata': `filename ${base64('a.zip')}`,
      'upload-expires': 'Sun, 01 Mar 2026 22:00:00 GMT',
      'cache-control': 'no-store',
      'tus-resumable': '1.0.0',
    })
  })

  test('is returned by GET as a document', async () => {
    const answer = await send(location)
    expect(answer.json()).toEqual({ filename: 'a.zip', length: largest, offset: 0, expires_date })
  })

  test.each([
    ['that is unknown', '/api/tasks/12/data/3_g', 404],
    ['of another user', '/api/tasks/403/data/3_f', 403],
  ])('is refused for a file %s', async (_, path, status) => {
    const answer = await send(path, { method: 'HEAD', headers: version })
    expect(answer.status).toBe(status)
    expect(answer.headers['tus-resumable']).toBe('1.0.0')
  })

  test('does not exist for the path meta', async () => {
    expect((await send('/api/tasks/12/data/meta')).headers['tus-version']).toBeUndefined()
  })
})

test.each(['/api/tasks/12/data', `${location}`, '/api/jobs/31/annotations/'])(
  'OPTIONS %s describes the protocol without a credential',
  async (path) => {
    const answer = await send(path, { method: 'OPTIONS', as: null })
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'tus-version': '1.0.0',
      'tus-extension': 'creation,termination,expiration,checksum',
      'tus-max-size': String(largest),
      'tus-resumable': '1.0.0',
      'cache-control': 'no-store',
    })
  },
)

test('a client that does not use the protocol gets no headers of it', async () => {
  const answer = await send('/api/tasks/12/data', { method: 'POST', body: {} })
  expect(answer.headers['tus-version']).toBeUndefined()
})

test('none of the calls caused a server error', () => {
  expect(bugs).toEqual([])
})
