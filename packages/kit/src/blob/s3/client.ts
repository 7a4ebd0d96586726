import { AsyncLocalStorage } from 'node:async_hooks'
import http from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions } from 'minio'
import { orAborted } from '../abort.ts'
import { BusyStore, codeOf, failureOf, isPassing, QuietStore } from './errors.ts'

export interface S3Options {
  /** Address `http(s)://host:port` without a path. */
  endpoint: string
  /** Access key; `''`, like the secret, for anonymous access. */
  accessKey: string
  secretKey: string
  /** Session token of temporary credentials. */
  sessionToken?: string
  bucket: string
  /** Region; if absent, the first call queries it. */
  region?: string
  /** Whether the bucket is part of the path instead of the host; true by default. */
  pathStyle?: boolean
  /** HTTP agent; by default one that keeps connections open. */
  agent?: http.Agent
  /** Receives the cause of each failure. Callers only learn that the store is unavailable. */
  onError?: (thrown: unknown) => void
}

export interface StoreCallOptions {
  /** Ends the call and closes its connection. */
  signal?: AbortSignal
  /** Key of the object of the call: if it is missing, the failure is `not_found`. */
  key?: string
  /** Milliseconds without a byte in either direction after which the store counts as unreachable. */
  quietMs?: number
  /** False for a call that must not be repeated. */
  isRepeatable?: boolean
}

/** The minio client with its protected `listParts` made public. */
class StoreClient extends Client {
  /** Returns the stored parts of a multipart upload. */
  sentParts(bucket: string, key: string, uploadID: string) {
    return this.listParts(bucket, key, uploadID)
  }
}

/**
 * Calls the store with a time limit, and repeats the call once after an error that is usually transient.
 * @throws DomainError `unavailable`, or `not_found` for `key`; the reason of `signal`
 */
export type StoreCall = <T>(
  run: (client: StoreClient) => Promise<T>,
  limits?: StoreCallOptions,
) => Promise<T>

export interface S3 {
  bucket: string
  call: StoreCall
  onError: (thrown: unknown) => void
}

/** Milliseconds that a call without data may stay silent. */
const quietAfterMs = 10_000
/** Milliseconds after which every call ends, because some calls of the minio client never settle. */
const longestCallMs = 15 * 60_000
const pauseMs = 200

/**
 * Limits of the current call. All clients share one storage: Node 20 keeps
 * each storage ever used and consults it for every promise.
 */
const limits = new AsyncLocalStorage<{ signal: AbortSignal; quietMs: number }>()

/**
 * Creates a client of one bucket without contacting the store.
 * @throws Error if the endpoint is not an address
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
    ...(region !== undefined && { region }), // without a region each client queries it first
    pathStyle,
    transport: boundedTransport(useSSL ? https : http),
    transportAgent: agent ?? keepingAgent(useSSL),
    retryOptions: { disableRetry: true }, // the retries of the minio client write to the console
  })

  const once: StoreCall = async (run, { signal, quietMs = quietAfterMs } = {}) => {
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
  const call: StoreCall = async (run, given = {}) => {
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
  const shown = JSON.stringify(withoutCredentials(endpoint)) // credentials must not appear on a terminal
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
 * Sends requests with the limits of their call, and fails those with a busy status itself: the minio client would leave
 * such responses unread and keep their connections occupied.
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

/** Creates the bucket. Another process may create it at the same moment. */
export async function makeBucket(client: Client, bucket: string): Promise<void> {
  await client.makeBucket(bucket, client.region).catch((thrown: unknown) => {
    if (!isOurs.has(codeOf(thrown))) throw thrown
  })
}

const isOurs = new Set(['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'])
