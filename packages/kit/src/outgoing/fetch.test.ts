import { createServer as createHttp, type RequestListener } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { createServer as createRaw, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { type Certificate, selfSigned } from './certificate.ts'
import { type OutgoingOptions, openOutgoing } from './fetch.ts'
import { readNets } from './guard.ts'

/** Answers of T-WH-7 (`reliability.md` 7.3), with shorter times. */

const nextYear = new Date(Date.now() + 365 * 86_400_000)
const limits = { connectMs: 300, headersMs: 400, bodyMs: 200, bodyBytes: 1024 * 1024 }
const loopback: OutgoingOptions = { nets: readNets(['127.0.0.0/8']), allowHttp: true, limits }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  open.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

function ask(url: string, options: OutgoingOptions = loopback, isVerified = true) {
  const outgoing = openOutgoing(options)
  open.push(() => outgoing.close())
  return outgoing.send({ url, method: 'POST', headers: {}, body: Buffer.from('{}'), isVerified })
}

const answering = async (listener: RequestListener) =>
  `http://127.0.0.1:${await listen(createHttp({ maxHeaderSize: 65_536 }, listener))}/`
const raw = async (onRequest: (socket: Socket) => void) => {
  const server = createRaw((socket) => socket.once('data', () => onRequest(socket)))
  return `http://127.0.0.1:${await listen(server)}/`
}
const statusLine = 'HTTP/1.1 200 OK\r\n'

test.each([200, 204, 301, 302, 400, 404, 408, 410, 429, 500, 503])(
  'status %i is an answer',
  async (status) => {
    const url = await answering((_, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/', 'retry-after': '30' }).end()
    })
    expect(await ask(url)).toMatchObject({ kind: 'answered', status, retryAfter: '30', body: '' })
  },
)

test('a redirect is not followed', async () => {
  let asked = 0
  const url = await answering((_, response) => {
    asked += 1
    response.writeHead(307, { location: '/again' }).end()
  })
  await ask(url)
  expect(asked).toBe(1)
})

test('the body is kept as text', async () => {
  const url = await answering((_, response) => response.end('grüß dich'))
  expect(await ask(url)).toMatchObject({ body: 'grüß dich' })
})

test.each([
  ['a reset', 'broken', (socket: Socket) => socket.resetAndDestroy()],
  [
    'half of the headers, then the end',
    'broken',
    (socket: Socket) => socket.end(`${statusLine}X-A: b`),
  ],
  ['half of the headers, then silence', 'timeout', (socket: Socket) => socket.write(statusLine)],
  ['silence', 'timeout', () => undefined],
  [
    '20 KB of headers',
    'malformed',
    (socket: Socket) => socket.end(`${statusLine}X-A: ${'a'.repeat(20_000)}\r\n\r\n`),
  ],
  [
    'something that is not HTTP',
    'malformed',
    (socket: Socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'),
  ],
  [
    'a status that is none',
    'malformed',
    (socket: Socket) => socket.end('HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n'),
  ],
] as const)('%s: %s', async (_title, reason, onRequest) => {
  expect(await ask(await raw(onRequest))).toMatchObject({ kind: 'failed', reason })
})

test('a body that trickles counts as empty after its time, the status stands', async () => {
  const url = await raw((socket) => {
    socket.write(`${statusLine}Content-Length: 1000\r\n\r\n`)
    const timer = setInterval(() => socket.write('a'), 20)
    socket.on('close', () => clearInterval(timer))
  })
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
})

test('a body that ends early counts as empty', async () => {
  const url = await raw((socket) => socket.end(`${statusLine}Content-Length: 1000\r\n\r\nabc`))
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
})

test('an endless body is cut at its limit and never held', async () => {
  const before = process.memoryUsage().rss
  let sent = 0
  const piece = Buffer.alloc(65_536, 'a')
  const url = await answering((_, response) => {
    const more = () => {
      while (response.writable && response.write(piece)) sent += piece.length
    }
    response.on('drain', more).on('error', () => undefined)
    more()
  })
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
  expect(sent).toBeLessThan(32 * 1024 * 1024)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
})

test('a compressed body is not unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  const url = await answering((_, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
  )
  const outcome = await ask(url)
  expect(outcome).toMatchObject({ kind: 'answered', status: 200 })
  expect(outcome.kind === 'answered' && outcome.body.length).toBeLessThanOrEqual(bomb.length)
})

test('nobody there', async () => {
  const port = await listen(createRaw())
  await open.pop()?.()
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ reason: 'refused' })
})

test('a name that does not exist', async () => {
  const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  const lookup: OutgoingOptions['lookup'] = (_host, _options, done) => done(missing, [])
  expect(await ask('http://example.org/', { ...loopback, lookup })).toMatchObject({
    reason: 'unresolved',
  })
})

/** https://receiver.test:port, resolved to loopback. */
async function secure(server: (given: Certificate) => Server, given: Certificate) {
  const url = `https://receiver.test:${await listen(server(given))}/`
  const lookup: OutgoingOptions['lookup'] = (_host, _options, done) =>
    done(null, [{ address: '127.0.0.1', family: 4 }])
  return { url, options: { ...loopback, lookup } }
}
const https = (given: Certificate): Server =>
  createHttps(given, (_, response) => response.end('ok'))

test('a certificate of a known root is accepted', async () => {
  const own = selfSigned('receiver.test', nextYear)
  const { url, options } = await secure(https, own)
  expect(await ask(url, { ...options, ca: own.cert })).toMatchObject({ status: 200, body: 'ok' })
})

test.each([
  ['of an unknown root', selfSigned('receiver.test', nextYear), false],
  ['for another name', selfSigned('other.test', nextYear), true],
  ['that has expired', selfSigned('receiver.test', new Date(Date.now() - 86_400_000)), true],
])('a certificate %s is refused, unless verification is off', async (_title, own, isKnown) => {
  const { url, options } = await secure(https, own)
  const trusting = isKnown ? { ...options, ca: own.cert } : options
  expect(await ask(url, trusting)).toMatchObject({ kind: 'failed', reason: 'certificate' })
  expect(await ask(url, trusting, false)).toMatchObject({ kind: 'answered', status: 200 })
})

test('TLS below 1.2 is refused, with verification off as well', async () => {
  const old = (given: Certificate): Server =>
    createHttps({
      ...given,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'ALL:@SECLEVEL=0',
    })
  const { url, options } = await secure(old, selfSigned('receiver.test', nextYear))
  expect(await ask(url, options, false)).toMatchObject({ reason: 'certificate' })
})

test('a receiver that speaks only HTTP/2 is a failure, not a hang', async () => {
  const h2 = (given: Certificate): Server => createSecureServer({ ...given, allowHTTP1: false })
  const { url, options } = await secure(h2, selfSigned('receiver.test', nextYear))
  expect(await ask(url, options, false)).toMatchObject({ kind: 'failed' })
})
