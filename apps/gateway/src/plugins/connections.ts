import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { finished, Readable } from 'node:stream'
import { DomainError } from '@reticle/kit'
import type { Logger } from '@reticle/kit/log'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type HttpError,
  headersTooLarge,
  malformedRequest,
  requestTimeout,
  uriTooLong,
} from '../http-error.ts'
import { isStream } from '../request.ts'
import { failedOf } from './errors.ts'
import type { Cause, OpenCall } from './open-call.ts'
import { type Connection, drainMs, type OpenCalls } from './open-calls.ts'

/** Connections themselves: bytes that are no HTTP, clients that are too slow, bodies that no route reads (`reliability.md` 8). */

interface ClientError extends Error {
  code?: string
  rawPacket?: unknown
}

export interface WatchOptions {
  calls: OpenCalls
  idleTimeoutMs: number
  log: Logger
}

export function watchConnections(app: FastifyInstance, options: WatchOptions): void {
  const { calls } = options
  app.decorateRequest('call', null)
  app.addHook('onRequest', (request, reply, done) => {
    if (!(request.raw.socket instanceof Socket)) return done() // injected by a test
    const connection = calls.begin(request, reply)
    watchIdle(connection, reply, options)
    // Without an address the client has reset the connection: nothing is done for it, and its row is that of an aborted call.
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
    calls.refuse(calls.connectionOf(socket), failedOf(malformedRequest()), 'parse_error')
  })
}

/**
 * The idle timer cuts a call only while we wait for the client. While the service works the timer starts again each time
 * it fires: that work has a deadline of its own.
 */
function watchIdle(
  connection: Connection,
  { raw }: FastifyReply,
  { calls, idleTimeoutMs }: WatchOptions,
): void {
  const { socket } = connection
  const start = () => socket.setTimeout(idleTimeoutMs)
  start()
  socket.on('resume', start) // the client could not send while we did not read
  raw.once('close', () => socket.off('resume', start))
  raw.on('timeout', () => {
    const [call] = connection.calls
    if (!call || connection.isRefused) socket.destroy()
    else if (waitsForClient(socket, call))
      calls.refuse(connection, failedOf(requestTimeout()), 'idle_timeout')
    else start()
  })
}

/** True while the client has to read its answer, or to send more of its body. */
function waitsForClient(socket: Socket, { request: { raw } }: OpenCall): boolean {
  const isUnread = socket.writableLength > 0
  const isUnsent = !raw.complete && raw.readableLength === 0 && !socket.isPaused()
  return isUnread || isUnsent
}

/** Notes why an answer broke off behind its head. */
function watchAnswer(
  { call, raw, id }: FastifyRequest,
  reply: FastifyReply,
  payload: Readable,
  { calls, log }: WatchOptions,
): void {
  finished(payload, { writable: false }, (error) => {
    if (!error || !call || call.isOver || !reply.raw.headersSent) return
    call.cause = causeOf(error)
    if (!(error instanceof DomainError))
      log.error({ err: error, request_id: id }, 'answer stream failed')
    // Without chunks the end of the connection would be the end of the answer.
    if (raw.httpVersion === '1.0') calls.breakOff(calls.connectionOf(raw.socket), call.cause)
  })
}

const causes: Record<string, Cause> = {
  deadline_exceeded: 'deadline',
  answer_unread: 'idle_timeout',
}

const causeOf = (error: Error): Cause =>
  (error instanceof DomainError && causes[error.code]) || 'stream_broken'

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

/** Closing at once would reset a connection on which the client still sends, and the answer with it. */
function closeWhenUnread(raw: IncomingMessage, calls: OpenCalls): void {
  const { socket } = raw
  const timer = setTimeout(() => socket.destroy(), drainMs)
  raw.resume().once('end', () => {
    clearTimeout(timer)
    calls.connectionOf(socket).bytesBefore = socket.bytesRead
  })
}

/** Answers what the parser of HTTP refused or what took too long, in the form of every other error. */
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

/** Whether the bytes that come belong to a call that was answered already. */
const isRestOfBody = ({ calls, last }: Connection) =>
  calls.length === 0 && last !== undefined && !last.complete

/** Calls that were read whole are answered before what follows them is refused. */
function refuseInvalid(connection: Connection, error: ClientError, calls: OpenCalls): void {
  const refusal = failedOf(refusalOf(error))
  if (connection.calls.some(isRead)) connection.refusal = refusal
  else calls.refuse(connection, refusal, 'parse_error')
}

/** The client closed its side in the middle of a request. */
function endClosed(connection: Connection, calls: OpenCalls): void {
  if (connection.calls.some(isRead)) calls.breakOff(connection, 'client_closed')
  else calls.refuse(connection, failedOf(malformedRequest()), 'client_closed')
}

const isRead = ({ request }: OpenCall) => request.raw.complete

/** A request that is late is refused; a stream has no time to be complete in, and the idle timer watches it. */
function endLate(connection: Connection, calls: OpenCalls): void {
  const [first, ...more] = connection.calls
  const isOurs = first && (isStreamCall(first) || !waitsForClient(connection.socket, first))
  if (more.length === 0 && !isOurs)
    calls.refuse(connection, failedOf(requestTimeout()), 'request_timeout')
}

function isStreamCall({ request }: OpenCall): boolean {
  const { operation } = request.routeOptions.config
  return operation !== undefined && isStream(operation)
}

function refusalOf({ code, rawPacket }: ClientError): HttpError {
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
