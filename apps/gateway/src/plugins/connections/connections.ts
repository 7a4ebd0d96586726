import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { finished, Readable } from 'node:stream'
import { DomainError } from '@reticle/kit'
import type { Logger } from '@reticle/kit/observe/log'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type HttpError,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  uriTooLong,
} from '../../call/http-error.ts'
import { type AbortCause, isStream, type OpenCall } from '../../call/request.ts'
import { toPublicError } from '../errors.ts'
import { type ClientConnection, drainMs, type OpenCalls } from './open-calls.ts'

/** Handles problems of connections: invalid HTTP, slow clients, and bodies that no route reads. */

interface ClientError extends Error {
  code?: string
  rawPacket?: unknown
}

export interface ConnectionWatchOptions {
  calls: OpenCalls
  idleTimeoutMs: number
  log: Logger
}

export function watchConnections(app: FastifyInstance, options: ConnectionWatchOptions): void {
  const { calls } = options
  app.decorateRequest('call', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (!(request.raw.socket instanceof Socket)) return done() // injected by a test
    const connection = calls.begin(request, reply)
    watchIdle(connection, reply, options)
    // Without an address the client has reset the connection: the request is not processed, and is logged as aborted.
    if (!request.ip) return void request.raw.socket.destroy()
    done(connection.isRefused ? malformedRequest() : undefined)
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.call) request.call.isAnswered = true
    if (payload instanceof Readable) watchAnswer(request, reply, payload, options)
    done()
  })
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (!raw.complete) closeWhenUnread(raw, calls)
    done()
  })
  closeUnused(app)
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    calls.refuse(calls.connectionOf(socket), toPublicError(malformedRequest()), 'parse_error')
  })
}

/**
 * Closes idle connections, but only while the gateway waits for the client. While a service works the timer restarts
 * each time it fires, because that work has its own deadline.
 */
function watchIdle(
  connection: ClientConnection,
  { raw }: FastifyReply,
  { calls, idleTimeoutMs }: ConnectionWatchOptions,
): void {
  const { socket } = connection
  const start = () => socket.setTimeout(idleTimeoutMs)
  start()
  socket.on('resume', start) // the client could not send while reading was paused
  raw.once('close', () => socket.off('resume', start))
  raw.on('timeout', () => {
    const [call] = connection.calls
    if (!call || connection.isRefused) socket.destroy()
    else if (waitsForClient(socket, call))
      calls.refuse(connection, toPublicError(requestTimeout()), 'idle_timeout')
    else start()
  })
}

/** Returns whether the gateway waits for the client to read the response or to send its body. */
function waitsForClient(socket: Socket, { request: { raw } }: OpenCall): boolean {
  const isUnread = socket.writableLength > 0
  const isUnsent = !raw.complete && raw.readableLength === 0 && !socket.isPaused()
  return isUnread || isUnsent
}

/** Records why a response failed after its headers. */
function watchAnswer(
  { call, raw, id }: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  { calls, log }: ConnectionWatchOptions,
): void {
  finished(payload, { writable: false }, (error) => {
    if (!error || !call || call.isOver || !reply.raw.headersSent) return
    call.cause = causeOf(error)
    if (!(error instanceof DomainError))
      log.error({ err: error, request_id: id }, 'response stream failed')
    // Without chunked encoding a closed connection would look like the end of the response.
    if (raw.httpVersion === '1.0') calls.breakOff(calls.connectionOf(raw.socket), call.cause)
  })
}

const causes: Record<string, AbortCause> = {
  deadline_exceeded: 'deadline',
  answer_unread: 'idle_timeout',
}

const causeOf = (error: Error): AbortCause =>
  (error instanceof DomainError && causes[error.code]) || 'stream_broken'

/**
 * Closes unused connections on stop: browsers open connections in advance, and the server would wait for a request on
 * them.
 */
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

/**
 * Delays the close: an immediate close would reset a connection on which the client still sends, and the response
 * would be lost.
 */
function closeWhenUnread(raw: IncomingMessage, calls: OpenCalls): void {
  const { socket } = raw
  const timer = setTimeout(() => socket.destroy(), drainMs)
  raw.resume().once('end', () => {
    clearTimeout(timer)
    calls.connectionOf(socket).bytesBefore = socket.bytesRead
  })
}

/** Returns a handler that responds to invalid or late requests, in the form of all other errors. */
export function clientErrors(calls: OpenCalls) {
  return (error: ClientError, socket: Socket): void => {
    const connection = calls.connectionOf(socket)
    const { code = '' } = error
    if (connection.isRefused || connection.refusal) return
    if (isRestOfBody(connection)) socket.destroy()
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') endLate(connection, calls)
    else if (code === 'HPE_INVALID_EOF_STATE') endClosed(connection, calls)
    else if (code.startsWith('HPE_')) refuseInvalid(connection, error, calls)
    else {
      calls.reportUnread(connection, 'client_closed')
      socket.destroy(error)
    }
  }
}

/** Returns whether the received bytes belong to a request that already got its response. */
const isRestOfBody = ({ calls, last }: ClientConnection) =>
  calls.length === 0 && last !== undefined && !last.complete

/** Refuses invalid bytes after the responses of earlier complete requests. */
function refuseInvalid(connection: ClientConnection, error: ClientError, calls: OpenCalls): void {
  const refusal = toPublicError(refusalOf(error))
  if (connection.calls.some(isRead)) connection.refusal = refusal
  else calls.refuse(connection, refusal, 'parse_error')
}

/** Handles a client that closed its side in the middle of a request. */
function endClosed(connection: ClientConnection, calls: OpenCalls): void {
  if (connection.calls.some(isRead)) calls.breakOff(connection, 'client_closed')
  else calls.refuse(connection, toPublicError(malformedRequest()), 'client_closed')
}

const isRead = ({ request }: OpenCall) => request.raw.complete

/** Refuses a late request, unless it is a stream, which has no such timeout and is watched by the idle timer. */
function endLate(connection: ClientConnection, calls: OpenCalls): void {
  const [first, ...more] = connection.calls
  const isOurs = first && (isStreamCall(first) || !waitsForClient(connection.socket, first))
  if (more.length === 0 && !isOurs)
    calls.refuse(connection, toPublicError(requestTimeout()), 'request_timeout')
}

function isStreamCall({ request }: OpenCall): boolean {
  const { operation } = request.routeOptions.config
  return operation !== undefined && isStream(operation)
}

function refusalOf({ code, rawPacket }: ClientError): HttpError {
  if (code !== 'HPE_HEADER_OVERFLOW') return malformedRequest()
  return isLongPath(rawPacket) ? uriTooLong() : headersTooLarge()
}

const longPath = 12 * 1024 // of the 16 KiB limit for path and headers together

function isLongPath(packet: unknown): boolean {
  if (!Buffer.isBuffer(packet)) return false
  const end = packet.indexOf('\n')
  const line = packet.toString('latin1', 0, end === -1 ? packet.length : end)
  return line.length > longPath && /^[A-Z]+ \//.test(line)
}
