import { once } from 'node:events'
import * as grpc from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { answered, type Operations } from '@reticle/contracts/api/operation'
import { DomainError, kinds, toDomainError } from '../errors.ts'
import { type Bytes, type Call, type Context, isBytesAnswer, type Service } from './context.ts'
import { verify } from './metadata.ts'
import { methodOf } from './method.ts'

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
      const answer = await handle((call.request ?? (await inputOf(call))) as never, context)
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
  for await (const piece of chunks) if (!call.write(piece)) await once(call, 'drain', { signal })
  call.end()
}

/** The first message carries the fields, the rest is the body. A plain iterator would destroy the answer when it ends. */
async function inputOf(call: AnyCall): Promise<Fields> {
  const parts = call.iterator({ destroyOnReturn: false })
  const { value: fields } = await parts.next()
  return { ...fields, body: { [Symbol.asyncIterator]: () => parts } }
}

const trailerLimit = 8 * 1024 // bytes; grpc-js turns a larger trailer into a dead call

function statusOf(error: DomainError) {
  const metadata = new grpc.Metadata() // -bin: plain metadata is ASCII only
  metadata.set('error-bin', trailer(error))
  return { code: kinds[error.kind].grpc, details: error.message.slice(0, 512), metadata }
}

function trailer(error: DomainError): Buffer {
  const whole = Buffer.from(JSON.stringify(error))
  if (whole.length <= trailerLimit) return whole
  const { kind, code } = error
  const text = `${error.message.slice(0, 1024)} Too many errors to name them all.`
  return Buffer.from(JSON.stringify(new DomainError(kind, text, { code, body: [text] })))
}
