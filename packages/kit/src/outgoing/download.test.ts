import { createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { startEndless } from '../testing/endless.ts'
import { type Reply, startReceiver, type TestReceiver } from '../testing/receiver.ts'
import { DownloadFailed, type OutgoingDownloadOptions, openDownloads } from './download.ts'
import { readNets } from './guard.ts'

/** Downloads from addresses of users. See docs/spec/reliability.md#outgoing-calls. */

const patient = { connectMs: 60_000, headersMs: 60_000, idleMs: 60_000 }
const hasty = { connectMs: 300, headersMs: 400, idleMs: 200 }
const loopback = {
  nets: readNets(['127.0.0.0/8']),
  allowHttp: true,
  maxBytes: 100_000,
  limits: patient,
}
const { signal } = new AbortController()

const there = await startReceiver()
const closing: (() => unknown)[] = []
beforeEach(() => there.answer({}))
afterEach(async () => {
  there.received.length = 0
  for (const close of closing.splice(0)) await close()
})
afterAll(there.close)

async function fetchAll(
  url: string,
  options: Partial<OutgoingDownloadOptions> = {},
  stop = signal,
) {
  const downloads = openDownloads({ ...loopback, ...options })
  closing.push(downloads.close)
  const pieces: Uint8Array[] = []
  for await (const piece of await downloads.open(url, stop)) pieces.push(piece)
  return pieces
}
const failing = (url: string, options?: Partial<OutgoingDownloadOptions>) =>
  fetchAll(url, options).then(
    () => undefined,
    (thrown) => thrown,
  )

test('a file arrives in small pieces and unchanged', async () => {
  const body = gzipSync(
    Buffer.from(Array.from({ length: 80_000 }, (_, index) => (index * 7919) % 251)),
  )
  const large = Buffer.concat([body, Buffer.alloc(90_000 - body.length, 7)])
  there.answer({ body: large, headers: { 'content-encoding': 'gzip' } })
  const pieces = await fetchAll(`${there.url}/a.jpg?x=1`)
  expect(Buffer.concat(pieces)).toEqual(large)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(65_536)
  expect(there.received).toMatchObject([
    { method: 'GET', path: '/a.jpg?x=1', headers: { 'accept-encoding': 'identity' } },
  ])
})

/** Replies to `/n` with a redirect to `/n-1`, and to `/0` with the file. */
const counting =
  (receiver: TestReceiver, status = 302) =>
  ({ path }: { path: string }): Reply => {
    const left = Number(path.slice(1))
    return left === 0
      ? { body: 'here' }
      : { status, headers: { location: `${receiver.url}/${left - 1}` } }
  }

test.each([301, 302, 303, 307, 308])(
  'five redirects with %i are followed, and six are not',
  async (status) => {
    there.answer(counting(there, status))
    expect(String(Buffer.concat(await fetchAll(`${there.url}/5`)))).toBe('here')
    expect(await failing(`${there.url}/6`)).toMatchObject({ message: 'more than 5 redirects' })
  },
)

test('a redirect may be relative, and its fragment is dropped', async () => {
  there.answer(({ path }) =>
    path === '/a/b' ? { status: 302, headers: { location: '../c#d' } } : { body: path },
  )
  expect(String(Buffer.concat(await fetchAll(`${there.url}/a/b`)))).toBe('/c')
})

test.each([
  'http://10.0.0.1/a',
  'http://[::1]/',
  'http://localhost/',
  'file:///etc/passwd',
  'ftp://example.org/a',
  'http://user:pw@example.org/',
])('a redirect to %s is not followed', async (location) => {
  there.answer({ status: 302, headers: { location } })
  const thrown = await failing(`${there.url}/a`, { nets: readNets(['127.0.0.1/32']) })
  expect(thrown).toBeInstanceOf(DownloadFailed)
  expect(thrown).toMatchObject({ message: 'target address is not allowed', isPassing: false })
})

test('a name that resolves to an internal address receives no request', async () => {
  const lookup: OutgoingDownloadOptions['lookup'] = (_host, _options, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])
  const { port } = new URL(there.url)
  const thrown = await failing(`http://example.org:${port}/a`, { nets: [], lookup })
  expect(thrown).toMatchObject({ message: 'target address is not allowed' })
  expect(there.received).toEqual([])
})

test.each([
  [404, 'the answer was 404', false],
  [403, 'the answer was 403', false],
  [204, 'the answer was 204', false],
  [206, 'the answer was 206', false],
  [304, 'the answer was 304', false],
  [429, 'the answer was 429', true],
  [500, 'the answer was 500', true],
  [503, 'the answer was 503', true],
])(
  'status %i fails the download with the message %s, transient: %s',
  async (status, message, isPassing) => {
    there.answer({ status, ...(status === 404 && { body: 'secret of the other side' }) })
    expect(await failing(`${there.url}/a`)).toMatchObject({ message, isPassing })
  },
)

test('a file that is too large is not read to its end', async () => {
  const endless = await startEndless()
  closing.push(endless.close)
  expect(await failing(endless.url)).toMatchObject({
    message: 'the file is larger than 100000 bytes',
    isPassing: false,
  })
})

/** Starts a server that replies to any request with these bytes and keeps the connection open unless closed. */
async function raw(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  closing.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`
}
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc'

test.each<[string, (socket: Socket) => void, string]>([
  [
    'a body that ends early',
    (socket) => socket.end(head),
    'the connection was closed before an answer',
  ],
  ['a body that stops', (socket) => socket.write(head), 'no answer in time'],
  ['silence', () => undefined, 'no answer in time'],
  ['a reset', (socket) => socket.resetAndDestroy(), 'the connection was closed before an answer'],
])('%s is a transient failure', async (_, answer, message) => {
  const limits = message === 'no answer in time' ? hasty : patient
  expect(await failing(await raw(answer), { limits })).toMatchObject({ message, isPassing: true })
})

test('a response that is not HTTP is a permanent failure', async () => {
  const url = await raw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'))
  expect(await failing(url)).toMatchObject({
    message: 'the answer is not valid HTTP',
    isPassing: false,
  })
})

test.each(['before the answer', 'within the body'])(
  'an abort %s ends the download',
  async (when) => {
    const stop = new AbortController()
    const url = await raw((socket) => {
      if (when === 'within the body') socket.write(head)
      setTimeout(() => stop.abort(new Error('enough')), 20)
    })
    await expect(fetchAll(url, {}, stop.signal)).rejects.toThrow('enough')
  },
)
