import { Readable } from 'node:stream'
import type { Operation } from '@reticle/contracts'
import { takesKey } from '@reticle/contracts/api/operation'
import { type CallContext, conflict } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowToken } from '../plugins/credentials/token-rights.ts'
import type { GatewayPorts } from '../ports.ts'
import { keyHeader } from './key.ts'
import { openRepeat, passBody } from './repeat.ts'
import type { Repeat } from './state.ts'
import {
  decryptResponse,
  encryptResponse,
  mostBytes,
  type StoredResponse,
  storedHeaders,
} from './stored-response.ts'

type Ports = Pick<GatewayPorts, 'services' | 'settings' | 'log'>

/**
 * Handles calls with an `Idempotency-Key`: before the route, the key is claimed or the stored response is sent; after
 * it, the response is stored. Routes are not involved (docs/adr/0021-store-idempotency-keys-in-the-owning-service.md).
 */
export function answerRepeats(app: FastifyInstance, ports: Ports): void {
  app.decorateRequest('repeat', null)
  app.addHook('preHandler', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    const given = request.headers[keyHeader]
    if (!operation || given === undefined || !takesKey(operation)) return done()
    return beginCall(operation, request, reply, ports) // the framework awaits the result instead of `done`
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { repeat } = request
    if (!repeat) return done(null, payload)
    request.repeat = null
    return finishCall(repeat, request, reply, { payload, ports })
  })
}

const createRunningError = () =>
  conflict('A call with this Idempotency-Key is still running.', {
    code: 'idempotency_in_progress',
    retry_after: 1,
  })
const createReusedError = () =>
  conflict('This Idempotency-Key was sent before with another request.', {
    code: 'idempotency_key_reused',
  })

async function beginCall(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  { services: { keys }, settings, log }: Ports,
): Promise<FastifyReply | undefined> {
  const given = request.headers[keyHeader]
  const { principal } = request
  if (given === undefined || !principal) return undefined
  const keyOptions = { given, user_id: principal.user_id, limits: settings }
  const repeat = await openRepeat(request, operation, keyOptions)
  const attempt = () => ({ ...idsOf(repeat), fingerprint: repeat.fingerprint() })

  const claimed = await keys.claimKey(attempt(), ownContext(request))
  if (claimed.state === 'reused') throw createReusedError()
  if (claimed.state === 'running') throw createRunningError()
  if (claimed.state === 'answered') {
    await passBody(request, repeat, operation, settings)
    if (claimed.fingerprint !== repeat.fingerprint()) throw createReusedError()
    allowToken(operation, request)
    return sendStoredResponse(reply, decryptResponse(claimed.answer ?? '', repeat.seal))
  }
  const renew = () =>
    keys
      .claimKey(attempt(), ownContext(request))
      .catch((err: unknown) =>
        log.warn({ err, ...idsOf(repeat) }, 'idempotency key lease not renewed'),
      )
  const timer = setInterval(renew, renewMs).unref()
  repeat.stop = () => clearInterval(timer)
  repeat.call_id = claimed.call_id
  request.repeat = repeat
  return undefined
}

/** A third of the lease time of a key. */
const renewMs = 20_000

const idsOf = ({ owner, id, claim_id }: Repeat) => ({ owner, id, claim_id })

function sendStoredResponse(
  reply: FastifyReply,
  { status, headers, body }: StoredResponse,
): FastifyReply {
  reply.code(status).headers(headers).header('idempotency-replayed', 'true')
  return reply.send(body === '' ? undefined : Buffer.from(body))
}

interface Sending {
  payload: unknown
  ports: Ports
}

/**
 * Stores the response before its last byte is sent, so that a client that has received all of it gets the same one
 * again.
 */
async function finishCall(
  repeat: Repeat,
  request: FastifyRequest,
  reply: FastifyReply,
  { payload, ports }: Sending,
): Promise<unknown> {
  const { statusCode: status } = reply
  const settle = (body?: string) =>
    settleKey(
      repeat,
      request,
      ports,
      body === undefined ? undefined : toStoredResponse(reply, status, body),
    )
  if (!isStorable(reply)) {
    await settle()
    return payload
  }
  if (payload instanceof Readable) {
    const pieces = passOn(payload, (text) => settle(text ?? onlyId(request.params)))
    return Readable.from(pieces, { objectMode: false })
  }
  const text = payload === undefined || payload === null ? '' : String(payload)
  await settle(Buffer.byteLength(text) <= mostBytes ? text : onlyId(JSON.parse(text)))
  return payload
}

/**
 * Returns whether a response is stored: not for server errors, calls refused before they were processed, and
 * temporary conditions.
 */
function isStorable(reply: FastifyReply): boolean {
  const { statusCode: status } = reply
  const passes = reply.getHeader('retry-after') !== undefined
  return status < 500 && status !== 401 && status !== 429 && !passes
}

function toStoredResponse(reply: FastifyReply, status: number, body: string): StoredResponse {
  const headers = storedHeaders.flatMap((name) => {
    const value = reply.getHeader(name)
    return value === undefined ? [] : [[name, String(value)] as const]
  })
  return { status, headers: Object.fromEntries(headers), body }
}

/**
 * Returns a substitute for a response that is too large to store or was not read completely: only the id of its
 * object.
 */
function onlyId(found: unknown): string {
  const id: unknown = typeof found === 'object' && found !== null ? Reflect.get(found, 'id') : null
  return JSON.stringify({ id: Number(id) })
}

/**
 * Passes a stream on.
 * @param onEnd Called with the complete text, or undefined when it is too large or was not read to its end.
 */
async function* passOn(
  payload: AsyncIterable<Buffer>,
  onEnd: (text: string | undefined) => Promise<void>,
): AsyncGenerator<Buffer> {
  let pieces: Buffer[] | undefined = []
  let size = 0
  let isWhole = false
  try {
    for await (const piece of payload) {
      size += piece.length
      if (size > mostBytes) pieces = undefined
      pieces?.push(piece)
      yield piece
    }
    isWhole = true
  } finally {
    await onEnd(isWhole && pieces ? Buffer.concat(pieces).toString() : undefined)
  }
}

/**
 * Stores the response and releases the key. Without a response, or when the body was not read to its end, the key
 * becomes free again.
 */
async function settleKey(
  repeat: Repeat,
  request: FastifyRequest,
  { services: { keys }, log }: Ports,
  answer: StoredResponse | undefined,
): Promise<void> {
  repeat.stop?.()
  const fingerprint = repeat.fingerprint()
  const encrypted =
    answer && fingerprint !== undefined ? encryptResponse(answer, repeat.seal) : undefined
  const settlement = { ...idsOf(repeat), fingerprint, answer: encrypted }
  await keys
    .settleKey(settlement, ownContext(request))
    .catch((err: unknown) => log.warn({ err, ...idsOf(repeat) }, 'idempotent response not stored'))
}

const ownMs = 10_000

/** Returns a context without the client's signal, because keys are also settled after the client has disconnected. */
function ownContext(request: FastifyRequest): CallContext {
  return {
    principal: request.principal,
    request_id: request.id,
    traceparent: request.work?.traceparent,
    deadline: Date.now() + ownMs,
    signal: new AbortController().signal,
  }
}
