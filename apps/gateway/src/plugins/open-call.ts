import type { FastifyReply, FastifyRequest } from 'fastify'

/** Reason why a request did not end with the response of its route. */
export type AbortCause =
  /** The client closed or reset its connection, or only its own side. */
  | 'client_closed'
  /** The client neither sent its body nor read its response for too long. */
  | 'idle_timeout'
  /** The request did not arrive in time. */
  | 'request_timeout'
  /** The bytes are not valid HTTP. */
  | 'parse_error'
  /** The deadline passed after the response had started. */
  | 'deadline'
  /** The response failed after it had started. */
  | 'stream_broken'
  | 'server_stopping'

/** A request without a complete response. */
export interface OpenCall {
  request: FastifyRequest
  reply: FastifyReply
  isOver: boolean
  /** True when the route has created its response. */
  isAnswered: boolean
  /** Reason for a failed response, if it is known before the connection closes. */
  cause?: AbortCause
  /** Created for the first caller that needs its signal. */
  gone?: AbortController
}
