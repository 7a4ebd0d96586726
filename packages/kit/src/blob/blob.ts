import { DomainError, notFound } from '../call/errors.ts'

export interface StoredBlob {
  /** Size in bytes. */
  size: number
  /** SHA-256 of the content, hexadecimal. */
  sha256: string
  /** Opaque entity tag that changes with the content; equal to the one that `stat` returns. */
  etag: string
}

export interface BlobInfo {
  key: string
  /** Size in bytes. */
  size: number
  etag: string
  modified_date: Date
}

/**
 * Byte range with both ends included, as in HTTP: `{ start: 0, end: 99 }` is the first hundred bytes. Without `end` it
 * extends to the last byte.
 */
export interface Range {
  start: number
  end?: number
}

export interface Blob {
  /** Size in bytes of the whole object, even when a range was requested. */
  size: number
  /** Content in pieces of at most 64 KiB. */
  chunks: AsyncIterable<Uint8Array>
}

/** Step size in bytes: the progress of `putInSteps` is a multiple of it. */
export const stepBytes = 8 * 1024 * 1024

/** Progress of a put in steps. It survives the process. */
export interface PutProgress {
  /** Stored bytes, a multiple of `stepBytes`. */
  size: number
  /** Opaque mark by which the store finds and verifies the stored bytes. */
  mark: string
}

export interface Steps {
  /** Progress of an earlier put of the key; `chunks` then start after it. */
  from?: PutProgress | undefined
  /** Called after each stored step; true if the progress is to be reported now. */
  isDue: () => boolean
  onStored: (begun: PutProgress) => void
  signal?: AbortSignal
}

/**
 * Error of a put that cannot continue: the bytes of the earlier put are missing, or differ from those it reported. The
 * source has not been read.
 */
export class CannotGoOn extends Error {
  constructor(key: string) {
    super(`What was stored of ${key} is gone.`)
  }
}

/**
 * Store of objects by key. Keys are made by this code, never by users: segments of letters, digits and `._-`, joined by
 * `/`. No key may be a folder of another key. A missing object is `not_found`.
 */
export interface BlobStore {
  /**
   * Writes an object completely or not at all, replacing the former one. If
   * `chunks` fail or `signal` fires, the former object stays.
   */
  put: (
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal },
  ) => Promise<StoredBlob>
  /**
   * Writes an object so that another process can continue after a failure: a failed put keeps its stored bytes, for a
   * later put or for `abandon`. If an earlier writer was presumed dead but still runs, its bytes are never mixed with
   * those of the later put; at worst the later put fails.
   * @throws CannotGoOn
   */
  putInSteps: (
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    steps: Steps,
  ) => Promise<Omit<StoredBlob, 'sha256'>>
  /** Removes the bytes that unfinished puts in steps have stored for the key. A finished object of the key stays. */
  abandon: (key: string) => Promise<void>
  /** @throws DomainError `not_found`; `invalid` if `start` is beyond the last byte */
  get: (key: string, range?: Range) => Promise<Blob>
  stat: (key: string) => Promise<BlobInfo>
  /** Removes an object. Removing a missing one is not an error. */
  remove: (key: string) => Promise<void>
  /** Removes all objects whose key begins with `prefix`, and resolves to their number. */
  removePrefix: (prefix: string) => Promise<number>
  /** Every object whose key begins with the text `prefix`, ordered by key. */
  list: (prefix: string) => AsyncIterable<BlobInfo>
  /**
   * Removes the leftovers of puts that started before that moment and never became an object, usually because their
   * process died. Puts that still run are removed as well. Resolves to the number of removed leftovers.
   */
  removeUnfinished: (before: Date) => Promise<number>
  /**
   * Returns an address at which anyone can read the object until it expires, with ranges,
   * as a file called `filename` of the media type `type`. The existence of the object is
   * not checked. Absent if the store does not support such addresses.
   */
  presign?: (key: string, wanted: Presigned) => Promise<string>
}

export interface Presigned {
  /** Lifetime of the address in seconds, at most seven days. */
  seconds: number
  /** Media type. */
  type: string
  filename: string
}

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/
const maxLength = 900

/**
 * Checks the form of a key.
 * @throws Error for an invalid key, which is a bug and never a response to a client
 */
export function checkKey(key: string): void {
  const good = key.length <= maxLength && key.split('/').every((part) => segment.test(part))
  if (!good) throw new Error(`${JSON.stringify(key)} is no key of an object`)
}

/**
 * Checks a prefix, which may end anywhere within a key, also after its `/`.
 * @throws Error for an empty prefix, which would match every object, and for an invalid one
 */
export function checkPrefix(prefix: string): void {
  checkKey(prefix.replace(/\/$/, ''))
}

export const missingBlob = (key: string) => notFound(`There is no object ${key}.`, 'object_missing')

/**
 * Returns the first and last byte of a range, both included.
 * @throws DomainError `invalid` if the range starts beyond the last byte
 */
export function boundsOf(size: number, { start, end = size - 1 }: Range = { start: 0 }) {
  if (start > 0 && start >= size) {
    throw new DomainError(
      'invalid',
      `The range starts at ${start}, beyond the ${size} bytes there are.`,
    )
  }
  return { first: start, last: Math.min(end, size - 1) }
}
