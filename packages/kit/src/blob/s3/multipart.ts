import { createHash } from 'node:crypto'
import { DomainError } from '../../call/errors.ts'
import { CannotGoOn, type PutProgress, type Steps } from '../blob.ts'
import type { S3 } from './client.ts'
import { codeOf } from './errors.ts'
import { partBytes } from './parts.ts'

/** Largest number of parts that S3 accepts. */
const mostParts = 10_000
const completeMs = 60_000

interface SentPart {
  part: number
  etag: string
  /** Size in bytes. */
  size: number
}

/** Multipart upload that an earlier put has started. */
export interface StartedMultipart {
  uploadID: string
  parts: SentPart[]
}

export interface Sending {
  halt: AbortController
  inFlight: number
  /** See `PutOptions`. */
  isForeign?: boolean
  begun?: StartedMultipart | undefined
  steps?: Steps | undefined
}

export interface MultipartUpload {
  /** Sends a part, and waits while too many are being sent. */
  add: (bytes: Buffer) => Promise<void>
  /** Joins the parts into one object. */
  complete: () => Promise<void>
  /** Resolves when no part is being sent. */
  rest: () => Promise<void>
  /** Removes the parts. If the store cannot be reached, `removeUnfinished` removes them later. */
  abandon: () => Promise<void>
}

/**
 * Creates a multipart upload, which starts with its first part. A failed
 * part fires `halt`; a stored part is passed to `onStored`.
 */
export function multipartUpload(
  s3: S3,
  key: string,
  { halt, inFlight, begun, steps }: Sending,
  onStored: (bytes: Buffer) => void,
): MultipartUpload {
  const { bucket, call } = s3
  const { signal } = halt
  const done = begun?.parts ?? []
  const running = new Set<Promise<void>>()
  const reportStep = steps && createStepReport(done, steps)
  let uploadID = begun?.uploadID ?? ''
  let count = done.length

  // Not ended by `halt`: without the id the started upload could not be removed.
  const begin = () => call((client) => client.initiateNewMultipartUpload(bucket, key, {}))
  const send = async (part: number, bytes: Buffer) => {
    const headers = { 'content-md5': createHash('md5').update(bytes).digest('base64') }
    const place = { bucketName: bucket, objectName: key, uploadID, partNumber: part, headers }
    const limits = { signal, quietMs: quietMs(bytes) }
    const { etag } = await call((client) => client.uploadPart(place, bytes), limits)
    done[part - 1] = { part, etag, size: bytes.length }
    if (bytes.length === partBytes) onStored(bytes)
    reportStep?.(uploadID)
  }
  const rest = async () => {
    await Promise.all(running)
  }
  return {
    rest,
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
      await rest()
      signal.throwIfAborted()
      const limits = { signal, quietMs: completeMs, isRepeatable: false }
      await call((client) => client.completeMultipartUpload(bucket, key, uploadID, done), limits)
      uploadID = '' // the object exists now, so no upload is left to abort
    },
    abandon: async () => {
      await rest()
      if (uploadID === '') return
      await call((client) => client.abortMultipartUpload(bucket, key, uploadID)).catch(
        () => undefined,
      )
    },
  }
}

/** Reports the position up to which all parts are stored. Parts finish in any order. */
function createStepReport(done: readonly SentPart[], { isDue, onStored }: Steps) {
  const digest = digestParts()
  let count = 0
  return (uploadID: string) => {
    for (let next = done[count]; next?.size === partBytes; next = done[count]) {
      digest.add(next)
      count++
    }
    if (count > 0 && isDue())
      onStored({ size: count * partBytes, mark: `${digest.read()} ${uploadID}` })
  }
}

/** Creates a digest of part etags. It detects parts that were overwritten by a writer that was presumed dead. */
function digestParts() {
  const hash = createHash('sha256')
  return {
    add: ({ etag }: SentPart) => hash.update(`${etag}\n`),
    read: () => hash.copy().digest('base64url'),
  }
}

/**
 * Finds the parts of an earlier put up to its reported progress.
 * @throws CannotGoOn if they are missing or have been overwritten
 */
export async function findStartedMultipart(
  { bucket, call }: S3,
  key: string,
  { size, mark }: PutProgress,
): Promise<StartedMultipart> {
  const [told, uploadID = ''] = mark.split(' ')
  const all = await call((client) =>
    client.sentParts(bucket, key, uploadID).catch((thrown) => {
      if (codeOf(thrown) !== 'NoSuchUpload') throw thrown
      return []
    }),
  )
  const parts = all.filter(({ part }) => part * partBytes <= size)
  const digest = digestParts()
  for (const part of parts) digest.add(part)
  const isThere = parts.every((one, n) => one.part === n + 1 && one.size === partBytes)
  if (!isThere || parts.length * partBytes !== size || digest.read() !== told)
    throw new CannotGoOn(key)
  return { uploadID, parts: parts.map(({ part, etag, size }) => ({ part, etag, size })) }
}

const tooLarge = () => {
  const most = (mostParts * partBytes) / 1024 ** 3
  return new DomainError('too_large', `An object has ${Math.floor(most)} GiB at most.`)
}

/**
 * Returns the milliseconds that sending a part may stay silent: the operating system buffers up to 4 MiB without
 * visible progress, sent at 40 KB a second or more.
 */
export const quietMs = ({ length }: Buffer) => 10_000 + Math.min(length, 4 * 1024 * 1024) / 40
