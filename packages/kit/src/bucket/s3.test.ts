import { afterAll, expect, test } from 'vitest'
import { readNets } from '../outgoing/guard.ts'
import { bytesOf } from '../testing/bytes.ts'
import { startEndless } from '../testing/endless.ts'
import { startReceiver } from '../testing/receiver.ts'
import { startS3 } from '../testing/s3-server.ts'
import type { S3Address } from './address.ts'
import { bucketContract, contractObjects } from './contract.ts'
import { bucketOpener } from './open.ts'

const store = await startS3()
const other = await startReceiver()
afterAll(async () => {
  await store.close()
  await other.close()
})
const objects = Object.entries(contractObjects).map(
  ([key, text]) => [key, Buffer.from(text)] as const,
)
for (const name of ['frames', 'public', 'archive']) store.buckets.set(name, new Map(objects))
store.open.add('public')
store.sealed.add('archive')

const nets = readNets(['127.0.0.0/8'])
const credentials = { key: store.key, secret: store.secret }
const open = (given: Partial<S3Address> = {}, allowed = nets) =>
  bucketOpener({ nets: allowed })({
    provider: 's3',
    bucket: 'frames',
    endpoint: store.url,
    credentials,
    ...given,
  })
const { signal } = new AbortController()

const frames = await open()
const none = await open({ bucket: 'nothing-here' })
bucketContract('S3', {
  bucket: () => frames,
  missing: () => none,
  unfinished: async () => store.unfinished(),
})

test('opening many buckets does not slow down unrelated promises', async () => {
  const before = await costOfPromises()
  for (let times = 0; times < 100; times++) await (await open()).probe('', signal)
  expect(await costOfPromises()).toBeLessThan(5 * before)
})

/** Returns processor time in microseconds. */
async function costOfPromises(): Promise<number> {
  const began = process.cpuUsage()
  for (let made = 0; made < 100_000; made++) await undefined
  const { user, system } = process.cpuUsage(began)
  return user + system
}

test('without credentials only a public bucket can be read', async () => {
  const anybody = await open({ bucket: 'public', credentials: undefined })
  expect(await anybody.probe('', signal)).toBe('available')
  expect(await (await open({ credentials: undefined })).probe('', signal)).toBe('forbidden')
})

test('unknown credentials are forbidden', async () => {
  const stranger = await open({ credentials: { key: 'AKIDOTHER', secret: 'x' } })
  expect(await stranger.probe('', signal)).toBe('forbidden')
  const attempt = stranger.list({ prefix: '', size: 1 }, signal)
  await expect(attempt).rejects.toMatchObject({ reason: 'forbidden', message: 'bucket: forbidden' })
})

test('missing permission to write is found without writing an object', async () => {
  const archive = await open({ bucket: 'archive' })
  expect(await archive.canWrite(signal)).toBe(false)
  expect(store.buckets.get('archive')?.size).toBe(objects.length)
})

test('a write without permission leaves the object unchanged', async () => {
  const archive = await open({ bucket: 'archive' })
  const attempt = archive.write('a.txt', bytesOf('other'), signal)
  await expect(attempt).rejects.toMatchObject({ reason: 'forbidden' })
  expect(store.buckets.get('archive')?.get('a.txt')?.toString()).toBe('first')
})

test('a blocked address never receives a request, in any spelling', async () => {
  const calls = store.calls()
  const { port } = new URL(store.url)
  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', 'localhost']) {
    const bucket = await open({ endpoint: `http://${host}:${port}` }, [])
    expect(await bucket.probe('', signal), host).toBe('not_found')
    const attempt = bucket.list({ prefix: '', size: 1 }, signal)
    await expect(attempt, host).rejects.toMatchObject({ reason: 'blocked' })
    const write = bucket.write('a', bytesOf('a'), signal)
    await expect(write, host).rejects.toMatchObject({ reason: 'blocked' })
  }
  const mapped = open({ endpoint: `http://[::ffff:127.0.0.1]:${port}` }, [])
  await expect(mapped).rejects.toMatchObject({ reason: 'unreachable' })
  expect(store.calls()).toBe(calls)
})

test('a redirect to another host is not followed', async () => {
  const calls = store.calls()
  other.answer({ status: 307, headers: { location: `${store.url}/frames?list-type=2` } })
  const bucket = await open({ endpoint: other.url, region: 'eu-1' })
  expect(await bucket.probe('', signal)).toBe('not_found')
  expect(store.calls()).toBe(calls)
})

test('a response without an end is cut off', async () => {
  const endless = await startEndless()
  const bucket = await open({ endpoint: endless.url, region: 'eu-1' })
  const attempt = bucket.list({ prefix: '', size: 1 }, signal)
  await expect(attempt).rejects.toMatchObject({ reason: 'unreachable' })
  await endless.close()
})

test('a call to a store that does not respond ends with its signal', async () => {
  other.answer({ status: 'hang' })
  const bucket = await open({ endpoint: other.url, region: 'eu-1' })
  expect(await bucket.probe('', AbortSignal.timeout(100))).toBe('not_found')
})

test('temporary credentials are sent with their session token', async () => {
  other.answer({ status: 404 })
  const bucket = await open({
    endpoint: other.url,
    credentials: { ...credentials, sessionToken: 'lent for an hour' },
  })
  await bucket.probe('', signal)
  expect(other.received.at(-1)?.headers['x-amz-security-token']).toBe('lent for an hour')
})
