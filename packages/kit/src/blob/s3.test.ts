import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client } from 'minio'
import { afterAll, expect, test } from 'vitest'
import { bytesOf } from '../testing/bytes.ts'
import { startS3 } from '../testing/s3-server.ts'
import { stepBytes } from './blob.ts'
import { s3Blobs } from './s3.ts'
import { stepsContract } from './testing/steps-contract.ts'

/**
 * Faults that a real store rarely shows, produced by a fake one. The usual behaviour is tested in `s3.cluster.test.ts`.
 */
type Answer = (request: IncomingMessage, response: ServerResponse) => void

const servers: ReturnType<typeof createServer>[] = []
afterAll(() => {
  for (const server of servers) server.closeAllConnections()
  for (const server of servers) server.close()
})

async function storeThat(answer: Answer) {
  const server = createServer((request, response) => {
    if (request.method === 'HEAD' && request.url?.match(/^\/bucket\/?$/)) response.end()
    else answer(request, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const failures: unknown[] = []
  const blobs = await s3Blobs({
    ...credentials,
    endpoint: `http://127.0.0.1:${typeof address === 'object' && address?.port}`,
    onError: (thrown) => failures.push(thrown),
  })
  return { blobs, failures }
}

const credentials = {
  accessKey: 'key',
  secretKey: 'a secret key',
  bucket: 'bucket',
  region: 'us-east-1',
}
function clientOf(url: string) {
  const { hostname: endPoint, port } = new URL(url)
  const { bucket: _, ...account } = credentials
  return { client: new Client({ endPoint, port: Number(port), useSSL: false, ...account }) }
}

const gone = { kind: 'unavailable', retry_after: 2 }

test('a call that gets a busy status is repeated exactly once', async () => {
  const statuses = [503, 200, 503, 500, 200]
  const { blobs, failures } = await storeThat((_, response) => {
    response.writeHead(statuses.shift() ?? 0, { 'content-length': 2 }).end('ok')
  })
  expect(await text((await blobs.get('a')).chunks)).toBe('ok')
  await expect(blobs.get('a')).rejects.toMatchObject(gone)
  expect(failures.map(String)).toEqual(['Error: the object storage answered 500'])
  expect(statuses).toEqual([200])
})

test('a call whose connection breaks before the response is repeated once', async () => {
  let count = 0
  const { blobs } = await storeThat(({ socket }, response) => {
    if (++count === 1) socket.resetAndDestroy()
    else response.end('ok')
  })
  await blobs.remove('a').catch(() => undefined)
  expect(count).toBe(2)
})

test('an object that the store truncated is removed, and the put fails', async () => {
  const asked: string[] = []
  const { blobs } = await storeThat((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    const head = { etag: '"half"', 'content-length': 4, 'last-modified': new Date().toUTCString() }
    if (request.method === 'HEAD') response.writeHead(200, head).end()
    else response.writeHead(request.method === 'DELETE' ? 204 : 200, { etag: '"half"' }).end()
  })
  await expect(blobs.put('a', bytesOf('12345678'))).rejects.toMatchObject({
    ...gone,
    message: 'The object storage kept 4 of 8 bytes.',
  })
  expect(asked).toEqual(['PUT /bucket/a', 'HEAD /bucket/a', 'DELETE /bucket/a'])
})

test('a response that ends early yields its pieces and then is unavailable', async () => {
  const { blobs } = await storeThat((_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half')
    setTimeout(() => response.destroy(), 20)
  })
  const { size, chunks } = await blobs.get('a')
  expect(size).toBe(100)
  const pieces = chunks[Symbol.asyncIterator]()
  expect(String((await pieces.next()).value)).toBe('half')
  await expect(pieces.next()).rejects.toMatchObject(gone)
})

test.each([
  ['all of it', { 'content-length': 10 }],
  ['fewer bytes', { 'content-length': 2, 'content-range': 'bytes 2-3/10' }],
])('a response with %s instead of the range is unavailable', async (_, headers) => {
  const { blobs } = await storeThat((_request, response) => {
    const length = headers['content-length']
    response.writeHead('content-range' in headers ? 206 : 200, headers).end('x'.repeat(length))
  })
  await expect(blobs.get('a', { start: 2, end: 5 })).rejects.toMatchObject(gone)
})

test('a reader that stops early closes the connection, and the rest is not transferred', async () => {
  let closed: Promise<unknown> | undefined
  const { blobs } = await storeThat((_, response) => {
    closed = once(response, 'close')
    response.writeHead(200, { 'content-length': 100_000_000 })
    response.write(Buffer.alloc(50_000_000))
  })
  for await (const piece of (await blobs.get('a')).chunks) {
    expect(piece.length).toBeLessThanOrEqual(65_536)
    break
  }
  await closed
})

test('an unreachable store does not prevent the start, and its calls are unavailable at once', async () => {
  const failures: unknown[] = []
  const onError = (thrown: unknown) => failures.push(thrown)
  const blobs = await s3Blobs({ ...credentials, endpoint: 'http://127.0.0.1:1', onError })
  expect(failures.length).toBe(1)
  const begun = performance.now()
  await expect(blobs.get('a')).rejects.toMatchObject(gone)
  await expect(blobs.stat('a')).rejects.toMatchObject(gone)
  await expect(blobs.put('a', bytesOf('x'))).rejects.toMatchObject(gone)
  await expect(blobs.remove('a')).rejects.toMatchObject(gone)
  await expect(blobs.list('a')[Symbol.asyncIterator]().next()).rejects.toMatchObject(gone)
  expect(performance.now() - begun).toBeLessThan(1000)
})

test('rejected credentials and invalid addresses end the start with a clear message', async () => {
  const refused = createServer((_, response) => response.writeHead(403).end())
  servers.push(refused)
  refused.listen(0, '127.0.0.1')
  await once(refused, 'listening')
  const address = refused.address()
  const endpoint = `http://127.0.0.1:${typeof address === 'object' && address?.port}`
  await expect(s3Blobs({ ...credentials, endpoint })).rejects.toThrow(
    `the bucket "bucket" cannot be used at ${endpoint}: AccessDenied`,
  )
  for (const wrong of ['minio:9000', 'http://host:9000/path', 'ftp://host', 'http://...@host'])
    await expect(
      s3Blobs({ ...credentials, endpoint: wrong.replace('...', 'key:secret') }),
    ).rejects.toThrow(`must look like http://host:9000, not "${wrong}"`)
})

const memory = await startS3(credentials.accessKey, credentials.secretKey)
memory.buckets.set(credentials.bucket, new Map())
afterAll(memory.close)
const stepping = await s3Blobs({ ...credentials, endpoint: memory.url })

stepsContract('an S3 in memory', stepping)

test('a put does not continue from parts that have been overwritten', async () => {
  const told: { size: number; mark: string }[] = []
  async function* broken() {
    yield Buffer.alloc(2.5 * stepBytes, 'x')
    await expect.poll(() => told.at(-1)?.size).toBe(2 * stepBytes)
    throw new Error('source broke')
  }
  const steps = { isDue: () => true, onStored: (begun: (typeof told)[number]) => told.push(begun) }
  await expect(stepping.putInSteps('over', broken(), steps)).rejects.toThrow('source broke')
  const [from] = told
  if (!from) throw new Error('nothing was told')
  const { client } = clientOf(memory.url)
  const [, uploadID = ''] = from.mark.split(' ')
  const place = { bucketName: credentials.bucket, objectName: 'over', uploadID, partNumber: 1 }
  await client.uploadPart({ ...place, headers: {} }, Buffer.alloc(stepBytes, 'y'))
  const again = stepping.putInSteps('over', bytesOf('rest'), { ...steps, from })
  await expect(again).rejects.toThrow('What was stored of over is gone.')
})
