import { randomUUID } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { apiVersion, mediaType } from '@reticle/contracts/openapi'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PublicError } from '../../call/http-error.ts'
import type { AbortCause, OpenCall } from '../../call/request.ts'
import { bodyOf } from '../errors.ts'
import { vary } from '../headers.ts'

/** A socket and the open requests on it. */
export interface ClientConnection {
  socket: Socket
  /** Oldest first: HTTP/1.1 sends responses in the order of requests. */
  calls: OpenCall[]
  cause?: AbortCause
  /** Error for invalid bytes that followed a running request; sent after its response. */
  refusal?: PublicError
  /** True when the gateway has sent an error and closed its side. */
  isRefused: boolean
  /** The last request that was read. */
  last?: IncomingMessage
  /** Number of bytes that had been read when the last request ended. */
  bytesBefore: number
}

/** A request that did not end with the response of its route: one entry of the log. */
export interface AbortedCall {
  request_id: string
  /** Absent when no request could be read. */
  request?: FastifyRequest
  /** Status that was sent instead; 499 when none was sent. */
  status: number
  cause: AbortCause
  /** Status of the response that the route had created, which means that its work was done. */
  answer_status?: number
  ms: number
}

/** Status that nginx uses for requests without a response; it is never sent. */
const noAnswer = 499

/** Time that a refused client has to read its response while it still sends. */
export const drainMs = 1000

/**
 * Connections of a gateway and the requests on them. Each request ends once: with a response, or reported as aborted.
 */
export class OpenCalls {
  readonly #known = new WeakMap<Socket, ClientConnection>()
  readonly #inUse = new Set<ClientConnection>()
  readonly #listeners: ((call: AbortedCall) => void)[] = []

  onAborted(listener: (call: AbortedCall) => void): void {
    this.#listeners.push(listener)
  }

  connectionOf(socket: Socket): ClientConnection {
    const found = this.#known.get(socket)
    if (found) return found
    const made: ClientConnection = { socket, calls: [], isRefused: false, bytesBefore: 0 }
    this.#known.set(socket, made)
    socket.once('close', () => this.#onClosed(made))
    return made
  }

  begin(request: FastifyRequest, reply: FastifyReply): ClientConnection {
    const connection = this.connectionOf(request.raw.socket)
    const call: OpenCall = { request, reply, isOver: false, isAnswered: false }
    request.call = call
    connection.calls.push(call)
    connection.last = request.raw
    this.#inUse.add(connection)
    reply.raw.once('close', () => {
      if (reply.raw.writableFinished) this.#remove(connection, call)
      else this.#abort(connection, call)
      this.#refuseDeferred(connection)
    })
    return connection
  }

  /** Sends an error directly on the connection if no response has started, then closes it. */
  refuse(connection: ClientConnection, failed: PublicError, cause: AbortCause): void {
    const { socket, calls } = connection
    const [first] = calls
    connection.cause = cause
    if (!socket.writable || first?.reply.raw.headersSent) {
      this.breakOff(connection, cause)
      return
    }
    connection.isRefused = true
    const request_id = first?.request.id ?? randomUUID()
    socket.end(formatConnectionResponse(failed, request_id))
    const timer = setTimeout(() => socket.destroy(), drainMs)
    socket.once('close', () => clearTimeout(timer))
    socket.resume() // otherwise a reset because of unread bytes would discard the response
    const status = cause === 'client_closed' ? noAnswer : failed.status // few of these clients still read
    if (!first) this.#report({ request_id, status, cause, ms: 0 })
    for (const call of [...calls]) this.#abort(connection, call, call === first ? status : noAnswer)
  }

  /** Resets the connection, so that the client does not take a partial response for a complete one. */
  breakOff(connection: ClientConnection, cause: AbortCause): void {
    connection.cause = cause
    const { socket } = connection
    if (socket.destroyed || socket.writableLength > 0)
      socket.destroy() // a reset would wait for unsent bytes, which a stalled client never reads
    else socket.resetAndDestroy()
    for (const call of [...connection.calls]) this.#abort(connection, call)
  }

  /** Ends every request, with `failed` if its response has not started. */
  endAll(failed: PublicError): void {
    for (const connection of [...this.#inUse]) this.refuse(connection, failed, 'server_stopping')
  }

  /** Reports a request that ended before it could be read; bytes of a finished request do not count. */
  reportUnread({ socket, calls, bytesBefore }: ClientConnection, cause: AbortCause): void {
    if (calls.length > 0 || socket.bytesRead <= bytesBefore) return
    this.#report({ request_id: randomUUID(), status: noAnswer, cause, ms: 0 })
  }

  #onClosed(connection: ClientConnection): void {
    for (const call of [...connection.calls]) this.#abort(connection, call)
    if (!connection.refusal) return
    connection.refusal = undefined
    this.#report({ request_id: randomUUID(), status: noAnswer, cause: 'parse_error', ms: 0 })
  }

  #refuseDeferred(connection: ClientConnection): void {
    const { refusal, calls } = connection
    if (!refusal || connection.socket.destroyed) return
    if (calls.some(({ request }) => request.raw.complete)) return
    connection.refusal = undefined
    this.refuse(connection, refusal, 'parse_error')
  }

  #abort(connection: ClientConnection, call: OpenCall, status = noAnswer): void {
    if (call.isOver) return
    this.#remove(connection, call)
    call.gone?.abort()
    const { request, reply } = call
    this.#report({
      request_id: request.id,
      request,
      status,
      cause: call.cause ?? connection.cause ?? 'client_closed',
      answer_status: call.isAnswered ? reply.statusCode : undefined,
      ms: reply.elapsedTime,
    })
  }

  #remove(connection: ClientConnection, call: OpenCall): void {
    call.isOver = true
    connection.calls = connection.calls.filter((one) => one !== call)
    connection.bytesBefore = connection.socket.bytesRead
    if (connection.calls.length === 0) this.#inUse.delete(connection)
  }

  #report(call: AbortedCall): void {
    for (const listener of this.#listeners) listener(call)
  }
}

/** Serializes a response for a connection on which the framework cannot send one. It closes the connection. */
function formatConnectionResponse(failed: PublicError, request_id: string): string {
  const body = JSON.stringify(bodyOf(failed, request_id))
  return [
    `HTTP/1.1 ${failed.status} ${STATUS_CODES[failed.status]}`,
    `Content-Type: ${mediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Error-Code: ${failed.code}`,
    ...(failed.retryAfter === undefined ? [] : [`Retry-After: ${failed.retryAfter}`]),
    `X-Request-Id: ${request_id}`,
    `X-Service-Version: ${apiVersion}`,
    `Vary: ${vary}`,
    'Cache-Control: no-store',
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
