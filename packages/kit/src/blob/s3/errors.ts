import { DomainError, unavailable } from '../../call/errors.ts'
import { missingBlob } from '../blob.ts'

/** Error of a store that sent no byte for the given time in milliseconds. */
export class QuietStore extends Error {
  constructor(ms: number) {
    super(`the object storage was silent for ${ms / 1000} seconds`)
  }
}

/** Error of a store that answered with a status that means "try again later". */
export class BusyStore extends Error {
  constructor(status: number) {
    super(`the object storage answered ${status}`)
  }
}

/**
 * Returns the name of an S3 or system error, or `''`. Errors of the minio client do not carry a status, so only the
 * name distinguishes them.
 */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

const missingCodes = new Set(['NotFound', 'NoSuchKey', 'NoSuchBucket'])
const resetCodes = new Set(['ECONNRESET', 'EPIPE'])

/**
 * Returns true for an error that a repetition usually avoids: a kept
 * connection that the store just closed, or an overloaded store.
 */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof BusyStore || resetCodes.has(codeOf(thrown))
}

/** Returns true if the store gave no meaningful response, so that the outcome of the call is unknown. */
export function isAway(thrown: unknown): boolean {
  const isOfTheSystem = thrown instanceof Error && 'syscall' in thrown
  return isOfTheSystem || thrown instanceof QuietStore || isPassing(thrown)
}

/**
 * Returns the error for the caller: the object of `key` is missing, or the store is unavailable for any other cause.
 * `onError` receives that cause.
 */
export function failureOf(
  thrown: unknown,
  key: string | undefined,
  onError: (thrown: unknown) => void,
): DomainError {
  if (thrown instanceof DomainError) return thrown
  if (key !== undefined && missingCodes.has(codeOf(thrown))) return missingBlob(key)
  onError(thrown)
  return Object.assign(unavailable('The object storage is not available.'), { cause: thrown })
}
