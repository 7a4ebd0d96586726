import { DomainError, unavailable } from '../../errors.ts'
import { missingBlob } from '../blob.ts'

/** Nothing was heard of the store for so long. */
export class QuietStore extends Error {
  constructor(ms: number) {
    super(`the object storage was silent for ${ms / 1000} seconds`)
  }
}

/** The store asked to come back later. */
export class BusyStore extends Error {
  constructor(status: number) {
    super(`the object storage answered ${status}`)
  }
}

/** Name of an S3 or system error; only these tell them apart, a status is not kept. */
export function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
}

const missingCodes = new Set(['NotFound', 'NoSuchKey', 'NoSuchBucket'])
const resetCodes = new Set(['ECONNRESET', 'EPIPE'])

/** Mostly gone a moment later: a kept connection that the store closed just when it was used, or too much to do. */
export function isPassing(thrown: unknown): boolean {
  return thrown instanceof BusyStore || resetCodes.has(codeOf(thrown))
}

/** There was no answer at all, or none that means anything: it says nothing about what was asked. */
export function isAway(thrown: unknown): boolean {
  const isOfTheSystem = thrown instanceof Error && 'syscall' in thrown
  return isOfTheSystem || thrown instanceof QuietStore || isPassing(thrown)
}

/**
 * What a caller is told: that the object of `key` is missing, or that the store is not available, whatever it was
 * (`reliability.md` F21, F23). `onError` hears the rest.
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
