import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createRaw, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type AnswerName, startAnswer, toLoopback } from '../testing/answers.ts'
import { type OutgoingFailureReason, type OutgoingOptions, openOutgoing } from './fetch.ts'
import { readNets } from './guard.ts'

/** Responses of the test T-WH-7, with shorter limits. */

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
/** Starts one of the servers of T-WH-7, and returns the options for its certificate and name. */
async function answer(name: AnswerName) {
  const { url, ca, sent, close } = await startAnswer(name)
  open.push(close)
  return { url, sent, options: { ...loopback, lookup: toLoopback, ca } }
}

const statuses = [200, 204, 301, 302, 400, 404, 408, 410, 429, 500, 503] as const
test.each(statuses)('status %i is an answer', async (status) => {
  const { url } = await answer(`${status}`)
  expect(await ask(url)).toMatchObject({ kind: 'answered', status, retryAfter: '30', body: '' })
})

test('a redirect is not followed', async () => {
  let asked = 0
  const url = await answering((_, response) => {
    asked += 1
    response.writeHead(307, { location: '/again' }).end()
  })
  await ask(url)
  expect(asked).toBe(1)
})

test('the body is returned as text', async () => {
  const { url } = await answer('a text')
  expect(await ask(url)).toMatchObject({ body: 'grüß dich' })
})

test.each<[AnswerName, OutgoingFailureReason]>([
  ['a reset', 'broken'],
  ['half of the headers, then the end', 'broken'],
  ['half of the headers, then silence', 'timeout'],
  ['11 s of silence', 'timeout'],
  ['headers at 1 byte/s', 'timeout'],
  ['20 KB of headers', 'malformed'],
  ['something that is not HTTP', 'malformed'],
  ['a status that is none', 'malformed'],
])('a response with %s fails as %s', async (name, reason) => {
  const { url } = await answer(name)
  expect(await ask(url)).toMatchObject({ kind: 'failed', reason })
})

test.each<AnswerName>(['a body at 1 byte/s', 'a body that trickles', 'a body that ends early'])(
  '%s counts as empty, and its status is kept',
  async (name) => {
    const { url } = await answer(name)
    expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
  },
)

const mebibyte = 1024 * 1024

test('an endless body is cut off at the limit and never buffered', async () => {
  const before = process.memoryUsage().rss
  const { url, sent } = await answer('a body without an end')
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
  expect(sent()).toBeLessThan(32 * mebibyte)
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * mebibyte)
})

test('a body whose declared size exceeds the limit is not read', async () => {
  const { url, sent } = await answer('a body of 1 GB')
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
  expect(sent()).toBeLessThan(16 * mebibyte) // buffers of the operating system
})

test('a compressed body is not decompressed and counts as empty', async () => {
  const { url } = await answer('a gzip bomb')
  expect(await ask(url)).toMatchObject({ kind: 'answered', status: 200, body: '' })
})

test('a closed port fails as refused', async () => {
  const port = await listen(createRaw())
  await open.pop()?.()
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ reason: 'refused' })
})

test('a name that does not exist fails as unresolved', async () => {
  const missing = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })
  const lookup: OutgoingOptions['lookup'] = (_host, _options, done) => done(missing, [])
  expect(await ask('http://example.org/', { ...loopback, lookup })).toMatchObject({
    reason: 'unresolved',
  })
})

test('a certificate of a known root is accepted', async () => {
  const { url, options } = await answer('a good certificate')
  expect(await ask(url, options)).toMatchObject({ status: 200, body: 'ok' })
})

test.each<AnswerName>([
  'a certificate of an unknown root',
  'a certificate for another name',
  'an expired certificate',
])('%s is rejected unless verification is disabled', async (name) => {
  const { url, options } = await answer(name)
  expect(await ask(url, options)).toMatchObject({ kind: 'failed', reason: 'certificate' })
  expect(await ask(url, options, false)).toMatchObject({ kind: 'answered', status: 200 })
})

test('TLS below 1.2 is rejected even if verification is disabled', async () => {
  const { url, options } = await answer('TLS 1.1 at most')
  expect(await ask(url, options, false)).toMatchObject({ reason: 'certificate' })
})

test('a receiver that supports only HTTP/2 fails without hanging', async () => {
  const { url, options } = await answer('HTTP/2 only')
  expect(await ask(url, options)).toMatchObject({ kind: 'failed', reason: 'malformed' })
})
