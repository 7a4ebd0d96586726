import { createHash } from 'node:crypto'
import { unavailable } from '../../call/errors.ts'
import { untilAborted } from '../abort.ts'
import type { Steps, StoredBlob } from '../blob.ts'
import type { S3 } from './client.ts'
import { codeOf } from './errors.ts'
import { findStartedMultipart, multipartUpload, quietMs, type Sending } from './multipart.ts'
import { partsOf } from './parts.ts'

export interface PutOptions {
  signal?: AbortSignal | undefined
  /** Parts that are sent at the same time. With the part being filled, a put with four holds at most 40 MiB. */
  inFlight?: number
  /**
   * True for a bucket of a user: its objects may be replaced by others at any time, and this code never deletes them.
   */
  isForeign?: boolean
}

const usuallyInFlight = 4

/**
 * Writes an object completely or not at all: it appears with the last call, after everything else has succeeded. The
 * streaming of the minio client is not used, because a failing source would end the process or leave the call pending.
 */
export async function putObject(
  s3: S3,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  { signal, inFlight = usuallyInFlight, isForeign = false }: PutOptions = {},
): Promise<StoredBlob> {
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  const stored = await halting(signal, (halt) =>
    putParts(s3, key, hashed(), { halt, inFlight, isForeign }),
  )
  return { ...stored, sha256: hash.digest('hex') }
}

/** Writes an object like `putObject`, in steps from which another process can continue. */
export function putInSteps(
  s3: S3,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  steps: Steps,
): Promise<Unhashed> {
  return halting(steps.signal, async (halt) => {
    const begun = steps.from && (await findStartedMultipart(s3, key, steps.from))
    return putParts(s3, key, chunks, { halt, inFlight: usuallyInFlight, begun, steps })
  })
}

type Unhashed = Omit<StoredBlob, 'sha256'>

async function halting(
  signal: AbortSignal | undefined,
  run: (halt: AbortController) => Promise<Unhashed>,
): Promise<Unhashed> {
  const halt = new AbortController()
  const leave = () => halt.abort(signal?.reason)
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    halt.signal.throwIfAborted()
    return await run(halt)
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

/** Sends the parts. The first failure halts all others. */
async function putParts(
  s3: S3,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  sending: Sending,
): Promise<Unhashed> {
  const { halt, steps } = sending
  const spare: Buffer[] = []
  const upload = multipartUpload(s3, key, sending, (bytes) => spare.push(bytes))
  let size = steps?.from?.size ?? 0
  try {
    for await (const { bytes, isWhole } of partsOf(untilAborted(chunks, halt.signal), spare)) {
      size += bytes.length
      if (isWhole && size === bytes.length)
        return { size, etag: await putWhole(s3, key, bytes, sending) }
      if (bytes.length > 0) await upload.add(bytes)
    }
    await upload.complete()
    return { size, etag: await checkedEtag(s3, key, size, sending) }
  } catch (thrown) {
    halt.abort(thrown)
    if (steps) await upload.rest()
    else await upload.abandon()
    throw halt.signal.reason
  }
}

async function putWhole(s3: S3, key: string, bytes: Buffer, sending: Sending): Promise<string> {
  const { etag } = await s3.call((client) => client.putObject(s3.bucket, key, bytes), {
    signal: sending.halt.signal,
    quietMs: quietMs(bytes),
  })
  const md5 = createHash('md5').update(bytes).digest('hex')
  return etag === md5 ? etag : checkedEtag(s3, key, bytes.length, sending) // encrypted objects have other etags
}

/**
 * Checks the size that the store reports. A truncated object is deleted, but not in a bucket of a user, where another
 * writer may have made it.
 */
async function checkedEtag(
  { call, bucket }: S3,
  key: string,
  expected: number,
  { isForeign = false }: Sending,
): Promise<string> {
  const { size, etag } = await call(
    (client) => client.statObject(bucket, key).catch(unlessUnseen),
    {
      key,
    },
  )
  if (size === expected || size === undefined) return etag
  if (!isForeign) await call((client) => client.removeObject(bucket, key))
  throw unavailable(`The object storage kept ${size} of ${expected} bytes.`)
}

/** Accepts an object that cannot be inspected: a bucket of a user may allow writing only. */
function unlessUnseen(thrown: unknown): { size?: number; etag: string } {
  if (codeOf(thrown) !== 'AccessDenied') throw thrown
  return { etag: '' }
}
