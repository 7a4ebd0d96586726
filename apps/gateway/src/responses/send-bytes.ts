import { Readable } from 'node:stream'
import type { BytesAnswer, Head } from '@reticle/kit'
import { pieceBytes } from '@reticle/kit/call/pieces'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { notAcceptable, rangeNotSatisfiable } from '../call/http-error.ts'
import { type ByteRange, readRequestedRange } from './range.ts'

type Pieces = AsyncIterator<Uint8Array>

/**
 * Sends a stream of a service. A single piece is sent at once with its length; more pieces are streamed with
 * back-pressure. The first piece is awaited, so that an error before it keeps its status.
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
    return reply.statusCode === 204 ? sendNoContent(reply) : sendHeadOnly(reply)
  }
  const range = rangeOf(request, head)
  if (range !== 'whole') return sendPart(request, reply, { head, pieces, range })
  const first = await pieces.next()
  const second = first.done ? first : await pieces.next()
  setHead(request, reply, head) // not earlier, because an error must not have these headers
  if (reply.statusCode === 204) return sendNoContent(reply)
  if (!first.done && !second.done) return reply.send(streamOf([first.value, second.value], pieces))
  return reply.send(first.done ? Buffer.alloc(0) : asBuffer(first.value))
}

/** Returns the requested range; ranges need a known length. */
function rangeOf(request: FastifyRequest, { has_ranges, length, etag }: Head) {
  return has_ranges && length !== undefined ? readRequestedRange(request, length, [etag]) : 'whole'
}

interface Part {
  head: Head
  pieces: Pieces
  range: ByteRange | 'none'
}

/**
 * Sends a range.
 * @throws HttpError 416
 */
async function sendPart(
  request: FastifyRequest,
  reply: FastifyReply,
  { head, pieces, range }: Part,
): Promise<FastifyReply> {
  const { length = 0 } = head
  if (range === 'none') {
    await pieces.return?.()
    reply.header('content-range', `bytes */${length}`)
    throw rangeNotSatisfiable(length)
  }
  const part = sliceRange(pieces, range)
  const first = await part.next()
  setHead(request, reply, head)
  const { start, end } = range
  reply.code(206).headers({
    'content-range': `bytes ${start}-${end}/${length}`,
    'content-length': end - start + 1,
  })
  return reply.send(streamOf(first.done ? [] : [first.value], part))
}

/** Yields the bytes of a range; bytes after it are not read. */
async function* sliceRange(pieces: Pieces, { start, end }: ByteRange): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const piece of { [Symbol.asyncIterator]: () => pieces }) {
    const part = piece.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
    at += piece.length
    if (part.length > 0) yield part
    if (at > end) break
  }
}

/** Sends 204 without headers about a body (RFC 9110 8.6). */
function sendNoContent(reply: FastifyReply): FastifyReply {
  return reply.removeHeader('content-type').removeHeader('content-length').send()
}

/** Sends a response to HEAD; without a payload the framework would set its length to 0. */
export function sendHeadOnly(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]))
}

function setHead(request: FastifyRequest, reply: FastifyReply, head: Head): void {
  if (head.etag) reply.header('etag', head.etag)
  if (head.length !== undefined) reply.header('content-length', head.length)
  if (head.checksum) reply.header('x-checksum', head.checksum)
  if (head.updated_date) reply.header('x-updated-date', head.updated_date)
  if (head.has_ranges) reply.header('accept-ranges', 'bytes')
  reply.header('cache-control', cacheControlOf(head))
  reply.type(head.type ?? jsonType(request))
  if (head.type) guardContent(reply, head.type)
}

function cacheControlOf({ max_age, etag }: Head): string {
  if (max_age !== undefined) return `private, max-age=${max_age}`
  return etag ? 'private, no-cache' : 'no-store'
}

function jsonType({ answerType }: FastifyRequest): string {
  if (answerType !== null) return answerType
  throw notAcceptable()
}

const raster = /^image\/(?:jpeg|png|webp|gif|avif|bmp|tiff)$/

/** Prevents uploaded content from running scripts in a browser. */
export function guardContent(reply: FastifyReply, type: string): void {
  reply.header('content-security-policy', 'sandbox')
  if (!raster.test(type)) reply.header('content-disposition', 'attachment')
}

const asBuffer = (piece: Uint8Array) =>
  Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)

/** Returns a stream of pieces that were already read and the remaining ones. */
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

const withoutWeakness = (tag: string) => tag.trim().replace(/^W\//, '')

/** Returns whether `If-None-Match` of a read contains this entity tag (RFC 9110 13.1.2, weak comparison). */
export function isNotModified({ method, headers }: FastifyRequest, tag: string): boolean {
  const given = headers['if-none-match']
  if (given === undefined || (method !== 'GET' && method !== 'HEAD')) return false
  if (given.trim() === '*') return true
  return given.split(',').some((one) => withoutWeakness(one) === withoutWeakness(tag))
}
