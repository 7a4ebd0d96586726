import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions } from 'minio'
import { orAborted } from '../abort.ts'
import { BusyStore, codeOf, failureOf, isPassing, QuietStore } from './errors.ts'

export interface S3Options {
  /** `http(s)://host:port`, no path. */
  endpoint: string
  /** `''`, like the secret: nobody asks. */
  accessKey: string
  secretKey: string
  /** Of credentials that were lent for a while. */
  sessionToken?: string
  bucket: string
  /** Absent: asked for with the first call. */
  region?: string
  /** Whether the bucket stands in the path or in the host; default: in the path. */
  pathStyle?: boolean
  /** Default: one that keeps connections. */
  agent?: http.Agent
  /** Told what the store did each time it was not available; callers hear only that it was not. */
  onError?: (thrown: unknown) => void
}

export interface Limits {
  /** Ends the call, and closes its connection. */
  signal?: AbortSignal
  /** Key of the object that the call is about: where it is missing, the failure is `not_found`. */
  key?: string
  /** Milliseconds without a byte in either direction after which the store counts as gone. */
  quietMs?: number
  /** False for a call that cannot be repeated. */
  isRepeatable?: boolean
}

/** Shows what theirs keeps to itself. */
class StoreClient extends Client {
  /** What is there of an upload in parts. */
  sentParts(bucket: string, key: string, uploadID: string) {
    return this.listParts(bucket, key, uploadID)
  }
}

/**
 * One call of the store, bounded in time and tried once more when what went wrong has mostly passed a moment later.
 *
 * @throws DomainError `unavailable`, or `not_found` for `key`; the reason of `signal`
 */
export type Call = <T>(run: (client: StoreClient) => Promise<T>, limits?: Limits) => Promise<T>

export interface S3 {
  bucket: string
  call: Call
  onError: (thrown: unknown) => void
}

/** How long a call without data may take to show the first sign of life. */
const quietAfterMs = 10_000
/** A hard end of every call, for what the minio client never settles. */
const longestCallMs = 15 * 60_000
const pauseMs = 200

/** Of the call that is under way. One for all clients: Node 20 keeps each that was ever used, and asks it at every promise. */
const limits = new AsyncLocalStorage<{ signal: AbortSignal; quietMs: number }>()

/**
 * A client of one bucket, without asking the store anything yet.
 *
 * @throws Error when the endpoint is no address
 */
export function s3Client(options: S3Options): S3 {
  const { endpoint, accessKey, secretKey, sessionToken, bucket, region, agent } = options
  const { pathStyle = true, onError = () => {} } = options
  const { protocol, hostname, port } = readEndpoint(endpoint)
  const useSSL = protocol === 'https:'
  const client = new StoreClient({
    endPoint: hostname,
    ...(port && { port: Number(port) }),
    useSSL,
    accessKey,
    secretKey,
    ...(sessionToken !== undefined && { sessionToken }),
    ...(region !== undefined && { region }), // without it each client asks for it first
    pathStyle,
    transport: boundedTransport(useSSL ? https : http),
    transportAgent: agent ?? keepingAgent(useSSL),
    retryOptions: { disableRetry: true }, // its own retries write to the console
  })

  const once: Call = async (run, { signal, quietMs = quietAfterMs } = {}) => {
    const end = new AbortController()
    const timer = setTimeout(() => end.abort(new QuietStore(longestCallMs)), longestCallMs)
    const leave = () => end.abort(signal?.reason)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      end.signal.throwIfAborted()
      const running = limits.run({ signal: end.signal, quietMs }, () => run(client))
      return await orAborted(running, end.signal)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }
  const call: Call = async (run, given = {}) => {
    const { signal, key, isRepeatable = true } = given
    const again = async (thrown: unknown) => {
      if (signal?.aborted || !isRepeatable || !isPassing(thrown)) throw thrown
      await sleep(pauseMs, undefined, { signal })
      return once(run, given)
    }
    try {
      return await once(run, given).catch(again)
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason
      throw failureOf(thrown, key, onError)
    }
  }
  return { bucket, call, onError }
}

const keepingAgent = (useSSL: boolean) =>
  new (useSSL ? https : http).Agent({ keepAlive: true, timeout: quietAfterMs })

function readEndpoint(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.pathname === '/' && !url.search
  if (isAddress && url.username === '') return url
  const shown = JSON.stringify(withoutCredentials(endpoint)) // no secret goes to a terminal
  throw new Error(
    `the endpoint of the object storage must look like http://host:9000, not ${shown}`,
  )
}

function withoutCredentials(endpoint: string): string {
  const [start, end] = [endpoint.indexOf('//'), endpoint.lastIndexOf('@')]
  return start < 0 || end < start
    ? endpoint
    : `${endpoint.slice(0, start)}//...${endpoint.slice(end)}`
}

type Transport = NonNullable<ClientOptions['transport']>

/**
 * Sends requests with the limits of the call they belong to, and fails those that the store was too busy for: the minio
 * client would leave their answers unread, and their connections taken.
 */
function boundedTransport({ request }: Transport): Transport {
  const send = (options: http.RequestOptions, answer: (response: http.IncomingMessage) => void) => {
    const { signal, quietMs = quietAfterMs } = limits.getStore() ?? {}
    const sent = request({ ...options, signal, timeout: quietMs }, (response) => {
      const { statusCode = 0 } = response
      if (!busyStatuses.has(statusCode)) return answer(response)
      response.on('error', () => {}).resume()
      sent.emit('error', new BusyStore(statusCode))
    })
    return sent.on('timeout', () => sent.destroy(new QuietStore(quietMs)))
  }
  return { request: send as Transport['request'] }
}

const busyStatuses = new Set([408, 429, 499, 500, 502, 503, 504, 520])

/** Another process may make it at the same moment. */
export async function makeBucket(client: Client, bucket: string): Promise<void> {
  await client.makeBucket(bucket, client.region).catch((thrown: unknown) => {
    if (!isOurs.has(codeOf(thrown))) throw thrown
  })
}

const isOurs = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'])
