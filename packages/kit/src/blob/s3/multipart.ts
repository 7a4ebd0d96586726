import { createHash } from 'node:crypto'
import { DomainError } from '../../errors.ts'
import { type Begun, CannotGoOn, type Steps } from '../blob.ts'
import type { S3 } from './client.ts'
import { codeOf } from './errors.ts'
import { partBytes } from './parts.ts'

/** S3 takes no more. */
const mostParts = 10_000
const completeMs = 60_000

interface SentPart {
  part: number
  etag: string
  /** Bytes. */
  size: number
}

/** An upload in parts that an earlier put has begun. */
export interface BegunUpload {
  uploadID: string
  parts: SentPart[]
}

export interface Sending {
  halt: AbortController
  inFlight: number
  /** See `PutOptions`. */
  isForeign?: boolean
  begun?: BegunUpload | undefined
  steps?: Steps | undefined
}

export interface MultipartUpload {
  /** Sends a part, and waits while too many are on their way. */
  add: (bytes: Buffer) => Promise<void>
  /** Makes the parts one object. */
  complete: () => Promise<void>
  /** Resolves when no part is on its way. */
  rest: () => Promise<void>
  /** Removes the parts; what the store is not there to remove, `removeUnfinished` finds later. */
  abandon: () => Promise<void>
}

/** Begins with the first part. A part that fails fires `halt`; one that is stored is handed to `onStored`. */
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
  const tell = steps && tellSteps(done, steps)
  let uploadID = begun?.uploadID ?? ''
  let count = done.length

  // Not ended by `halt`: whoever does not hear the id cannot remove what was begun.
  const begin = () => call((client) => client.initiateNewMultipartUpload(bucket, key, {}))
  const send = async (part: number, bytes: Buffer) => {
    const headers = { 'content-md5': createHash('md5').update(bytes).digest('base64') }
    const place = { bucketName: bucket, objectName: key, uploadID, partNumber: part, headers }
    const limits = { signal, quietMs: quietMs(bytes) }
    const { etag } = await call((client) => client.uploadPart(place, bytes), limits)
    done[part - 1] = { part, etag, size: bytes.length }
    if (bytes.length === partBytes) onStored(bytes)
    tell?.(uploadID)
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
      uploadID = '' // it is an object now: nothing is left to abort
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

/** Tells up to where all parts are stored; they come to their end in any order. */
function tellSteps(done: readonly SentPart[], { isDue, onStored }: Steps) {
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

/** Tells parts from others of the same upload: whoever was taken for dead may have written over some of them. */
function digestParts() {
  const hash = createHash('sha256')
  return {
    add: ({ etag }: SentPart) => hash.update(`${etag}\n`),
    read: () => hash.copy().digest('base64url'),
  }
}

/**
 * The parts of an earlier put as far as it told of them.
 *
 * @throws CannotGoOn where they are gone, or are others
 */
export async function findBegun(
  { bucket, call }: S3,
  key: string,
  { size, mark }: Begun,
): Promise<BegunUpload> {
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

/** Bytes that the operating system has taken are out of sight until it wants more: 4 MiB, at 40 KB a second or more. */
export const quietMs = ({ length }: Buffer) => 10_000 + Math.min(length, 4 * 1024 * 1024) / 40
