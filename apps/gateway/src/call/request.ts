import type { Operation, Principal } from '@reticle/contracts'
import { isStreamed } from '@reticle/contracts/api/operation'
import { type CallContext, invalid } from '@reticle/kit'
import type { TracedWork } from '@reticle/kit/observe/traces'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dialect, Translation } from './dialect.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Operation of the route. Routes without one (probes, 405, static files) are not checked by hooks. */
    operation?: Operation
    /** True when the response has only one form and `Accept` is ignored. */
    ignoresAccept?: boolean
  }
  interface FastifyRequest {
    /** The caller; null when not authenticated. */
    principal: Principal | null
    /** Media type of a JSON response; null when `Accept` allows none. */
    answerType: string | null
    /** Dialect of the client; null for the native API. */
    dialect: Dialect | null
    /** Mount of the dialect in the URL, such as `/as/cvat`; empty elsewhere. */
    mount: string
    /** Span of the call and its trace; null for calls without an operation. */
    work: TracedWork | null
    /** State of the connection; null before the first hook. */
    call: OpenCall | null
  }
}

/** Check that runs before the route. */
export type RequestCheck = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
) => Promise<void> | void

/** Mount of the API. */
export const apiPrefix = '/api'

/** Maximum length of the user agent, which is only logged. */
const longestAgent = 256

const messageMs = 60_000
const streamMs = 3_600_000

/** Returns whether the body or the response grows with the data. */
export function isStream(operation: Operation): boolean {
  return isStreamed(operation) || isUpload(operation)
}

/** Returns whether the gateway stores the files of a form. Elsewhere a form is only another encoding of the body. */
export const isUpload = ({ by, form }: Operation): boolean => by === 'gateway' && form !== undefined

export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')

/** Returns the context of a call: its deadline, and a signal that fires when the client disconnects. */
export function contextOf(request: FastifyRequest): CallContext {
  const { operation } = request.routeOptions.config
  return {
    principal: request.principal,
    address: request.ip,
    user_agent: agentOf(request),
    request_id: request.id,
    next_call_id: request.repeat?.call_id,
    traceparent: request.work?.traceparent,
    deadline: Date.now() + (operation && isStream(operation) ? streamMs : messageMs),
    signal: signalOf(request),
  }
}

/** Returns the signal that fires when the call ends without its response. */
function signalOf({ call }: FastifyRequest): AbortSignal {
  const gone = call?.gone ?? new AbortController()
  if (call) call.gone = gone
  if (call?.isOver) gone.abort()
  return gone.signal
}

/** Returns the user agent of the client. */
export const agentOf = ({ headers }: FastifyRequest) =>
  headers['user-agent']?.slice(0, longestAgent)

/** Returns the scheme and host that the client used, as reported by trusted proxies. */
export function originOf({ protocol, host, socket }: FastifyRequest): string {
  const scheme = protocol === 'https' ? 'https' : 'http' // a proxy may pass on anything
  return `${scheme}://${host || `${socket.localAddress}:${socket.localPort}`}` // HTTP/1.0 needs no Host
}

/** Returns the base URL of the API for the client, on which links are built. */
export const baseOf = (request: FastifyRequest): string =>
  originOf(request) + request.mount + apiPrefix

/** Returns the translation of an operation into the client's dialect; undefined when it has none. */
export const translationOf = (
  { dialect }: Pick<FastifyRequest, 'dialect'>,
  { name }: Pick<Operation, 'name'>,
): Translation | undefined => dialect?.translations[name]

/** Returns the query parameters; a repeated parameter has a list. */
export function queryOf(request: FastifyRequest): Map<string, unknown> {
  return new Map(Object.entries(request.query ?? {}))
}

/**
 * Returns the value of a query parameter.
 * @throws DomainError invalid when it was sent twice or cannot be stored
 */
export function onlyOne(name: string, value: unknown): unknown {
  if (Array.isArray(value)) throw invalid({ [name]: 'This parameter may be given only once.' })
  if (String(value).includes('\0')) throw invalid({ [name]: 'Null characters are not allowed.' })
  return value
}

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
