import type { Operation, Principal } from '@reticle/contracts'
import { isStreamed } from '@reticle/contracts/api/operation'
import { type Context, invalid } from '@reticle/kit'
import type { Work } from '@reticle/kit/observe/traces'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Dialect, Translation } from './dialects/dialect.ts'
import type { OpenCall } from './plugins/open-call.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row that a route answers. Routes without one (probes, 405, static files) are checked by no hook. */
    operation?: Operation
    /** The answer has one form, whatever `Accept` says. */
    ignoresAccept?: boolean
  }
  interface FastifyRequest {
    /** Who is calling; null for nobody. */
    principal: Principal | null
    /** Media type of a JSON answer; null where `Accept` allows none. */
    answerType: string | null
    /** What the client speaks; null: the language of the service. */
    dialect: Dialect | null
    /** The part of its address below which a dialect is spoken, such as `/as/cvat`; empty elsewhere. */
    mount: string
    /** Its span, and the trace it is part of; null for what has no row. */
    work: Work | null
    /** What is known of its connection; null before the first hook. */
    call: OpenCall | null
  }
}

/** A step that a request has to pass before its route is asked. */
export type Check = (
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
) => Promise<void> | void

/** Where the API is mounted. */
export const apiPrefix = '/api'

/** Of the client's own name for itself, which is only written down. */
const longestAgent = 256

const messageMs = 60_000
const streamMs = 3_600_000

/** Does its body or its answer grow with the data? */
export function isStream(operation: Operation): boolean {
  return isStreamed(operation) || isUpload(operation)
}

/** A form whose files are stored by a route of ours. Elsewhere a form beside a body is only another spelling of that. */
export const isUpload = ({ by, form }: Operation): boolean => by === 'gateway' && form !== undefined

export const isForm = ({ headers }: FastifyRequest): boolean =>
  /^multipart\/form-data\s*(;|$)/i.test(headers['content-type'] ?? '')

/** What travels with a call: until when it may take, and a signal that fires when the client goes away. */
export function contextOf(request: FastifyRequest): Context {
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

/** Fires when the call ends without its answer. */
function signalOf({ call }: FastifyRequest): AbortSignal {
  const gone = call?.gone ?? new AbortController()
  if (call) call.gone = gone
  if (call?.isOver) gone.abort()
  return gone.signal
}

/** What the client's program calls itself. */
export const agentOf = ({ headers }: FastifyRequest) =>
  headers['user-agent']?.slice(0, longestAgent)

/** Scheme and host as the client used them, within the trusted hops (`spec/api-workspace.md` 1.1). */
export function originOf({ protocol, host, socket }: FastifyRequest): string {
  const scheme = protocol === 'https' ? 'https' : 'http' // a proxy may pass on anything
  return `${scheme}://${host || `${socket.localAddress}:${socket.localPort}`}` // HTTP/1.0 needs no Host
}

/** Where the client found the API: links go on from there. */
export const baseOf = (request: FastifyRequest): string =>
  originOf(request) + request.mount + apiPrefix

/** How an operation is said in what the client speaks; nothing where that is no other than here. */
export const translationOf = (
  { dialect }: Pick<FastifyRequest, 'dialect'>,
  { name }: Pick<Operation, 'name'>,
): Translation | undefined => dialect?.translations[name]

/** Members of the query; a name that was sent twice has a list. */
export function queryOf(request: FastifyRequest): Map<string, unknown> {
  return new Map(Object.entries(request.query ?? {}))
}

/** The value of a parameter of the query. @throws DomainError invalid when it was sent twice or cannot be stored */
export function onlyOne(name: string, value: unknown): unknown {
  if (Array.isArray(value)) throw invalid({ [name]: 'This parameter may be given only once.' })
  if (String(value).includes('\0')) throw invalid({ [name]: 'Null characters are not allowed.' })
  return value
}
