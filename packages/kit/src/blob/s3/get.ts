import { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { unavailable } from '../../call/errors.ts'
import { cutBytes } from '../../call/pieces.ts'
import { type Blob, boundsOf, type Range } from '../blob.ts'
import type { S3 } from './client.ts'
import { codeOf, failureOf, QuietStore } from './errors.ts'

/** Milliseconds after which a response is dropped if no reader starts or its next byte does not arrive. */
const quietMs = 30_000

/** Reads an object in one request, so that size and bytes belong to the same version of it. */
export async function getObject(s3: S3, key: string, range: Range = { start: 0 }): Promise<Blob> {
  const { start, end } = range
  if (end !== undefined && end < start) return emptyPart(s3, key, range)
  const length = end === undefined ? 0 : end - start + 1 // the client takes 0 as "everything that follows"
  const answer = await s3.call(
    (client) => client.getPartialObject(s3.bucket, key, start, length).catch(unlessBeyond),
    { key },
  )
  return answer ? blobOf(s3, answer, range) : emptyPart(s3, key, range)
}

function unlessBeyond(thrown: unknown): undefined {
  if (codeOf(thrown) !== 'InvalidRange') throw thrown
}

/**
 * Returns an empty range, which S3 does not support, not even for an empty object.
 * @throws DomainError `invalid` if the range is beyond the last byte
 */
async function emptyPart({ call, bucket }: S3, key: string, range: Range): Promise<Blob> {
  const { size } = await call((client) => client.statObject(bucket, key), { key })
  const { first, last } = boundsOf(size, range)
  if (first <= last)
    throw unavailable(`The object storage refused bytes ${first} to ${last} of ${key}.`)
  return { size, chunks: nothing() }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function blobOf(s3: S3, answer: Readable, range: Range): Blob {
  const { size, length } = sizesOf(answer)
  const { first, last } = boundsOf(size, range)
  if (length !== last - first + 1) {
    answer.destroy()
    throw unavailable(
      `The object storage sent ${length} bytes of ${size}, not ${first} to ${last}.`,
    )
  }
  answer.on('error', () => {}) // the connection may break while no reader listens
  const unread = setTimeout(() => answer.destroy(), quietMs).unref()
  return { size, chunks: read(s3, answer, unread) }
}

/** Returns the size in bytes of the whole object and of this response. */
function sizesOf(answer: Readable): { size: number; length: number } {
  if (!(answer instanceof IncomingMessage)) throw new Error('the minio client answers no message')
  answer.socket.setTimeout(0) // from here on the pace of the reader counts, not that of the connection
  const length = Number(answer.headers['content-length'])
  const [, whole] = answer.headers['content-range']?.split('/') ?? []
  return { size: whole === undefined ? length : Number(whole), length }
}

/** Reads the response. A reader that stops early closes the connection. */
async function* read(
  { onError }: S3,
  answer: Readable,
  unread: NodeJS.Timeout,
): AsyncGenerator<Uint8Array> {
  clearTimeout(unread)
  const watch = () => setTimeout(() => answer.destroy(new QuietStore(quietMs)), quietMs)
  let quiet = watch()
  try {
    for await (const chunk of answer) {
      clearTimeout(quiet)
      yield* cutBytes(chunk)
      quiet = watch()
    }
  } catch (thrown) {
    throw failureOf(thrown, undefined, onError)
  } finally {
    clearTimeout(quiet)
  }
}
