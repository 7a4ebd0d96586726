import { once } from 'node:events'
import type * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { listServiceOperations, type Operations } from '@reticle/contracts/api/operation'
import {
  type BytesAnswer,
  type CallContext,
  isBytesAnswer,
  type Service,
  type UntypedCall,
} from '../../call/context.ts'
import { toDomainError, unavailable } from '../../call/errors.ts'
import { statusOf } from '../wire/failure.ts'
import { verifyContext } from '../wire/metadata.ts'
import { methodOf, piecesOf } from '../wire/method.ts'
import { withIdleLimit, withTimeLimit } from './idle.ts'

type Fields = Record<string, unknown>
type AnyCall = grpc.ServerDuplexStream<Fields, unknown> & { request?: Fields }

/** Server and settings for incoming calls. */
export interface Entrance {
  server: grpc.Server
  protos: PackageDefinition
  /** Keys with which callers may have signed. */
  keys: readonly string[]
  /** Longest pause within a stream, in milliseconds. */
  idleMs: number
}

/** Registers the operations of a table with guarded handlers, for callers that sign with an internal key. */
export function serveGrpc<T extends Operations>(
  entrance: Entrance,
  table: T,
  service: Service<T>,
): void {
  const { server, protos } = entrance
  const calls = service as Record<string, UntypedCall>
  const methods = listServiceOperations(table).map((one) => [one.name, methodOf(protos, one)])
  const handlers = listServiceOperations(table).map(({ name }) => [
    name,
    answerWith(entrance, calls[name] as UntypedCall),
  ])
  server.addService(Object.fromEntries(methods), Object.fromEntries(handlers))
}

/** Builds the handler; grpc-js passes (call) or (call, callback), depending on the kind of method. */
function answerWith({ keys, idleMs }: Entrance, handle: UntypedCall) {
  return async (call: AnyCall, reply?: grpc.sendUnaryData<unknown>) => {
    const cancel = new AbortController()
    let isOver = false
    call.on('cancelled', () => {
      if (!isOver) cancel.abort() // grpc-js also emits it after every response
    })
    const { signal } = cancel
    try {
      const { call_id, ...sent } = verifyContext(call.metadata, { method: call.getPath(), keys })
      const deadline = Number(call.getDeadline())
      const context: CallContext = { ...sent, next_call_id: call_id, deadline, signal }
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

/**
 * Writes at the pace of the reader. A reader that accepts nothing for too
 * long ends the response, which releases its resources.
 */
async function write(
  call: AnyCall,
  { head, chunks }: BytesAnswer,
  { signal, idleMs }: { signal: AbortSignal; idleMs: number },
) {
  call.write({ head })
  for await (const piece of piecesOf(chunks))
    if (!call.write(piece)) await withTimeLimit(idleMs, once(call, 'drain', { signal }))
  call.end()
}

/**
 * Reads the input: the first message contains the fields, the rest is the body. A plain iterator would destroy the
 * response when it ends, and a vanished sender must be an error of the body instead of its end.
 */
async function inputOf(call: AnyCall, signal: AbortSignal, idleMs: number): Promise<Fields> {
  const abandon = () => call.destroy(unavailable('The caller went away.'))
  signal.addEventListener('abort', abandon, { once: true })
  const parts = call.iterator({ destroyOnReturn: false })
  const { value: fields } = await withTimeLimit(idleMs, parts.next())
  return { ...fields, body: withIdleLimit(idleMs, parts) }
}
