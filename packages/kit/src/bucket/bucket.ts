import { untilAborted } from '../blob/abort.ts'

/** Whether a bucket can be used; what cannot be reached at all is `not_found`. */
export type Reach = 'available' | 'not_found' | 'forbidden'

export interface LevelQuery {
  /** Beginning of keys, `''` for all; of a level what follows is cut at the next `/`. */
  prefix: string
  /** Of the page before. */
  token?: string
  /** Entries of a page, both kinds together. */
  size: number
}

/** One page of one level of the hierarchy that `/` makes of keys. */
export interface Level {
  /** Whole beginnings of keys, each with its `/` at the end. */
  directories: string[]
  /** Whole keys. */
  keys: string[]
  /** Null: this was the last page. */
  next: string | null
}

/** An object of a bucket. */
export interface BucketFile {
  key: string
  /** Bytes. */
  size: number
}

/** One page of all objects below a prefix, however deep they lie, in the order of their keys. */
export interface FilePage {
  files: BucketFile[]
  /** Null: this was the last page. */
  next: string | null
}

/** Bytes of an object, both bounds included; without them all of it. */
export interface Part {
  start?: number
  end?: number
}

/**
 * A bucket of somebody else, reached with their credentials: S3, Azure or Google. Every call ends when its signal fires, is
 * bounded in the bytes that it takes into memory, and throws `BucketFailure` and nothing else.
 */
export interface Bucket {
  /** Never throws: asks for the first key below `prefix`. */
  probe: (prefix: string, signal: AbortSignal) => Promise<Reach>
  list: (query: LevelQuery, signal: AbortSignal) => Promise<Level>
  /** A key that is there is the first one below itself. */
  files: (query: LevelQuery, signal: AbortSignal) => Promise<FilePage>
  exists: (key: string, signal: AbortSignal) => Promise<boolean>
  /** In pieces of at most 64 KiB. A key that is not there is found out with the first piece. */
  read: (key: string, part: Part, signal: AbortSignal) => AsyncIterable<Uint8Array>
  /**
   * Replaces what is there. All or nothing: where `chunks` fail, which is thrown as it is, or the signal fires before the last
   * of them was taken, there is no object and no part of one. Parts go one by one, so that memory does not grow with the object
   * and little is on its way when the last chunk is asked for.
   */
  write: (key: string, chunks: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<void>
  /** Whether these credentials may write; nothing is left behind. */
  canWrite: (signal: AbortSignal) => Promise<boolean>
}

export type BucketReason =
  | 'forbidden'
  /** There is no such bucket. */
  | 'not_found'
  | 'no_key'
  /** No key for every provider: a segment of it is `.` or `..`, which an address loses. */
  | 'bad_key'
  | 'bad_token'
  /** The address is one that may not be asked. */
  | 'blocked'
  | 'unreachable'
  /** The library of this provider is not part of the installation. */
  | 'not_installed'

/** Says what went wrong by one of a few words: what the other side or a library wrote may hold anything, secrets included. */
export class BucketFailure extends Error {
  readonly reason: BucketReason

  constructor(reason: BucketReason) {
    super(`bucket: ${reason}`)
    this.reason = reason
  }
}

/** Runs a call of a library; whatever it throws becomes a failure with the reason that `reasonOf` finds. */
export async function failing<T>(
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

/** @throws BucketFailure bad_key: read as an address it could lead out of the bucket */
export function assertKey(key: string): void {
  if (/(^|\/)\.\.?(\/|$)/.test(key)) throw new BucketFailure('bad_key')
}

/**
 * Runs a write; what its chunks throw passes as it is, and a signal is not kept waiting by silent ones. They are left when
 * everything that was begun has an end, so that whoever gives them can wait for that.
 */
export async function writing(
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

/** How a bucket can be used, told by listing one key of it. */
export async function probeBy(list: () => Promise<unknown>): Promise<Reach> {
  try {
    await list()
    return 'available'
  } catch (thrown) {
    const { reason } = failureOf(thrown, () => 'unreachable')
    return reason === 'forbidden' ? 'forbidden' : 'not_found'
  }
}

const refusedCode = 'ERR_ADDRESS_REFUSED'

/** Did the guard refuse the address? Libraries wrap errors, and keep their code. */
export function isBlocked(thrown: unknown): boolean {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (Reflect.get(error, 'code') === refusedCode) return true
  return false
}

/** Lists are read whole: a page of 500 keys with 1,024 characters each, spelt as awkwardly as can be. */
export const largestAnswer = 8 * 1024 * 1024
