import { DomainError, notFound } from '../errors.ts'

export interface Stored {
  /** Bytes. */
  size: number
  /** Of the content, hexadecimal. */
  sha256: string
  /** Opaque; changes with the content. The same `stat` answers. */
  etag: string
}

export interface BlobInfo {
  key: string
  /** Bytes. */
  size: number
  etag: string
  modified_date: Date
}

/** Both ends count, as in HTTP: `{ start: 0, end: 99 }` is the first hundred bytes. Without `end` to the last byte. */
export interface Range {
  start: number
  end?: number
}

export interface Blob {
  /** Of the whole object, also when a range was asked for. */
  size: number
  /** In pieces of at most 64 KiB. */
  chunks: AsyncIterable<Uint8Array>
}

/** Puts in steps tell how far they came in multiples of so many bytes. */
export const stepBytes = 8 * 1024 * 1024

/** How far a put in steps came: survives the process. */
export interface Begun {
  /** Bytes that are stored, a multiple of `stepBytes`. */
  size: number
  /** What the store finds and knows them by; opaque. */
  mark: string
}

export interface Steps {
  /** Where an earlier put of the key came to; `chunks` begin behind it. */
  from?: Begun | undefined
  /** Asked whenever another step is stored: shall it be told? */
  isDue: () => boolean
  onStored: (begun: Begun) => void
  signal?: AbortSignal
}

/** What an earlier put has stored is not there, or not as it was told. Nothing has been read of the source. */
export class CannotGoOn extends Error {
  constructor(key: string) {
    super(`What was stored of ${key} is gone.`)
  }
}

/**
 * Objects by key (`reliability.md` 16.1). Keys are ours, never a user's text: segments of letters, digits and `._-`, joined
 * by `/`; no key may be a folder of another. What is missing is `not_found`.
 */
export interface BlobStore {
  /** All or nothing: when `chunks` fail or `signal` fires, what was there before stays. Replaces what was there. */
  put: (
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    options?: { signal?: AbortSignal },
  ) => Promise<Stored>
  /**
   * The same of what takes so long that another process may have to go on with it. One that fails keeps what it has stored, for
   * a later one or for `abandon`. An earlier one that still runs, though it was taken for dead, does no harm: its bytes never
   * come between those of a later one, at worst that one fails.
   *
   * @throws CannotGoOn
   */
  putInSteps: (
    key: string,
    chunks: AsyncIterable<Uint8Array>,
    steps: Steps,
  ) => Promise<Omit<Stored, 'sha256'>>
  /** Removes what puts in steps have stored of the key; an object of the key stays. */
  abandon: (key: string) => Promise<void>
  /** @throws DomainError `not_found`; `invalid` when `start` lies beyond the last byte */
  get: (key: string, range?: Range) => Promise<Blob>
  stat: (key: string) => Promise<BlobInfo>
  /** Removing what is not there is no failure. */
  remove: (key: string) => Promise<void>
  /** Resolves to the number of objects removed. */
  removePrefix: (prefix: string) => Promise<number>
  /** Every object whose key begins with the text `prefix`, in the order of keys. */
  list: (prefix: string) => AsyncIterable<BlobInfo>
  /**
   * Removes what puts begun before that moment have left behind without ever becoming an object, because their process
   * died; a put that still runs counts as well. Resolves to how many there were.
   */
  removeUnfinished: (before: Date) => Promise<number>
  /**
   * An address where anybody may read the object until it expires, with ranges, as a file called `filename` of the media
   * type `type`. Nothing is looked up: an object that is missing is missing there. Absent where there are no such addresses.
   */
  presign?: (key: string, wanted: Presigned) => Promise<string>
}

export interface Presigned {
  /** How long the address works; at most seven days. */
  seconds: number
  /** Media type. */
  type: string
  filename: string
}

const segment = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/
const maxLength = 900

/** @throws Error for a key that is not one of ours: a bug, never the answer to a client */
export function checkKey(key: string): void {
  const good = key.length <= maxLength && key.split('/').every((part) => segment.test(part))
  if (!good) throw new Error(`${JSON.stringify(key)} is no key of an object`)
}

/** A prefix ends anywhere within a key, also behind its `/`; the empty one would be everything and is refused. */
export function checkPrefix(prefix: string): void {
  checkKey(prefix.replace(/\/$/, ''))
}

export const missingBlob = (key: string) => notFound(`There is no object ${key}.`, 'object_missing')

/** The first and last byte that a range means. */
export function boundsOf(size: number, { start, end = size - 1 }: Range = { start: 0 }) {
  if (start > 0 && start >= size) {
    throw new DomainError(
      'invalid',
      `The range starts at ${start}, beyond the ${size} bytes there are.`,
    )
  }
  return { first: start, last: Math.min(end, size - 1) }
}
