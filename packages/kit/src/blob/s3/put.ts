import { createHash } from 'node:crypto'
import { DomainError, unavailable } from '../../errors.ts'
import { untilAborted } from '../abort.ts'
import type { Stored } from '../blob.ts'
import type { S3 } from './client.ts'
import { codeOf } from './errors.ts'
import { partBytes, partsOf } from './parts.ts'

export interface PutOptions {
  signal?: AbortSignal | undefined
  /** Parts on their way at once: with the one being filled, a put of four holds 40 MiB at most. */
  inFlight?: number
}

const usuallyInFlight = 4
/** S3 takes no more. */
const mostParts = 10_000
const completeMs = 60_000

/**
 * All or nothing: the object appears with the last call, when everything before it has succeeded. The client's own
 * streaming is not used: a source that fails would end the process, or never be answered (`infra.md` 3).
 */
export async function putObject(
  s3: S3,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  { signal, inFlight = usuallyInFlight }: PutOptions = {},
): Promise<Stored> {
  const halt = new AbortController()
  const leave = () => halt.abort(signal?.reason)
  if (signal?.aborted) leave()
  signal?.addEventListener('abort', leave, { once: true })
  const hash = createHash('sha256')
  let size = 0
  async function* counted() {
    for await (const chunk of untilAborted(chunks, halt.signal)) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  try {
    halt.signal.throwIfAborted()
    const etag = await putParts(s3, key, counted(), { halt, inFlight })
    return { size, sha256: hash.digest('hex'), etag }
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

interface Sending {
  halt: AbortController
  inFlight: number
}

/** Whatever fails first halts everything else. Resolves to the etag. */
async function putParts(
  s3: S3,
  key: string,
  chunks: AsyncIterable<Uint8Array>,
  sending: Sending,
): Promise<string> {
  const { halt } = sending
  const spare: Buffer[] = []
  const upload = multipartUpload(s3, key, sending, (bytes) => spare.push(bytes))
  let size = 0
  try {
    for await (const { bytes, isWhole } of partsOf(chunks, spare)) {
      if (isWhole) return await putWhole(s3, key, bytes, halt.signal)
      size += bytes.length
      await upload.add(bytes)
    }
    await upload.complete()
    return await checkedEtag(s3, key, size)
  } catch (thrown) {
    halt.abort(thrown)
    await upload.abandon()
    throw halt.signal.reason
  }
}

async function putWhole(s3: S3, key: string, bytes: Buffer, signal: AbortSignal): Promise<string> {
  const { etag } = await s3.call((client) => client.putObject(s3.bucket, key, bytes), {
    signal,
    quietMs: quietMs(bytes),
  })
  const md5 = createHash('md5').update(bytes).digest('hex')
  return etag === md5 ? etag : checkedEtag(s3, key, bytes.length) // encrypted objects have other etags
}

/** What a store says it has kept is not taken on trust (`reliability.md` F23). */
async function checkedEtag({ call, bucket }: S3, key: string, expected: number): Promise<string> {
  const { size, etag } = await call(
    (client) => client.statObject(bucket, key).catch(unlessUnseen),
    {
      key,
    },
  )
  if (size === expected || size === undefined) return etag
  await call((client) => client.removeObject(bucket, key))
  throw unavailable(`The object storage kept ${size} of ${expected} bytes.`)
}

/** Somebody else's bucket may be open for writing alone: then nothing can be looked at. */
function unlessUnseen(thrown: unknown): { size?: number; etag: string } {
  if (codeOf(thrown) !== 'AccessDenied') throw thrown
  return { etag: '' }
}

interface MultipartUpload {
  /** Sends a part, and waits while too many are on their way. */
  add: (bytes: Buffer) => Promise<void>
  /** Makes the parts one object. */
  complete: () => Promise<void>
  /** Removes the parts; what the store is not there to remove, `removeUnfinished` finds later. */
  abandon: () => Promise<void>
}

/** Begins with the first part. A part that fails fires `halt`; one that is stored is handed to `onStored`. */
function multipartUpload(
  s3: S3,
  key: string,
  { halt, inFlight }: Sending,
  onStored: (bytes: Buffer) => void,
): MultipartUpload {
  const { bucket, call } = s3
  const { signal } = halt
  const done: { part: number; etag: string }[] = []
  const running = new Set<Promise<void>>()
  let uploadID = ''
  let count = 0

  // Not ended by `halt`: whoever does not hear the id cannot remove what was begun.
  const begin = () => call((client) => client.initiateNewMultipartUpload(bucket, key, {}))
  const send = async (part: number, bytes: Buffer) => {
    const headers = { 'content-md5': createHash('md5').update(bytes).digest('base64') }
    const place = { bucketName: bucket, objectName: key, uploadID, partNumber: part, headers }
    const limits = { signal, quietMs: quietMs(bytes) }
    const { etag } = await call((client) => client.uploadPart(place, bytes), limits)
    done[part - 1] = { part, etag }
    if (bytes.length === partBytes) onStored(bytes)
  }
  return {
    add: async (bytes) => {
      if (uploadID === '') uploadID = await begin()
      if (++count > mostParts) throw tooLarge()
      const sending = send(count, bytes)
        .catch((thrown) => halt.abort(thrown))
        .finally(() => running.delete(sending))
      running.add(sending)
      if (running.size === inFlight) await Promise.race(running)
      signal.throwIfAborted()
    },
    complete: async () => {
      await Promise.all(running)
      signal.throwIfAborted()
      const limits = { signal, quietMs: completeMs, isRepeatable: false }
      await call((client) => client.completeMultipartUpload(bucket, key, uploadID, done), limits)
    },
    abandon: async () => {
      await Promise.all(running)
      if (uploadID === '') return
      await call((client) => client.abortMultipartUpload(bucket, key, uploadID)).catch(
        () => undefined,
      )
    },
  }
}

const tooLarge = () => {
  const most = (mostParts * partBytes) / 1024 ** 3
  return new DomainError('too_large', `An object has ${Math.floor(most)} GiB at most.`)
}

/** Bytes that the operating system has taken are out of sight until it wants more: 4 MiB, at 40 KB a second or more. */
const quietMs = ({ length }: Buffer) => 10_000 + Math.min(length, 4 * 1024 * 1024) / 40
