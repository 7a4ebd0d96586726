import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import {
  isBytes,
  isStreamed,
  listServiceOperations,
  type Operation,
  type Operations,
} from '@reticle/contracts/api/operation'
import type { Bytes, BytesAnswer, CallContext, Service } from '../../call/context.ts'
import { DomainError, unavailable } from '../../call/errors.ts'
import { startWork } from '../../observe/traces.ts'
import { toReleasable } from '../releasable.ts'
import { errorOf, isBroken } from '../wire/failure.ts'
import { signContext } from '../wire/metadata.ts'
import { methodOf, piecesOf, type StreamMessage } from '../wire/method.ts'
import { withIdleLimit, withTimeLimit } from './idle.ts'

type Fields = Record<string, unknown>
type Method = ReturnType<typeof methodOf>

/** Connections and settings for calls to another process. */
export interface Way {
  protos: PackageDefinition
  /** gRPC clients by the kind of call (`channel.ts`). */
  messages: grpc.Client
  streams: grpc.Client
  /** Keys that sign the caller, newest first. */
  keys: readonly string[]
  /** Longest pause within a stream, in milliseconds. */
  idleMs: number
}

/** Builds a service whose calls run in another process. */
export function grpcService<T extends Operations>(way: Way, table: T): Service<T> {
  const callers = listServiceOperations(table).map((one) => [one.name, callOver(way, one)])
  return Object.fromEntries(callers) as Service<T>
}

function callOver(way: Way, operation: Operation) {
  const method = methodOf(way.protos, operation)
  const client = isStreamed(operation) ? way.streams : way.messages
  const seal = { method: method.path, keys: way.keys }
  const ask = (input: Fields, context: CallContext, deadline: number, isLast = false) => {
    const metadata = new grpc.Metadata()
    const span = startSpan(method.path, context)
    const { traceparent } = span
    signContext(metadata, { ...context, traceparent }, seal)
    let done: grpc.requestCallback<unknown> = () => undefined
    const answer = new Promise((resolve, reject) => {
      done = (error, value) => (error ? reject(error) : resolve(value))
    })
    const call = start(client, operation, method, { input, metadata, deadline, done })
    call.once('status', span.end)
    const body = isBytes(operation.body) ? input : undefined
    const failure = follow(call, context.signal, way.idleMs, body)
    if (isBytes(operation.answer))
      return receive(call as grpc.ClientReadableStream<StreamMessage>, failure, way.idleMs)
    // The library does not retry a call whose response has started; for a single message that is as safe as before.
    let isBegun = false
    call.once('metadata', () => {
      isBegun = true
    })
    return answer.catch((thrown): Promise<unknown> => {
      const isWorthIt = isBegun && !isLast && !body && !context.signal.aborted
      if (isWorthIt && isBroken(thrown)) return ask(input, context, deadline, true)
      throw failure(thrown)
    })
  }
  return async (input: Fields, context: CallContext) => {
    if (context.signal.aborted) throw unavailable('The caller went away.')
    const call_id = context.next_call_id ?? callIdOf(operation)
    const deadline = Math.min(context.deadline, Date.now() + limitOf(operation))
    return ask(input, { ...context, call_id }, deadline)
  }
}

/** Starts the span of a call, which the other process continues. */
function startSpan(path: string, { traceparent }: CallContext) {
  const name = path.slice(1)
  const work = startWork(name, { kind: 'client', service: 'grpc', traceparent })
  const end = ({ code }: grpc.StatusObject) => {
    work.note({ 'rpc.grpc.status_code': code })
    work.end(faults.has(code) ? new Error(grpc.status[code]) : undefined)
  }
  return { traceparent: work.traceparent, end }
}

const { UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE } = grpc.status
const faults = new Set([UNKNOWN, DEADLINE_EXCEEDED, INTERNAL, UNAVAILABLE])

/** Returns the id of a change that may be repeated, which all its attempts share (`db/change.ts`). */
const callIdOf = (operation: Operation) =>
  operation.method === 'GET' || isStreamed(operation) ? undefined : randomUUID()

