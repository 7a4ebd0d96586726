import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, errors, request } from 'undici'
import {
  AddressRefused,
  type Guard,
  guardedLookup,
  isAllowed,
  readTarget,
  TargetRefused,
} from './guard.ts'
import { openTunnel } from './tunnel.ts'

/** Request to an address of a user. */
export interface OutgoingRequest {
  url: string
  method: 'GET' | 'POST'
  headers: Record<string, string>
  body?: Uint8Array
  /** Whether the certificate of the receiver must be valid. */
  isVerified: boolean
}

/** Result: a response with any status, or a failure with a fixed message. `tookMs` ends with the response headers. */
export type OutgoingResult =
  | { kind: 'answered'; status: number; retryAfter?: string; body: string; tookMs: number }
  | { kind: 'failed'; reason: OutgoingFailureReason; tookMs: number }

/**
 * Messages about failures for users. They contain no address, banner or
 * library text, which could disclose the internal network.
 */
export const reasons = {
  blocked: 'target address is not allowed',
  unresolved: 'the name cannot be resolved',
  refused: 'the connection was refused',
  unreachable: 'the target cannot be reached',
  certificate: 'the certificate was not accepted',
  broken: 'the connection was closed before an answer',
  malformed: 'the answer is not valid HTTP',
  timeout: 'no answer in time',
  internal: 'nothing could be sent: a mistake of this server, see its log',
} as const
export type OutgoingFailureReason = keyof typeof reasons

export interface OutgoingLimits {
  /** Milliseconds until the connection is established, including TLS. */
  connectMs: number
  /** Milliseconds until the end of the response headers. */
  headersMs: number
  /** Milliseconds for the body after that. */
  bodyMs: number
  /** Size limit of the body; a longer one counts as empty. */
  bodyBytes: number
}

/** Limits of webhook deliveries. See docs/spec/webhooks.md#delivery. */
export const defaultLimits: OutgoingLimits = {
  connectMs: 3000,
  headersMs: 10_000,
  bodyMs: 2000,
  bodyBytes: 1024 * 1024,
}

export interface OutgoingOptions extends Guard {
  limits?: OutgoingLimits
  /** Resolver; by default that of the system. */
  lookup?: LookupFunction
  /** Trusted roots in PEM; by default those of Node. */
  ca?: string
  /** Proxy for outgoing connections; if absent, connections are direct. */
  egressProxy?: string
}

export interface Outgoing {
  send: (sent: OutgoingRequest) => Promise<OutgoingResult>
  close: () => Promise<void>
}

/**
 * Opens the client for addresses of users. It is guarded, and it uses no redirects, environment proxies, cookies,
 * decompression or reused connections. `send` rejects only because of a bug. See
 * docs/spec/reliability.md#outgoing-calls.
 */
export function openOutgoing(options: OutgoingOptions): Outgoing {
  const agents = {
    strict: agentOf(options, { rejectUnauthorized: true }),
    lax: agentOf(options, { rejectUnauthorized: false }),
  }
  return {
    send: (sent) => attempt(sent, options, sent.isVerified ? agents.strict : agents.lax),
    close: async () => {
      await Promise.all([agents.strict.destroy(), agents.lax.destroy()])
    },
  }
}

