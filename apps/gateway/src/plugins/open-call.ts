import type { FastifyReply, FastifyRequest } from 'fastify'

/** Why a call did not end with the answer of its route. */
export type Cause =
  /** The client closed or reset its connection; a client that closes only its own side counts as well. */
  | 'client_closed'
  /** The client neither sent its body nor read its answer for too long. */
  | 'idle_timeout'
  /** The request did not arrive in time. */
  | 'request_timeout'
  /** The bytes are not valid HTTP. */
  | 'parse_error'
  /** The answer had begun when the deadline of the call passed. */
  | 'deadline'
  /** The answer had begun when it failed. */
  | 'stream_broken'
  | 'server_stopping'

/** A request that has no complete answer yet. */
export interface OpenCall {
  request: FastifyRequest
  reply: FastifyReply
  isOver: boolean
  /** The route has made its answer. */
  isAnswered: boolean
  /** Why its answer broke, where that is known before the connection closes. */
  cause?: Cause
  /** Created for the first caller that needs its signal. */
  gone?: AbortController
}
