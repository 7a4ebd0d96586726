import { createHash, randomBytes } from 'node:crypto'
import { afterAll, afterEach, expect, test } from 'vitest'
import { testBucket } from '../testing/bucket.ts'
import { bytesOf } from '../testing/bytes.ts'
import { openProxy } from '../testing/proxy.ts'
import type { BlobStore, Range } from './blob.ts'
import { s3Blobs } from './s3.ts'
import { blobContract } from './testing/contract.ts'

const { options, blobs, client, unfinished } = await testBucket()
const { bucket } = options
/** The same store behind a proxy that injects network faults. */
const { hostname: host, port } = new URL(options.endpoint)
const proxy = await openProxy({ host, port: Number(port) })
const failures: unknown[] = []
const far = await s3Blobs({
  ...options,
  endpoint: `http://127.0.0.1:${proxy.port}`,
  onError: (thrown) => failures.push(thrown),
})
afterEach(proxy.heal)
afterAll(proxy.close)

blobContract('MinIO', blobs)

const mebibyte = 1024 * 1024
const block = randomBytes(mebibyte)

async function* blocks(count: number, seen = { count: 0 }) {
  for (; seen.count < count; seen.count++) yield block
}

async function read(store: BlobStore, key: string, range?: Range) {
  const hash = createHash('sha256')
  let size = 0
  for await (const piece of (await store.get(key, range)).chunks) {
    hash.update(piece)
    size += piece.length
  }
  return { size, sha256: hash.digest('hex') }
}

const gone = { kind: 'unavailable', retry_after: 2 }
const missing = { kind: 'not_found' }

test('a stream of 40 MiB of unknown size is stored in parts and can be read back', async () => {
  const stored = await blobs.put('s3/large', blocks(40))
  expect(stored.size).toBe(40 * mebibyte)
  expect(stored.etag).toMatch(/-5$/)
  const { size, sha256 } = stored
  expect(await read(blobs, 's3/large')).toEqual({ size, sha256 })
  expect(await blobs.stat('s3/large')).toMatchObject({ size, etag: stored.etag })
  const part = await read(blobs, 's3/large', { start: 20 * mebibyte, end: 25 * mebibyte - 1 })
  expect(part.size).toBe(5 * mebibyte)
})

test.each([8, 16])('an object of %i MiB, a whole number of parts, is complete', async (count) => {
  const { size, sha256 } = await blobs.put('s3/even', blocks(count))
  expect(await read(blobs, 's3/even')).toEqual({ size, sha256 })
})

test('a source that fails half-way leaves no object and no unfinished upload', async () => {
  async function* broken() {
    yield* blocks(20)
    throw new Error('source broke')
  }
  await expect(blobs.put('s3/broken', broken())).rejects.toThrow('source broke')
  await expect(blobs.stat('s3/broken')).rejects.toMatchObject(missing)
  expect(await unfinished()).toEqual([])
})

test('an abort ends a put at once, even while its source is silent, and leaves nothing behind', async () => {
  const abort = new AbortController()
  async function* silent() {
    yield* blocks(20)
    setTimeout(() => abort.abort(new Error('caller left')), 10)
    await new Promise(() => {})
  }
  const attempt = blobs.put('s3/aborted', silent(), { signal: abort.signal })
  await expect(attempt).rejects.toThrow('caller left')
  await expect(blobs.stat('s3/aborted')).rejects.toMatchObject(missing)
  expect(await unfinished()).toEqual([])
})

test('unfinished uploads of a crash are removed when they are old enough', async () => {
  await client.initiateNewMultipartUpload(bucket, 's3/crashed', {})
  expect(await blobs.removeUnfinished(new Date(Date.now() - 60_000))).toBe(0)
  expect(await unfinished()).toEqual(['s3/crashed'])
  expect(await blobs.removeUnfinished(new Date(Date.now() + 60_000))).toBe(1)
  expect(await unfinished()).toEqual([])
})

