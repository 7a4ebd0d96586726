import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { silentLog } from '@reticle/kit/log'
import { type Dispatcher, request } from 'undici'
import { afterAll } from 'vitest'
import { type GatewaySettings, readConfig } from '../config.ts'
import { type HealthChecks, startGateway } from '../index.ts'
import { memoryBlobs } from './blobs.ts'
import { type SomeServices, someServices } from './services.ts'

export interface TestGatewayOptions {
  services?: SomeServices
  settings?: Partial<GatewaySettings>
  checks?: HealthChecks
  blobs?: BlobStore
  /** Collects what services threw that is no failure of the domain. */
  bugs?: unknown[]
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  /** The body read as JSON. */
  json(): unknown
}

export interface Sent {
  method?: Dispatcher.HttpMethod
  /** Default `anna`; null sends no credential. */
  as?: string | null
  headers?: Record<string, string>
  /** An object is sent as JSON. */
  body?: object | string | Buffer | AsyncIterable<Uint8Array>
  signal?: AbortSignal
}

/** A gateway that listens on a free port until the test file ends, and a client of it. */
export async function testGateway(options: TestGatewayOptions = {}) {
  const { services = {}, settings = {}, checks = {}, blobs = memoryBlobs() } = options
  const gateway = await startGateway({
    services: someServices(services, options.bugs),
    settings: { ...readConfig({ RETICLE_PORT: '0' }), rateAnonymous: 0, ...settings },
    log: silentLog,
    blobs,
    checks,
  })
  afterAll(gateway.stop)
  const send = (path: string, sent: Sent = {}) => call(gateway.url + path, sent)
  return { ...gateway, send, raw: (bytes: string) => raw(gateway.port, bytes) }
}

async function call(url: string, { method = 'GET', as = 'anna', headers, body, signal }: Sent) {
  const isJson = typeof body === 'object' && !Buffer.isBuffer(body) && !isIterable(body)
  const answer = await request(url, {
    method,
    headers: {
      ...(as && { authorization: `Token ${as}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: isJson ? JSON.stringify(body) : body,
    signal,
  })
  const shown = await answer.body.text()
  const { statusCode: status, headers: given } = answer
  return { status, headers: given, text: shown, json: (): unknown => JSON.parse(shown) }
}

const isIterable = (body: object): body is AsyncIterable<Uint8Array> => Symbol.asyncIterator in body

/** Sends bytes as they are and answers all that comes back until the server closes. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  return text(socket)
}