async function attempt(
  sent: OutgoingRequest,
  options: OutgoingOptions,
  dispatcher: Agent,
): Promise<OutgoingResult> {
  const { headersMs, ...limits } = options.limits ?? defaultLimits
  const started = performance.now()
  const took = () => Math.round(performance.now() - started)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), headersMs)
  try {
    const { href } = readTarget(sent.url, options)
    const { method, headers, body } = sent
    const answer = await request(href, { method, headers, body, dispatcher, signal: late.signal })
    clearTimeout(timer)
    const retryAfter = answer.headers['retry-after']?.toString()
    const head = { status: answer.statusCode, retryAfter, tookMs: took() }
    return { kind: 'answered', ...head, body: await readText(answer, limits) }
  } catch (thrown) {
    return failure(reasonOf(thrown), took())
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Rounds the duration of a blocked attempt to whole seconds, because the exact one could disclose the internal network.
 */
function failure(reason: OutgoingFailureReason, took: number): OutgoingResult {
  return {
    kind: 'failed',
    reason,
    tookMs: reason === 'blocked' ? Math.floor(took / 1000) * 1000 : took,
  }
}

type Answer = Awaited<ReturnType<typeof request>>

/**
 * Reads the body as text. Returns `''` if it is compressed, too large, too late or cut off; a body known to be so
 * beforehand is not read at all.
 */
async function readText(
  { headers, body }: Pick<Answer, 'headers' | 'body'>,
  limits: Pick<OutgoingLimits, 'bodyMs' | 'bodyBytes'>,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  const timer = setTimeout(() => body.destroy(), limits.bodyMs)
  try {
    if (isPacked(headers) || Number(headers['content-length']) > limits.bodyBytes) return ''
    for await (const chunk of body) {
      size += chunk.length
      if (size > limits.bodyBytes) return ''
      chunks.push(chunk)
    }
    return new TextDecoder().decode(Buffer.concat(chunks))
  } catch {
    return ''
  } finally {
    clearTimeout(timer)
    body.on('error', () => undefined).destroy()
  }
}

/** A compressed body is unreadable, and its decompressed size is unlimited. */
const isPacked = ({ 'content-encoding': coding = 'identity' }: Answer['headers']) =>
  coding !== 'identity' && coding !== ''

export interface AgentSettings {
  rejectUnauthorized: boolean
  /** Milliseconds without a byte of the body; 0 or absent: unlimited. */
  bodyTimeout?: number
}

type Connecting = Omit<OutgoingOptions, 'limits'> & { limits?: Pick<OutgoingLimits, 'connectMs'> }

/** Creates an agent whose connections lead only to addresses that the guard allows. */
export function agentOf(options: Connecting, wish: AgentSettings): Agent {
  const { rejectUnauthorized, bodyTimeout = 0 } = wish
  const { nets, lookup, ca, limits = defaultLimits } = options
  const connect = buildConnector({
    timeout: limits.connectMs,
    rejectUnauthorized,
    ca,
    minVersion: 'TLSv1.2',
    maxCachedSessions: 0,
    allowH2: false,
    lookup: guardedLookup(nets, lookup),
  })
  const { egressProxy } = options
  const chosen = egressProxy
    ? tunnelled(connect, egressProxy, limits.connectMs)
    : lookingWhere(connect, options)
  return new Agent({
    connect: guardedConnect(chosen, options),
    pipelining: 0, // one connection per attempt: none is reused that was checked for another name
    headersTimeout: 0,
    bodyTimeout,
  })
}

type Connect = buildConnector.connector

/** Checks address literals, which never reach the resolver, neither here nor in a proxy. */
function guardedConnect(connect: Connect, { nets }: Guard): Connect {
  return (target, done) => {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isAllowed(host, nets)) return done(new AddressRefused(), null)
    connect(target, done)
  }
}

/** Checks the remote address of an open socket before it is used. */
function lookingWhere(connect: Connect, { nets }: Guard): Connect {
  return (target, done) => {
    connect(target, (...[error, socket]) => {
      if (error) return done(error, null)
      if (isAllowed(socket.remoteAddress ?? '', nets)) return done(null, socket)
      socket.destroy()
      return done(new AddressRefused(), null)
    })
  }
}

/** Connects through the proxy. TLS ends at the target: the proxy sees a name, a port and bytes. */
function tunnelled(connect: Connect, proxy: string, timeoutMs: number): Connect {
  return (target, done) => {
    const isSecure = target.protocol === 'https:'
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const port = Number(target.port || (isSecure ? 443 : 80))
    openTunnel(proxy, { host, port, timeoutMs }, (...[error, httpSocket]) => {
      if (error) return done(error, null)
      if (!isSecure) return done(null, httpSocket)
      connect({ ...target, httpSocket }, done)
    })
  }
}

const reasonsByCode: Record<string, OutgoingFailureReason> = {
  ERR_ADDRESS_REFUSED: 'blocked',
  ERR_PROXY_UNREACHABLE: 'unreachable',
  ENOTFOUND: 'unresolved',
  EAI_AGAIN: 'unresolved',
  EAI_FAIL: 'unresolved',
  ENODATA: 'unresolved',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'broken',
  EPIPE: 'broken',
  UND_ERR_SOCKET: 'broken',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'broken',
  UND_ERR_HEADERS_OVERFLOW: 'malformed',
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'malformed', // the server supports only HTTP/2
  ERR_ASSERTION: 'malformed', // undici reports a status line such as `000` as an internal error
}

/** Reasons by groups of codes, because TLS libraries have hundreds of them. */
const families: [RegExp, OutgoingFailureReason][] = [
  [
    /^(ERR_SSL|ERR_TLS|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|INVALID_CA|HOSTNAME_|EPROTO)/,
    'certificate',
  ],
  [/^(E[A-Z]+|UND_ERR_[A-Z_]+)$/, 'unreachable'],
]

/**
 * Returns the reason of a failure.
 * @throws the given error if the other side cannot be its cause
 */
export function reasonOf(thrown: unknown): OutgoingFailureReason {
  if (thrown instanceof TargetRefused) return 'blocked'
  if (thrown instanceof errors.HTTPParserError) return 'malformed' // its code may be missing
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError') return 'timeout'
  const code = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  if (typeof code !== 'string') throw thrown
  const reason = reasonsByCode[code] ?? families.find(([pattern]) => pattern.test(code))?.[1]
  if (!reason || code.startsWith('UND_ERR_INVALID')) throw thrown
  return reason
}
