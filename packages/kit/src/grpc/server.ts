import { once } from 'node:events'
import type * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { answered, type Operations } from '@reticle/contracts/api/operation'
import { toDomainError, unavailable } from '../errors.ts'
import { type Bytes, type Call, type Context, isBytesAnswer, type Service } from '../rpc/context.ts'
import { statusOf } from './wire/failure.ts'
import { verify } from './wire/metadata.ts'
import { methodOf, piecesOf } from './wire/method.ts'

type Fields = Record<string, unknown>
type AnyCall = grpc.ServerDuplexStream<Fields, unknown> & { request?: Fields }

/** Answers the operations of a table with guarded handlers, for callers that sign with one of the internal keys. */
export function serveGrpc<T extends Operations>(
  server: grpc.Server,
  protos: PackageDefinition,
  table: T,
  service: Service<T>,
  keys: readonly string[],
): void {
  const calls = service as Record<string, Call>
  const methods = answered(table).map((one) => [one.name, methodOf(protos, one)])
  const handlers = answered(table).map(({ name }) => [name, answerWith(calls[name] as Call, keys)])
  server.addService(Object.fromEntries(methods), Object.fromEntries(handlers))
}

/** grpc-js hands (call) or (call, callback), by the kind of method. */
function answerWith(handle: Call, keys: readonly string[]) {
  return async (call: AnyCall, reply?: grpc.sendUnaryData<unknown>) => {
    const cancel = new AbortController()
    call.on('cancelled', () => cancel.abort())
    try {
      const context: Context = {
        ...verify(call.metadata, keys),
        deadline: Number(call.getDeadline()),
        signal: cancel.signal,
      }
      const answer = await handle(
        (call.request ?? (await inputOf(call, cancel.signal))) as never,
        context,
      )
      if (reply) reply(null, answer)
      else if (isBytesAnswer(answer)) await write(call, answer, cancel.signal)
    } catch (thrown) {
      const status = statusOf(toDomainError(thrown))
      if (reply) reply(status)
      else call.emit('error', status)
    }
  }
}

async function write(
  call: AnyCall,
  { head, chunks }: { head: object; chunks: Bytes },
  signal: AbortSignal,
) {
  call.write({ head })
  for await (const piece of piecesOf(chunks))
    if (!call.write(piece)) await once(call, 'drain', { signal })
  call.end()
}

/**
 * The first message carries the fields, the rest is the body. A plain iterator would destroy the answer when it ends; and
 * a sender that goes away must be an error of the body, never its end.
 */
async function inputOf(call: AnyCall, signal: AbortSignal): Promise<Fields> {
  const gone = () => call.destroy(unavailable('The caller went away.'))
  signal.addEventListener('abort', gone, { once: true })
  const parts = call.iterator({ destroyOnReturn: false })
  const { value: fields } = await parts.next()
  return { ...fields, body: { [Symbol.asyncIterator]: () => parts } }
}
