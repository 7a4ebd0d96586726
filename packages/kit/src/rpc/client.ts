import { once } from 'node:events'
import * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import {
  answered,
  isBytes,
  type Operation,
  type Operations,
} from '@reticle/contracts/api/operation'
import { DomainError, unavailable } from '../errors.ts'
import type { Bytes, BytesAnswer, Context, Service } from './context.ts'
import { sign } from './metadata.ts'
import { methodOf, type Piece } from './method.ts'

type Fields = Record<string, unknown>
type Method = ReturnType<typeof methodOf>

/** The same service as its handlers, somewhere else. */
export function grpcService<T extends Operations>(
  client: grpc.Client,
  protos: PackageDefinition,
  table: T,
  keys: readonly string[],
): Service<T> {
  const callers = answered(table).map((one) => [
    one.name,
    callOver(client, one, methodOf(protos, one), keys),
  ])
  return Object.fromEntries(callers) as Service<T>
}

function callOver(
  client: grpc.Client,
  operation: Operation,
  method: Method,
  keys: readonly string[],
) {
  return (input: Fields, context: Context) => {
    const { deadline, signal } = context
    const metadata = new grpc.Metadata()
    sign(metadata, context, keys)
    let done: grpc.requestCallback<unknown> = () => undefined
    const answer = new Promise((resolve, reject) => {
      done = (error, value) => (error ? reject(errorOf(error)) : resolve(value))
    })
    const call = start(client, operation, method, { input, metadata, deadline, done })
    signal.addEventListener('abort', () => call.cancel(), { once: true })
    if (isBytes(operation.body))
      send(call as grpc.ClientDuplexStream<unknown, unknown>, input, signal).catch(() =>
        call.cancel(),
      )
    return isBytes(operation.answer) ? receive(call as grpc.ClientReadableStream<Piece>) : answer
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

const pieceSize = 64 * 1024

async function send(
  call: grpc.ClientWritableStream<unknown>,
  { body, ...fields }: Fields,
  signal: AbortSignal,
) {
  call.write(fields)
  for await (const chunk of body as Bytes)
    for (let at = 0; at < chunk.length; at += pieceSize)
      if (!call.write(chunk.subarray(at, at + pieceSize))) await once(call, 'drain', { signal })
  call.end()
}

/** The head is awaited, so that an error before the first byte keeps its own status. */
async function receive(call: grpc.ClientReadableStream<Piece>): Promise<BytesAnswer> {
  const pieces = call[Symbol.asyncIterator]()
  const first = await pieces.next().catch((thrown) => Promise.reject(errorOf(thrown)))
  if (first.done || !('head' in first.value))
    throw unavailable('A part of the service did not answer.')
  return { head: first.value.head, chunks: rest(pieces) }
}

async function* rest(pieces: AsyncIterator<Piece>): Bytes {
  try {
    for await (const piece of { [Symbol.asyncIterator]: () => pieces })
      if (piece instanceof Uint8Array) yield piece
  } catch (thrown) {
    throw errorOf(thrown as grpc.ServiceError)
  }
}

const brokenCodes: number[] = [
  grpc.status.UNAVAILABLE,
  grpc.status.DEADLINE_EXCEEDED,
  grpc.status.CANCELLED,
  grpc.status.RESOURCE_EXHAUSTED,
]

/** The way back is exact; only a broken connection is guessed from its status. */
function errorOf({ code, metadata }: grpc.ServiceError): DomainError {
  const [sent] = metadata?.get('error-bin') ?? []
  if (sent) return DomainError.fromJSON(JSON.parse(String(sent)))
  return brokenCodes.includes(code)
    ? unavailable('A part of the service did not answer.')
    : new DomainError('internal', 'Internal server error')
}
