import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { DomainError } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'

const createTooLargeError = (limit: number) =>
  new DomainError('too_large', `The request body is larger than ${limit} bytes.`)

const createTruncatedError = () =>
  new DomainError('invalid', 'The request body ended early.', { code: 'parse_error' })

/** Returns the announced body length in bytes; 0 without a body, undefined for chunked encoding. */
export function announcedLength({ headers }: IncomingMessage): number | undefined {
  if (headers['content-length'] !== undefined) return Number(headers['content-length'])
  return headers['transfer-encoding'] === undefined ? 0 : undefined
}

/**
 * Yields the pieces of a stream up to `limit` bytes in total. When reading stops early, the stream stays open, so
 * that a response can still be sent on its connection.
 * @throws DomainError too_large above the limit, invalid when the client stopped before the end
 */
export async function* limitedBytes(stream: Readable, limit: number): AsyncGenerator<Buffer> {
  let size = 0
  try {
    for await (const piece of stream.iterator({ destroyOnReturn: false })) {
      size += piece.length
      if (size > limit) throw createTooLargeError(limit)
      yield piece
    }
  } catch (thrown) {
    throw thrown instanceof DomainError ? thrown : createTruncatedError()
  }
}

/**
 * Yields the body of a request. A body that was already read is yielded again; a request with an idempotency key
 * records the pieces.
 */
export async function* bodyOf(
  { raw, repeat }: Pick<FastifyRequest, 'raw' | 'repeat'>,
  limit: number,
): AsyncGenerator<Buffer> {
  if (repeat?.whole) return yield* [repeat.whole]
  for await (const piece of limitedBytes(raw, limit)) {
    repeat?.read(piece)
    yield piece
  }
  repeat?.end()
}

/**
 * Checks the announced length.
 * @throws DomainError too_large when a request announces more than `limit` bytes
 */
export function assertLength(request: IncomingMessage, limit: number): void {
  if ((announcedLength(request) ?? 0) > limit) throw createTooLargeError(limit)
}
