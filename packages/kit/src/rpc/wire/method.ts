import type { ServiceDefinition } from '@grpc/grpc-js'
import type { PackageDefinition } from '@grpc/proto-loader'
import { isBytes, type Operation, requestSchema } from '@reticle/contracts/api/operation'
import type { Bytes, Head } from '../../call/context.ts'
import { cutBytes } from '../../call/pieces.ts'
import { wireOf } from './message.ts'

/** Builds the gRPC method of an operation. Both ends use the zod shape; the wire form is internal to this file. */
export function methodOf(protos: PackageDefinition, { service, rpc, ...operation }: Operation) {
  const proto = (protos[`reticle.v1.${service}`] as ServiceDefinition | undefined)?.[rpc]
  if (!proto) throw new Error(`proto/ has no ${service}.${rpc}`)
  const request = wireOf(requestSchema(operation))
  const answer = isBytes(operation.answer) ? chunk : wireOf(operation.answer)
  return {
    ...proto,
    requestSerialize: (part: unknown) =>
      proto.requestSerialize(part instanceof Uint8Array ? { data: part } : request.toWire(part)),
    requestDeserialize: (bytes: Buffer) => {
      const message = proto.requestDeserialize(bytes)
      return message.data ?? request.fromWire(message)
    },
    responseSerialize: (value: unknown) => proto.responseSerialize(answer.toWire(value)),
    responseDeserialize: (bytes: Buffer): unknown =>
      answer.fromWire(proto.responseDeserialize(bytes)),
  }
}

/** Message of a streamed response: the head comes first, and every other message is a piece of the bytes. */
export type StreamMessage = { head: Head } | Uint8Array

/** Splits bytes into messages far below the limit of 4 MiB per message; none is empty. */
export async function* piecesOf(bytes: Bytes): Bytes {
  for await (const chunk of bytes) yield* cutBytes(chunk)
}

const chunk = {
  toWire: (piece: unknown) => (piece instanceof Uint8Array ? { data: piece } : piece),
  fromWire: (message: unknown): unknown => {
    const { head, data } = message as { head?: Head; data?: Buffer }
    return head ? { head } : (data ?? new Uint8Array())
  },
}
