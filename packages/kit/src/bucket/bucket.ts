import { untilAborted } from '../blob/abort.ts'

/** Usability of a bucket. One that cannot be reached counts as `not_found`. */
export type BucketStatus = 'available' | 'not_found' | 'forbidden'

export interface LevelQuery {
  /** Prefix of keys, `''` for all. A level cuts keys at the next `/` after it. */
  prefix: string
  /** Token of the previous page. */
  token?: string
  /** Largest number of entries of a page, directories and keys together. */
  size: number
}

/** One page of one level of the hierarchy that `/` creates among keys. */
export interface Level {
  /** Complete prefixes, each with its `/` at the end. */
  directories: string[]
  /** Complete keys. */
  keys: string[]
  /** Token of the next page, null on the last one. */
  next: string | null
}

/** Object of a bucket. */
export interface BucketFile {
  key: string
  /** Size in bytes. */
  size: number
}

/** One page of all objects below a prefix at any depth, ordered by key. */
export interface FilePage {
  files: BucketFile[]
  /** Token of the next page, null on the last one. */
  next: string | null
}

/** Byte range of an object, both ends included; without bounds the whole object. */
export interface ObjectRange {
  start?: number
  end?: number
}

/**
 * Bucket of a user on S3, Azure or Google, accessed with the credentials of that user. Every call ends when its signal
 * fires, buffers a limited number of bytes, and throws only `BucketFailure`.
 */
export interface Bucket {
  /** Requests the first key below `prefix`. Never throws. */
  probe: (prefix: string, signal: AbortSignal) => Promise<BucketStatus>
  list: (query: LevelQuery, signal: AbortSignal) => Promise<Level>
  /** Lists objects. If the prefix is itself a key, that object comes first. */
  files: (query: LevelQuery, signal: AbortSignal) => Promise<FilePage>
  exists: (key: string, signal: AbortSignal) => Promise<boolean>
  /** Reads an object in pieces of at most 64 KiB. A missing key fails at the first piece. */
  read: (key: string, part: ObjectRange, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /**
   * Writes an object completely or not at all, replacing the former one. If `chunks` throw, that error is rethrown
   * unchanged. If they throw, or the signal fires before the last chunk was read, neither an object nor a part of one
   * remains. Parts are sent one by one, so that memory does not grow with the object and little is in flight when the
   * last chunk is read.
   */
  write: (key: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<void>
  /** Returns whether these credentials allow writing, without leaving anything in the bucket. */
  canWrite: (signal: AbortSignal) => Promise<boolean>
}

export type BucketReason =
  | 'forbidden'
  /** The bucket does not exist. */
  | 'not_found'
  | 'no_key'
  /** A segment of the key is `.` or `..`, which URLs normalize, so that not every provider can store it. */
  | 'bad_key'
  | 'bad_token'
  /** Requests to this address are not allowed. */
  | 'blocked'
  | 'unreachable'
  /** The client library of this provider is not installed. */
  | 'not_installed'

/** Error that names only a reason. Texts of the store or of a library could contain anything, secrets included. */
export class BucketFailure extends Error {
  readonly reason: BucketReason

  constructor(reason: BucketReason) {
    super(`bucket: ${reason}`)
    this.reason = reason
  }
}

/** Runs a call of a library, and converts any error to a failure with the reason that `reasonOf` finds. */
export async function runBucketCall<T>(
  run: () => Promise<T>,
  reasonOf: (thrown: unknown) => BucketReason,
): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw failureOf(thrown, reasonOf)
  }
}

export function failureOf(
  thrown: unknown,
  reasonOf: (thrown: unknown) => BucketReason,
): BucketFailure {
  return thrown instanceof BucketFailure ? thrown : new BucketFailure(reasonOf(thrown))
}

/**
 * Rejects keys that could lead out of the bucket when used in a URL.
 * @throws BucketFailure `bad_key`
 */
export function assertKey(key: string): void {
  if (/(^|\/)\.\.?(\/|$)/.test(key)) throw new BucketFailure('bad_key')
}

/**
 * Runs a write. Errors of its chunks are rethrown unchanged, and silent chunks do not delay an abort. The chunks are
 * released after every started call has ended, so that their producer can wait for that.
 */
export async function runBucketWrite(
  { key, chunks, signal }: { key: string; chunks: AsyncIterable<Uint8Array>; signal: AbortSignal },
  write: (chunks: AsyncIterable<Uint8Array>) => Promise<unknown>,
  reasonOf: (thrown: unknown) => BucketReason,
): Promise<void> {
  assertKey(key)
  let broken: { thrown: unknown } | undefined
  const pieces = chunks[Symbol.asyncIterator]()
  async function* watched() {
    try {
      yield* { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) }
    } catch (thrown) {
      broken = { thrown }
      throw thrown
    }
  }
  try {
    signal.throwIfAborted()
    await write(untilAborted(watched(), signal))
  } catch (thrown) {
    throw broken ? broken.thrown : failureOf(thrown, reasonOf)
  } finally {
    pieces.return?.().catch(() => undefined)
  }
}

/** Returns how a bucket can be used, by listing one key of it. */
export async function probeBy(list: () => Promise<unknown>): Promise<BucketStatus> {
  try {
    await list()
    return 'available'
  } catch (thrown) {
    const { reason } = failureOf(thrown, () => 'unreachable')
    return reason === 'forbidden' ? 'forbidden' : 'not_found'
  }
}

const refusedCode = 'ERR_ADDRESS_REFUSED'

/** Returns true if the guard refused the address. Libraries wrap the error but keep its code. */
export function isBlocked(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (Reflect.get(error, 'code') === refusedCode) return true
  return false
}

/** Size limit in bytes of a buffered response: a page of 500 keys of 1,024 characters each, in the longest escaping. */
export const largestAnswer = 8 * 1024 * 1024
