import { afterAll, describe, expect, test } from 'vitest'
import { bytesOf, readAllBytes } from '../testing/bytes.ts'
import { type Reply, startReceiver } from '../testing/receiver.ts'
import { bucketOpener } from './open.ts'

/** Responses of Google that its emulator never sends; the usual ones are tested in `emulators.cluster.test.ts`. */

const google = await startReceiver()
afterAll(google.close)
const bucket = await bucketOpener({ nets: [] })({
  provider: 'google',
  bucket: 'frames',
  endpoint: google.url,
})
const { signal } = new AbortController()
const json = { 'content-type': 'application/json' }
const failure = (code: number, message: string) => ({
  status: code,
  headers: json,
  body: JSON.stringify({ error: { code, message, errors: [{ message, reason: 'x' }] } }),
})

test.each([
  [401, 'forbidden'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [400, 'bad_token'],
  [503, 'unreachable'],
])('response %i becomes the reason %s without quoting the response', async (status, reason) => {
  google.answer(failure(status, 'secret of the account'))
  const attempt = bucket.list({ prefix: '', size: 1, token: 'x' }, signal)
  await expect(attempt).rejects.toMatchObject({ reason, message: `bucket: ${reason}` })
})

test('anonymous access sends no credentials of the machine', async () => {
  google.answer({ headers: json, body: '{"items":[{"name":"a/1.jpg"}],"prefixes":["a/b/"]}' })
  const level = await bucket.list({ prefix: 'a/', size: 5 }, signal)
  expect(level).toEqual({ directories: ['a/b/'], keys: ['a/1.jpg'], next: null })
  const { path = '', headers = {} } = google.received.at(-1) ?? {}
  expect(path).toMatch(/^\/storage\/v1\/b\/frames\/o\?/)
  expect(Object.fromEntries(new URLSearchParams(path.split('?')[1]))).toMatchObject({
    prefix: 'a/',
    delimiter: '/',
    maxResults: '5',
  })
  expect(headers.authorization).toBeUndefined()
})

test('a list of all objects below a prefix contains their sizes', async () => {
  const items = '[{"name":"a/1.jpg","size":"12"},{"name":"a/b/2.jpg","size":"7"}]'
  google.answer({ headers: json, body: `{"items":${items},"nextPageToken":"more"}` })
  expect(await bucket.files({ prefix: 'a/', size: 2 }, signal)).toEqual({
    files: [
      { key: 'a/1.jpg', size: 12 },
      { key: 'a/b/2.jpg', size: 7 },
    ],
    next: 'more',
  })
  expect(google.received.at(-1)?.path).not.toContain('delimiter')
})

test('permission to write is queried, without a write', async () => {
  google.answer({ headers: json, body: '{"permissions":["storage.objects.create"]}' })
  expect(await bucket.canWrite(signal)).toBe(true)
  google.answer({ headers: json, body: '{}' })
  expect(await bucket.canWrite(signal)).toBe(false)
  expect(google.received.at(-1)).toMatchObject({
    method: 'GET',
    path: expect.stringContaining('testPermissions'),
  })
})

test('bytes are read unchanged, and a missing key is distinguished from a missing bucket', async () => {
  google.answer({ headers: { 'content-type': 'image/jpeg' }, body: 'picture' })
  expect((await readAllBytes(bucket.read('a/1.jpg', {}, signal))).toString()).toBe('picture')
  google.answer(failure(404, 'No such object'))
  await expect(readAllBytes(bucket.read('a/1.jpg', {}, signal))).rejects.toMatchObject({
    reason: 'no_key',
  })
})

describe('an upload', () => {
  const mebibyte = Buffer.alloc(1024 * 1024)
  const address = { location: `${google.url}/upload/session` }
  const session = (answer: Reply) => {
    google.received.splice(0)
    google.answer(({ method }) => {
      if (method === 'POST') return { headers: address }
      return method === 'DELETE' ? { status: 499 } : answer
    })
  }
  const ranges = () =>
    google.received.map(({ method, headers }) => `${method} ${headers['content-range'] ?? ''}`)

  test('an upload is sent in parts, and the last part states the total size', async () => {
    session({ status: 308 })
    google.answer(({ method, headers }) => {
      if (method === 'POST') return { headers: address }
      return { status: headers['content-range']?.endsWith('/*') ? 308 : 200 }
    })
    await bucket.write('a.zip', bytesOf(...new Array(9).fill(mebibyte)), signal)
    expect(ranges()).toEqual([
      'POST ',
      'PUT bytes 0-8388607/*',
      'PUT bytes 8388608-9437183/9437184',
    ])
    session({ status: 200 })
    await bucket.write('empty', bytesOf(), signal)
    expect(ranges()).toEqual(['POST ', 'PUT bytes */0'])
  })

  test('an upload whose source fails is cancelled', async () => {
    session({ status: 308 })
    async function* broken() {
      for (let count = 0; count < 9; count++) yield mebibyte
      throw new Error('broken')
    }
    await expect(bucket.write('a.zip', broken(), signal)).rejects.toThrow('broken')
    expect(ranges()).toEqual(['POST ', 'PUT bytes 0-8388607/*', 'DELETE '])
  })

  test.each([
    [403, 'forbidden'],
    [404, 'not_found'],
    [500, 'unreachable'],
  ])(
    'an upload that is rejected with %i fails with %s, at its start and later',
    async (status, reason) => {
      session({ status })
      const attempt = bucket.write('a.zip', bytesOf('a'), signal)
      await expect(attempt).rejects.toMatchObject({ reason })
      google.answer(failure(status, 'secret of the account'))
      const begun = bucket.write('a.zip', bytesOf('a'), signal)
      await expect(begun).rejects.toMatchObject({ reason, message: `bucket: ${reason}` })
    },
  )

  test('an anonymous upload is forbidden without a request', async () => {
    const open = bucketOpener({ nets: [] })
    const nobody = await open({ provider: 'google', bucket: 'frames' })
    const attempt = nobody.write('a.zip', bytesOf('a'), signal)
    await expect(attempt).rejects.toMatchObject({ reason: 'forbidden' })
  })
})

test('a call to a store that does not respond ends with its signal', async () => {
  google.answer({ status: 'hang' })
  expect(await bucket.probe('', AbortSignal.timeout(200))).toBe('not_found')
})
