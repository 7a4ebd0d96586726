import { createHash } from 'node:crypto'
import { partKey, spreadBytes, spreadKey } from '@reticle/kit/blob/spread'
import { readAllBytes } from '@reticle/kit/testing/bytes'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import type { SomeServices } from '../testing/services.ts'

/** The extension `checksum` of the resumable upload protocol (tus.io 1.0.0), and checksums of whole files. */

const expires_date = '2026-03-01T22:00:00.000Z'
let key = 'up/f'
let length = 10
let offset = 0
let is_checked = false
let is_refused = false
let created: unknown
let noted: unknown[] = []
beforeEach(async () => {
  await blobs.removePrefix('up/')
  key = 'up/f'
  length = 10
  offset = 0
  is_checked = false
  is_refused = false
  noted = []
})

const requests: SomeServices['requests'] = {
  async createFile(given) {
    created = given
    return { file_id: '3_f', expires_date, ...(offset > 0 && { offset }) }
  },
  async openChunk() {
    const tail = offset > 0 && { tail: partKey(key, 0) }
    return { filename: 'a', key, offset, lease: 'mine', is_checked, ...tail }
  },
  async noteChunk({ offset: at, is_over, sha256 }) {
    noted.push([at, is_over, sha256])
    offset = at
    return { is_noted: true, offset: at, expires_date, is_refused }
  },
}
const { send, blobs } = await startTestGateway({ bugs: [], services: { requests } })
const digest = (algorithm: string, text: string | Uint8Array) =>
  `${algorithm} ${createHash(algorithm).update(text).digest('base64')}`
const hex = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')
const sent = (body: string | Uint8Array, checksum?: string) =>
  send('/api/tasks/12/data/3_f', {
    method: 'PATCH',
    body,
    headers: {
      'tus-resumable': '1.0.0',
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...(checksum !== undefined && { 'upload-checksum': checksum }),
    },
  })
const create = (checksum?: string) =>
  send('/api/tasks/12/data/', {
    method: 'POST',
    headers: {
      ...{ 'tus-resumable': '1.0.0', 'upload-length': String(length) },
      'upload-metadata': `filename ${Buffer.from('a').toString('base64')}`,
      ...(checksum !== undefined && { 'upload-checksum': checksum }),
    },
  })

describe('a chunk', () => {
  test.each(['sha1', 'sha256'])('with its %s is counted', async (algorithm) => {
    const answer = await sent('hello', digest(algorithm, 'hello'))
    expect([answer.status, answer.headers['upload-offset']]).toEqual([204, '5'])
    expect(answer.headers['tus-checksum-algorithm']).toBe('sha1,sha256')
  })

  test('with a wrong checksum is discarded, and may be sent again', async () => {
    await sent('hello')
    const answer = await sent('WORLD', digest('sha1', 'world'))
    expect([answer.status, answer.headers['x-error-code']]).toEqual([460, 'checksum_mismatch'])
    expect([offset, noted.at(-1)]).toEqual([5, [5, true, undefined]])
    expect((await sent('world', digest('sha1', 'world'))).status).toBe(204)
    expect(String(await readAllBytes((await blobs.get('up/f')).chunks))).toBe('helloworld')
  })

  test('of several parts is counted when all of it is correct', async () => {
    const bytes = Buffer.alloc(spreadBytes + 5, 'x')
    key = spreadKey('up/f', 2 * spreadBytes)
    expect((await sent(bytes, digest('sha256', 'x'))).status).toBe(460)
    expect([offset, noted]).toEqual([0, [[0, true, undefined]]])
    expect((await sent(bytes, digest('sha256', bytes))).status).toBe(204)
    expect(offset).toBe(bytes.length)
  })

  test.each([
    ['md5 rL0Y20zC+Fzt72VPzMSk2A==', 'The algorithm has to be sha1 or sha256'],
    ['sha1 abc', 'a digest of 20 bytes'],
    [digest('sha256', 'x').replace('sha256', 'sha1'), 'a digest of 20 bytes'],
    ['', 'The algorithm has to be'],
  ])('with the checksum %j is refused without reading it', async (checksum, text) => {
    const answer = await sent('hello', checksum)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain(text)
    expect(noted).toEqual([])
  })
})

describe('a file', () => {
  test('is created with its checksum', async () => {
    const { status, headers } = await create(digest('sha256', 'x'))
    expect([status, headers['upload-offset']]).toEqual([201, undefined])
    expect(created).toMatchObject({ length: 10, sha256: hex('x') })
  })

  test('that is already stored is complete at once', async () => {
    offset = 10
    const { status, headers } = await create(digest('sha256', 'x'))
    expect([status, headers['upload-offset']]).toEqual([201, '10'])
    expect(headers.location).toContain('/api/tasks/12/data/3_f')
  })

  test('cannot be created with an algorithm other than sha256', async () => {
    expect((await create(digest('sha1', 'x'))).status).toBe(400)
  })

  test('of one part is recorded with its checksum', async () => {
    await sent('hello')
    await sent('world')
    expect(noted.at(-1)).toEqual([10, true, hex('helloworld')])
  })

  test('of several parts is read to verify its checksum', async () => {
    const bytes = Buffer.alloc(spreadBytes + 5, 'y')
    key = spreadKey('up/f', bytes.length)
    is_checked = true
    await sent(bytes)
    expect(noted.at(-1)).toEqual([bytes.length, true, hex(bytes)])
  })

  test('that does not match its announced checksum is refused at its end', async () => {
    is_refused = true
    const answer = await sent('helloworld')
    expect([answer.status, answer.headers['x-error-code']]).toEqual([460, 'checksum_mismatch'])
  })
})