test('a slow store limits how far the source is read ahead', async () => {
  const abort = new AbortController()
  const seen = { count: 0 }
  proxy.throttle(1000)
  const attempt = far.put('s3/slow', blocks(1000, seen), { signal: abort.signal })
  const ended = expect(attempt).rejects.toThrow('enough')
  await expect.poll(() => seen.count, { timeout: 60_000 }).toBeGreaterThan(24)
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(seen.count).toBeLessThanOrEqual(40)
  proxy.heal()
  abort.abort(new Error('enough'))
  await ended
})

test('a missing bucket contains no objects, and the first put creates it', async () => {
  const other = `${bucket}-other`
  const store = await s3Blobs({ ...options, bucket: other })
  await client.removeBucket(other)
  await expect(store.get('s3/a')).rejects.toMatchObject(missing)
  await expect(store.stat('s3/a')).rejects.toMatchObject(missing)
  expect(await store.put('s3/a', bytesOf('here'))).toMatchObject({ size: 4 })
  await store.remove('s3/a')
  await client.removeBucket(other)
  expect(await store.put('s3/b', blocks(9))).toMatchObject({ size: 9 * mebibyte })
  await store.remove('s3/b')
  await client.removeBucket(other)
})

test('a presigned address serves the object and its ranges under a file name, read-only, until it expires', async () => {
  await blobs.put('s3/presigned', bytesOf('0123456789'))
  const wanted = { type: 'application/zip', filename: 'Ärger 1.zip' }
  const address = (seconds: number) => blobs.presign?.('s3/presigned', { seconds, ...wanted })
  const lasting = String(await address(60))
  const get = (init?: RequestInit) => fetch(lasting, init)
  const whole = await get()
  expect([whole.status, await whole.text()]).toEqual([200, '0123456789'])
  expect(whole.headers.get('content-type')).toBe('application/zip')
  expect(whole.headers.get('content-disposition')).toBe(
    `attachment; filename="_rger 1.zip"; filename*=UTF-8''%C3%84rger%201.zip`,
  )
  const part = await get({ headers: { range: 'bytes=2-4' } })
  expect([part.status, await part.text()]).toEqual([206, '234'])
  expect((await get({ method: 'PUT', body: 'other' })).status).toBe(403)
  const brief = String(await address(1))
  await expect.poll(async () => (await fetch(brief)).status, { timeout: 60_000 }).toBe(403)
})

test('objects are complete over a connection with high latency and low bandwidth', async () => {
  proxy.latency(100)
  proxy.throttle(2 * mebibyte)
  const { size, sha256 } = await far.put('s3/distant', blocks(3))
  expect(await read(far, 's3/distant')).toEqual({ size, sha256 })
})

test('a get whose connection breaks yields some pieces and then is unavailable', async () => {
  await blobs.put('s3/cut', blocks(20))
  proxy.throttle(4 * mebibyte)
  let size = 0
  const reading = async () => {
    for await (const piece of (await far.get('s3/cut')).chunks) {
      if (size === 0) setTimeout(proxy.cut, 100)
      size += piece.length
    }
  }
  await expect(reading()).rejects.toMatchObject(gone)
  expect(size).toBeGreaterThan(0)
  expect(size).toBeLessThan(20 * mebibyte)
})

test.each([1, 20])('a put of %i MiB over a broken connection leaves no object', async (n) => {
  proxy.throttle(2 * mebibyte)
  setTimeout(proxy.cut, 100)
  await expect(far.put('s3/half', blocks(n))).rejects.toMatchObject(gone)
  proxy.heal()
  await expect(far.stat('s3/half')).rejects.toMatchObject(missing)
})

test('calls to a silent store become unavailable within seconds', async () => {
  await far.put('s3/known', bytesOf('x'))
  proxy.blackHole()
  const calls = [far.get('s3/known'), far.stat('s3/known'), far.put('s3/known', bytesOf('y'))]
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: gone })
  expect(failures.map(String).join()).toContain('was silent for 10 seconds')
  proxy.heal()
  expect((await far.stat('s3/known')).size).toBe(1)
}, 30_000)