const second = 1000

/** Returns the longest duration of a call in milliseconds, independent of the deadline of its caller. */
function limitOf(operation: Operation): number {
  if (operation.within) return operation.within * second
  if (isStreamed(operation)) return 600 * second
  return operation.method === 'GET' ? 5 * second : 15 * second
}

type Failure = (thrown: unknown) => unknown

/**
 * Sends the body if there is one, and cancels the call when the caller leaves or its
 * body breaks off. Returns a function that converts a failure of the call: to the error
 * that broke the body, otherwise to that of the other process.
 */
function follow(
  call: grpc.ClientUnaryCall,
  signal: AbortSignal,
  idleMs: number,
  input?: Fields,
): Failure {
  let broken: { thrown: unknown } | undefined
  const cancel = () => call.cancel()
  signal.addEventListener('abort', cancel)
  call.once('status', () => signal.removeEventListener('abort', cancel))
  if (input) {
    const ended = new AbortController()
    call.once('status', () => ended.abort())
    const stream = call as grpc.ClientDuplexStream<unknown, unknown>
    send(stream, input, { ended: ended.signal, idleMs }).catch((thrown) => {
      if (ended.signal.aborted) return
      broken = { thrown }
      cancel()
    })
  }
  return (thrown) => {
    if (broken) return broken.thrown
    return thrown instanceof DomainError ? thrown : errorOf(thrown as grpc.ServiceError)
  }
}

interface Sent {
  input: Fields
  metadata: grpc.Metadata
  deadline: number
  done: grpc.requestCallback<unknown>
}

function start(
  client: grpc.Client,
  operation: Operation,
  { path, requestSerialize: write, responseDeserialize: read }: Method,
  { input, metadata, deadline, done }: Sent,
): grpc.ClientUnaryCall {
  const options = { deadline }
  if (!isBytes(operation.body))
    return isBytes(operation.answer)
      ? client.makeServerStreamRequest(path, write, read, input, metadata, options)
      : client.makeUnaryRequest(path, write, read, input, metadata, options, done)
  return isBytes(operation.answer)
    ? client.makeBidiStreamRequest(path, write, read, metadata, options)
    : client.makeClientStreamRequest(path, write, read, metadata, options, done)
}

/**
 * Sends the fields, then the body. It stops when the call has `ended`,
 * since a service may respond before it has read everything.
 */
async function send(
  call: grpc.ClientWritableStream<unknown>,
  { body, ...fields }: Fields,
  { ended, idleMs }: { ended: AbortSignal; idleMs: number },
) {
  call.write(fields)
  for await (const piece of piecesOf(body as Bytes)) {
    ended.throwIfAborted()
    if (!call.write(piece)) await withTimeLimit(idleMs, once(call, 'drain', { signal: ended }))
  }
  call.end()
}

/** Receives a response of bytes. The head is awaited, so that an error before the first byte keeps its status. */
async function receive(
  call: grpc.ClientReadableStream<StreamMessage>,
  failure: Failure,
  idleMs: number,
): Promise<BytesAnswer> {
  const pieces = call[Symbol.asyncIterator]()
  const first = await pieces.next().catch((thrown) => Promise.reject(failure(thrown)))
  if (first.done || !('head' in first.value))
    throw unavailable('A part of the service did not answer.')
  const cancelCall = async () => call.cancel()
  return {
    head: first.value.head,
    chunks: toReleasable(rest(call, withIdleLimit(idleMs, pieces), failure), cancelCall),
  }
}

/** Yields the remaining pieces. A reader that stops early ends the call, so that the other process stops too. */
async function* rest(
  call: grpc.ClientReadableStream<StreamMessage>,
  pieces: AsyncIterable<StreamMessage>,
  failure: Failure,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of pieces) if (piece instanceof Uint8Array) yield piece
  } catch (thrown) {
    throw failure(thrown)
  } finally {
    call.cancel()
  }
}
