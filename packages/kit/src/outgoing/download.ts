import type { Readable } from 'node:stream'
import { request } from 'undici'
import { cutBytes } from '../call/pieces.ts'
import {
  agentOf,
  type OutgoingFailureReason,
  type OutgoingOptions,
  reasonOf,
  reasons,
} from './fetch.ts'
import { readTarget, TargetRefused } from './guard.ts'

/** Client for files of other servers, at addresses of users. See docs/spec/reliability.md#outgoing-calls. */
export interface Downloads {
  /**
   * Opens a file, and resolves to its bytes in pieces of at most 64 KiB. It follows at most five redirects, and checks
   * each like the first address.
   * @throws DownloadFailed, also while the pieces are read
   */
  open: (url: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>
  close: () => Promise<void>
}

/**
 * Error with one of a few fixed messages. It contains a status at most, but no address and no text of the other server.
 */
export class DownloadFailed extends Error {
  /** Whether another attempt may succeed. */
  readonly isPassing: boolean

  constructor(text: string, isPassing: boolean) {
    super(text)
    this.isPassing = isPassing
  }
}

export interface OutgoingDownloadOptions extends Omit<OutgoingOptions, 'limits'> {
  /** Size limit of a file. */
  maxBytes: number
  limits?: DownloadLimits
}

export interface DownloadLimits {
  /** Milliseconds until the connection is established, including TLS. */
  connectMs: number
  /** Milliseconds until the end of the response headers. */
  headersMs: number
  /** Milliseconds without a byte. */
  idleMs: number
}

const usualLimits: DownloadLimits = { connectMs: 10_000, headersMs: 30_000, idleMs: 60_000 }
const mostRedirects = 5

export function openDownloads(options: OutgoingDownloadOptions): Downloads {
  const { limits = usualLimits, ...guard } = options
  const agent = agentOf(
    { ...guard, limits },
    { rejectUnauthorized: true, bodyTimeout: limits.idleMs },
  )
  return {
    open: (url, signal) => followed(url, { options, limits, dispatcher: agent, signal }),
    close: () => agent.destroy(),
  }
}

interface Way {
  options: OutgoingDownloadOptions
  limits: DownloadLimits
  dispatcher: ReturnType<typeof agentOf>
  signal: AbortSignal
}

async function followed(url: string, way: Way): Promise<AsyncIterable<Uint8Array>> {
  let next = url
  for (let redirects = 0; redirects <= mostRedirects; redirects++) {
    const { status, location, body } = await ask(next, way)
    if (status === 200) return piecesOf(body, way)
    discard(body)
    if (status < 300 || status > 399 || location === undefined)
      throw new DownloadFailed(`the answer was ${status}`, isPassingStatus(status))
    next = resolved(location, next)
  }
  throw new DownloadFailed(`more than ${mostRedirects} redirects`, false)
}

function resolved(location: string, from: string): string {
  if (!URL.canParse(location, from)) throw new DownloadFailed(reasons.malformed, false)
  const url = new URL(location, from)
  url.hash = '' // a fragment is for the browser only
  return url.href
}

const isPassingStatus = (status: number) => status >= 500 || status === 408 || status === 429

/** The transfer is not compressed, so that the bytes are those of the file. */
const headers = { accept: '*/*', 'accept-encoding': 'identity' }

async function ask(url: string, { options, limits, dispatcher, signal }: Way) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('', 'TimeoutError')), limits.headersMs)
  const stop = () => late.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    const { href } = readTarget(url, options)
    const asked = { method: 'GET', headers, dispatcher, signal: late.signal } as const
    const { statusCode: status, headers: answered, body } = await request(href, asked)
    return { status, location: answered.location?.toString(), body }
  } catch (thrown) {
    throw signal.aborted ? signal.reason : failed(thrown)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

const passing = new Set<OutgoingFailureReason>(['timeout', 'broken'])

function failed(thrown: unknown): DownloadFailed {
  const reason = thrown instanceof TargetRefused ? 'blocked' : reasonOf(thrown)
  return new DownloadFailed(reasons[reason], passing.has(reason))
}

async function* piecesOf(
  body: Readable,
  { options: { maxBytes }, signal }: Way,
): AsyncGenerator<Uint8Array> {
  const stop = () => body.destroy(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  let size = 0
  try {
    for await (const piece of body) {
      size += piece.length
      if (size > maxBytes)
        throw new DownloadFailed(`the file is larger than ${maxBytes} bytes`, false)
      yield* cutBytes(piece)
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason
    throw thrown instanceof DownloadFailed ? thrown : failed(thrown)
  } finally {
    signal.removeEventListener('abort', stop)
    discard(body)
  }
}

function discard(body: Readable): void {
  body.on('error', () => undefined).destroy()
}
