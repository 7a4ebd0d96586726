import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { apiVersion, mediaType } from '@reticle/contracts/openapi'
import type { FastifyInstance } from 'fastify'
import {
  type Failed,
  type HttpError,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  uriTooLong,
} from '../http-error.ts'
import { isStream } from '../request.ts'
import { bodyOf, failedOf } from './errors.ts'
import { vary } from './headers.ts'

/** Connections themselves: what is no HTTP, what comes too slowly, bodies that nobody read (`reliability.md` 8). */

interface ClientError extends Error {
  code?: string
  rawPacket?: unknown
}

/** What sockets are at. */
export interface Connections {
  /** They carry a stream: there is no time to be complete in, but they must not fall silent. */
  streaming: WeakSet<Socket>
  /** An answer is on its way: nothing else can be written. */
  answering: WeakSet<Socket>
}

export const connections = (): Connections => ({
  streaming: new WeakSet(),
  answering: new WeakSet(),
})

export function watchConnections(
  app: FastifyInstance,
  { streaming, answering }: Connections,
  idleTimeoutMs: number,
): void {
  app.addHook('onRequest', ({ routeOptions: { config }, raw: { socket } }, _reply, done) => {
    if (config.operation && isStream(config.operation)) {
      streaming.add(socket)
      socket.setTimeout(idleTimeoutMs) // silence: the server's own listener destroys the socket
    }
    done()
  })
  app.addHook('onSend', ({ raw }, _reply, _payload, done) => {
    answering.add(raw.socket)
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    streaming.delete(raw.socket)
    if (raw.complete) answering.delete(raw.socket)
    else closeWhenUnread(raw, () => answering.delete(raw.socket))
    done()
  })
  closeUnused(app)
}

/** Browsers open connections ahead of their calls; a server that stops would wait for these, as if one were on its way. */
function closeUnused(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', (done) => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
    done()
  })
}

const drainMs = 1000

/** Closing at once would reset a connection on which the client still sends, and the answer with it. */
function closeWhenUnread(raw: IncomingMessage, onRead: () => void): void {
  const { socket } = raw
  const timer = setTimeout(() => socket.destroy(), drainMs)
  raw.resume().once('end', () => {
    clearTimeout(timer)
    onRead()
  })
}

/** Answers what the parser of HTTP refused or what took too long, in the form of every other error. */
export function clientErrors({ streaming, answering }: Connections) {
  return (error: ClientError, socket: Socket): void => {
    const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
    if (isLate && streaming.has(socket)) return
    const canAnswer = socket.writable && !answering.has(socket) && error.code !== 'ECONNRESET'
    if (canAnswer) socket.end(answerTo(failedOf(refusalOf(error))), () => socket.destroy())
    else socket.destroy(error)
  }
}

function refusalOf({ code, rawPacket }: ClientError): HttpError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTimeout()
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest()
  return isLongPath(rawPacket) ? uriTooLong() : headersTooLarge()
}

const longPath = 12 * 1024 // of the 16 KiB that path and headers may have together

function isLongPath(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet)) return false
  const end = packet.indexOf('\n')
  const line = packet.toString('latin1', 0, end === -1 ? packet.length : end)
  return line.length > longPath && /^[A-Z]+ \//.test(line)
}

function answerTo(failed: Failed): string {
  const request_id = randomUUID()
  const body = JSON.stringify(bodyOf(failed, request_id))
  return [
    `HTTP/1.1 ${failed.status} ${STATUS_CODES[failed.status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Error-Code: ${failed.code}`,
    `X-Request-Id: ${request_id}`,
    `X-Service-Version: ${apiVersion}`,
    `Vary: ${vary}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
