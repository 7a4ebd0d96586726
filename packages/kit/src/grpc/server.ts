import { once } from 'node:events'
import type * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { answered, type Operations } from '@reticle/contracts/api/operation'
import { toDomainError, unavailable } from '../errors.ts'
import {
  type BytesAnswer,
  type Call,
  type Context,
  isBytesAnswer,
  type Service,
} from '../rpc/context.ts'
import { moving, within } from './idle.ts'
import { statusOf } from './wire/failure.ts'
import { verify } from './wire/metadata.ts'
import { methodOf, piecesOf } from './wire/method.ts'

type Fields = Record<string, unknown>
type AnyCall = grpc.ServerDuplexStream<Fields, unknown> & { request?: Fields }

/** Where calls come in. */
export interface Entrance {
  server: grpc.Server
  protos: PackageDefinition
  /** Callers sign with one of them. */
  keys: readonly string[]
  /** Longest pause within a stream, in milliseconds. */
  idleMs: number
}

/** Answers the operations of a table with guarded handlers, for callers that sign with one of the internal keys. */
export function serveGrpc<T extends Operations>(
  entrance: Entrance,
  table: T,
  service: Service<T>,
): void {
  const { server, protos } = entrance
  const calls = service as Record<string, Call>
  const methods = answered(table).map((one) => [one.name, methodOf(protos, one)])
  const handlers = answered(table).map(({ name }) => [
    name,
    answerWith(entrance, calls[name] as Call),
  ])
  server.addService(Object.fromEntries(methods), Object.fromEntries(handlers))
}

/** grpc-js hands (call) or (call, callback), by the kind of method. */
function answerWith({ keys, idleMs }: Entrance, handle: Call) {
  return async (call: AnyCall, reply?: grpc.sendUnaryData<unknown>) => {
    const cancel = new AbortController()
    let isOver = false
    call.on('cancelled', () => {
      if (!isOver) cancel.abort() // it also comes after every answer
    })
    const { signal } = cancel
    try {
      const { call_id, ...sent } = verify(call.metadata, { method: call.getPath(), keys })
      const deadline = Number(call.getDeadline())
      const context: Context = { ...sent, next_call_id: call_id, deadline, signal }
      const input = call.request ?? (await inputOf(call, signal, idleMs))
      const answer = await handle(input as never, context)
      if (reply) reply(null, answer)
      else if (isBytesAnswer(answer)) await write(call, answer, { signal, idleMs })
    } catch (thrown) {
      const status = statusOf(toDomainError(thrown))
      if (reply) reply(status)
      else call.emit('error', status)
    } finally {
      isOver = true
    }
  }
}

/** Writes as fast as the reader takes it; one that takes nothing for too long lets go of what the answer holds. */
async function write(
  call: AnyCall,
  { head, chunks }: BytesAnswer,
  { signal, idleMs }: { signal: AbortSignal; idleMs: number },
) {
  call.write({ head })
  for await (const piece of piecesOf(chunks))
    if (!call.write(piece)) await within(idleMs, once(call, 'drain', { signal }))
  call.end()
}

/**
 * The first message carries the fields, the rest is the body. A plain iterator would destroy the answer when it ends; and
 * a sender that goes away must be an error of the body, never its end.
 */
async function inputOf(call: AnyCall, signal: AbortSignal, idleMs: number): Promise<Fields> {
  const gone = () => call.destroy(unavailable('The caller went away.'))
  signal.addEventListener('abort', gone, { once: true })
  const parts = call.iterator({ destroyOnReturn: false })
  const { value: fields } = await within(idleMs, parts.next())
  return { ...fields, body: moving(idleMs, parts) }
}
