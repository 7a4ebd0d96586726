import { createServer as createHttp, type ServerResponse } from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createHttps } from 'node:https'
import { createServer as createRaw, type LookupFunction, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { type Certificate, selfSigned } from '../outgoing/certificate.ts'

/** Servers on loopback with valid, invalid and missing responses: all responses of the test T-WH-7, and some more. */

/** Address and control of such a server. */
export interface Answering {
  /** Address `http://127.0.0.1:<port>/`, or `https://receiver.test:<port>/`, whose name `toLoopback` resolves. */
  url: string
  /** Certificate in PEM, if the client should trust it. */
  ca?: string
  /** Returns the bytes written to all connections so far. */
  sent: () => number
  close: () => void
}

interface Opened {
  server: Server
  /** Certificate; if absent, plain http. */
  own?: Certificate
  isTrusted?: boolean
}

const secureName = 'receiver.test'
const day = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * day)

/** Resolver that resolves every name to this machine. */
export const toLoopback: LookupFunction = (_host, _options, done) =>
  done(null, [{ address: '127.0.0.1', family: 4 }])

const status = (code: number) => () => ({
  server: createHttp((_, response) => {
    response.writeHead(code, { location: 'http://127.0.0.1:1/', 'retry-after': '30' }).end()
  }),
})
const http = (answer: (response: ServerResponse) => void) => () => ({
  server: createHttp((_, response) => answer(response)),
})

/** Builds a server that sends raw bytes once a request starts to arrive. */
const raw = (onRequest: (socket: Socket) => void) => () => ({
  server: createRaw((socket) => socket.once('data', () => onRequest(socket))),
})
const https = (own: Certificate, isTrusted = true) => ({
  server: createHttps(own, (_, response) => response.end('ok')),
  own,
  isTrusted,
})

const statusLine = 'HTTP/1.1 200 OK\r\n'
const withLength = (length: number) => `${statusLine}Content-Length: ${length}\r\n\r\n`
const gigabyte = 1024 ** 3

/** Writes pieces with back-pressure until `left` bytes were sent. */
function pour(socket: Socket, left: number, piece = Buffer.alloc(65_536, 'a')): void {
  let rest = left
  while (rest > 0 && socket.writable) {
    rest -= piece.length
    if (!socket.write(piece)) break
  }
  if (rest > 0 && socket.writable) socket.once('drain', () => pour(socket, rest, piece))
}

function pourChunks(response: ServerResponse, piece = Buffer.alloc(65_536, 'a')): void {
  while (!response.destroyed && response.write(piece));
  if (!response.destroyed) response.once('drain', () => pourChunks(response, piece))
}

function trickle(socket: Socket, text: string, everyMs: number): void {
  let at = 0
  const timer = setInterval(() => socket.write(text.charAt(at++) || 'a'), everyMs)
  socket.on('close', () => clearInterval(timer))
}

const bomb = () => gzipSync(Buffer.alloc(50_000_000))

/** Servers by their behaviour. */
const kinds = {
  '200': status(200),
  '204': status(204),
  '301': status(301),
  '302': status(302),
  '400': status(400),
  '404': status(404),
  '408': status(408),
  '410': status(410),
  '429': status(429),
  '500': status(500),
  '503': status(503),
  'a text': http((response) => response.end('grüß dich')),
  'a reset': raw((socket) => socket.resetAndDestroy()),
  'half of the headers, then the end': raw((socket) => socket.end(`${statusLine}X-A: b`)),
  'half of the headers, then silence': raw((socket) => socket.write(statusLine)),
  '11 s of silence': http((response) => void setTimeout(() => response.end('late'), 11_000)),
  'headers at 1 byte/s': raw((socket) => trickle(socket, withLength(2), 1000)),
  'a body at 1 byte/s': raw((socket) => {
    socket.write(withLength(1000))
    trickle(socket, '', 1000)
  }),
  'a body that trickles': raw((socket) => {
    socket.write(withLength(1000))
    trickle(socket, '', 20)
  }),
  'a body that ends early': raw((socket) => socket.end(`${withLength(1000)}abc`)),
  'a body of 1 GB': raw((socket) => {
    socket.write(withLength(gigabyte))
    pour(socket, gigabyte)
  }),
  'a body without an end': http((response) => {
    response.writeHead(200)
    pourChunks(response)
  }),
  'a gzip bomb': () => {
    const packed = bomb()
    return http((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed))()
  },
  '20 KB of headers': raw((socket) =>
    socket.end(`${statusLine}X-A: ${'a'.repeat(20_000)}\r\n\r\n`),
  ),
  'something that is not HTTP': raw((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n')),
  'a status that is none': raw((socket) =>
    socket.end('HTTP/1.1 000 No\r\nContent-Length: 0\r\n\r\n'),
  ),
  'a good certificate': () => https(selfSigned(secureName, inDays(365))),
  'a certificate of an unknown root': () => https(selfSigned(secureName, inDays(365)), false),
  'a certificate for another name': () => https(selfSigned('other.test', inDays(365))),
  'an expired certificate': () => https(selfSigned(secureName, inDays(-1))),
  'TLS 1.1 at most': () => {
    const own = selfSigned(secureName, inDays(365))
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const
    return { server: createHttps({ ...own, ...old }), own, isTrusted: true }
  },
  'HTTP/2 only': () => {
    const own = selfSigned(secureName, inDays(365))
    return { server: createSecureServer({ ...own, allowHTTP1: false }), own, isTrusted: true }
  },
} satisfies Record<string, () => Opened>

export type AnswerName = keyof typeof kinds
export const answerNames = Object.keys(kinds).filter((name): name is AnswerName => name in kinds)

/** Starts a server on a free port. */
export async function startAnswer(name: AnswerName): Promise<Answering> {
  const { server, own, isTrusted }: Opened = kinds[name]()
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => undefined)))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: own ? `https://${secureName}:${port}/` : `http://127.0.0.1:${port}/`,
    ...(isTrusted && { ca: own?.cert }),
    sent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0),
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
