import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { type Logger, silentLog } from '@reticle/kit/observe/log'
import { type Dispatcher, FormData, request } from 'undici'
import { afterAll } from 'vitest'
import { type GatewaySettings, readConfig } from '../config.ts'
import { type HealthChecks, startGateway } from '../index.ts'
import { createTestServices, type SomeServices } from './services.ts'

export interface TestGatewayOptions {
  services?: SomeServices
  settings?: Partial<GatewaySettings>
  checks?: HealthChecks
  blobs?: BlobStore
  log?: Logger
  /** Collects unexpected errors of services. */
  bugs?: unknown[]
}

export interface TestResponse {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** Parses the body as JSON. */
  json(): unknown
}

export interface TestRequest {
  method?: Dispatcher.HttpMethod
  /** Caller, by default `anna`; null sends no credential. */
  as?: string | null
  headers?: Record<string, string>
  /** Text, buffers, async iterables and forms are sent unchanged, all other objects as JSON. */
  body?: object | string
  signal?: AbortSignal
}

/**
 * Cleanup at the end of the test file. A test that starts something itself also uses it, because `afterAll` cannot be
 * called at that time.
 */
const ends: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** Starts a gateway on a free port until the end of the test file, and returns a client. */
export async function startTestGateway(options: TestGatewayOptions = {}) {
  const {
    services = {},
    settings = {},
    checks = {},
    blobs = await createTemporaryBlobs(),
  } = options
  const gateway = await startGateway({
    services: createTestServices(services, options.bugs),
    settings: {
      ...readConfig({ RETICLE_PORT: '0' }),
      rateAnonymous: 0,
      loopDelayMs: 0,
      ...settings,
    },
    log: options.log ?? silentLog,
    blobs,
    checks,
  })
  ends.push(gateway.stop)
  const send = (path: string, sent: TestRequest = {}) => sendRequest(gateway.url + path, sent)
  return { ...gateway, blobs, send, raw: (bytes: string) => sendRaw(gateway.port, bytes) }
}

/** Creates an object store in a folder that is deleted at the end of the test file. */
export async function createTemporaryBlobs(): Promise<BlobStore> {
  const root = await mkdtemp(join(tmpdir(), 'reticle-gateway-'))
  ends.push(() => rm(root, { recursive: true, force: true }))
  return diskBlobs(root)
}

/**
 * Creates an object store that is unavailable. Its client is imported on demand, because it loads slowly and few
 * tests need it.
 */
export async function unavailableBlobs(): Promise<BlobStore> {
  const { s3Blobs } = await import('@reticle/kit/blob/s3')
  const credentials = { accessKey: 'key', secretKey: 'secret', region: 'us-east-1' }
  return s3Blobs({ ...credentials, endpoint: 'http://127.0.0.1:1', bucket: 'bucket' })
}

async function sendRequest(
  url: string,
  { method = 'GET', as = 'anna', headers, body, signal }: TestRequest,
) {
  const isJson = isPlain(body)
  const answer = await request(url, {
    method,
    headers: {
      ...(as && { authorization: `Token ${as}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: bodyOf(body),
    signal,
  })
  const shown = await answer.body.text()
  const { statusCode: status, headers: given } = answer
  return { status, headers: given, text: shown, json: (): unknown => JSON.parse(shown) }
}

function isPlain(body: TestRequest['body']): boolean {
  return typeof body === 'object' && !isIterable(body) && !(body instanceof FormData)
}

function bodyOf(body: TestRequest['body']) {
  if (typeof body !== 'object' || Buffer.isBuffer(body) || body instanceof FormData) return body
  return isIterable(body) ? Readable.from(body) : JSON.stringify(body)
}

const isIterable = (body: object): body is AsyncIterable<Uint8Array> | Buffer =>
  Buffer.isBuffer(body) || Symbol.asyncIterator in body

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function sendRaw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  return text(socket)
}
