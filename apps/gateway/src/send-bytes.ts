import { Readable } from 'node:stream'
import type { BytesAnswer, Head } from '@reticle/kit'
import { pieceBytes } from '@reticle/kit/pieces'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isNotModified } from './etag-match.ts'
import { notAcceptable } from './http-error.ts'

type Pieces = AsyncIterator<Uint8Array>

/**
 * Sends bytes of a service. An answer of one piece has a length and goes out at once; more are streamed with
 * back-pressure (`perf-design.md` 4.2). The first piece is awaited, so that an error before it keeps its own status.
 */
export async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { head, chunks }: BytesAnswer,
): Promise<FastifyReply> {
  const pieces = chunks[Symbol.asyncIterator]()
  const isKnown = head.etag !== undefined && isNotModified(request, head.etag)
  if (isKnown || request.method === 'HEAD') {
    await pieces.return?.()
    setHead(request, reply, head)
    if (isKnown) return reply.code(304).removeHeader('content-length').send()
    return reply.statusCode === 204 ? sendNothing(reply) : sendNone(reply)
  }
  const first = await pieces.next()
  const second = first.done ? first : await pieces.next()
  setHead(request, reply, head) // not before: an error has none of it
  if (reply.statusCode === 204) return sendNothing(reply)
  if (!first.done && !second.done) return reply.send(streamOf([first.value, second.value], pieces))
  return reply.send(first.done ? Buffer.alloc(0) : asBuffer(first.value))
}

/** 204 says nothing of a body that it does not have (RFC 9110 8.6). */
function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('content-type').removeHeader('content-length').send()
}

/** The answer to HEAD; without a payload at all its length would be said to be 0. */
export function sendNone(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]))
}

function setHead(request: FastifyRequest, reply: FastifyReply, head: Head): void {
  if (head.etag) reply.header('etag', head.etag)
  if (head.length !== undefined) reply.header('content-length', head.length)
  reply.header('cache-control', caching(head))
  reply.type(head.type ?? jsonType(request))
  if (head.type) guardContent(reply, head.type)
}

function caching({ max_age, etag }: Head): string {
  if (max_age !== undefined) return `private, max-age=${max_age}`
  return etag ? 'private, no-cache' : 'no-store'
}

function jsonType({ answerType }: FastifyRequest): string {
  if (answerType !== null) return answerType
  throw notAcceptable()
}

const raster = /^image\/(?:jpeg|png|webp|gif|avif|bmp|tiff)$/

/** What users uploaded must not run in a browser (`reliability.md` 8, helmet). */
export function guardContent(reply: FastifyReply, type: string): void {
  reply.header('content-security-policy', 'sandbox')
  if (!raster.test(type)) reply.header('content-disposition', 'attachment')
}

const asBuffer = (piece: Uint8Array) =>
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)

/** A stream of bytes that were begun to be read, and what follows them. */
function streamOf(begun: Uint8Array[], rest: Pieces): Readable {
  async function* all() {
    yield* begun
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return bytesStream(all())
}

export function bytesStream(pieces: AsyncIterable<Uint8Array>): Readable {
  return Readable.from(pieces, { objectMode: false, highWaterMark: pieceBytes })
}
