import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, DomainError, invalid, invalidText, unavailable } from '../call/errors.ts'
import { errorCode, errorField, isConnectionLost } from '../net/connection-lost.ts'

/** Messages for violations of named constraints: for a field of the body, or for the whole request. */
export type Violations = Readonly<Record<string, { field: string; text: string } | string>>

/** Returns the error for a row that another call locks, or for which too many calls wait. */
export const busy = (): DomainError =>
  conflict('The resource is being changed by someone else. Try again in a moment.', {
    retry_after: 1,
  })
const overloaded = 'The service is busy. Try again in a moment.'

/**
 * SQL states of values that the database cannot store: too long, out of
 * range, invalid date, NUL, invalid escape or notation.
 */
const badValue = new Set(['22001', '22003', '22008', '22021', '22025', '22P02', '22P05'])
const serialization = new Set(['40001', '40P01'])
/** Codes of an unreachable server, which a command reports to the operator as a sentence. */
export const noServer = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
])

/**
 * Converts an error of pg for the caller. Returns undefined for any other error and for a programming error.
 * `violations` contains messages for constraints; without one, a unique violation is a conflict and a foreign key
 * violation is invalid.
 */
export function fromDatabase(
  thrown: unknown,
  violations: Violations = {},
): DomainError | undefined {
  if (thrown instanceof DomainError) return thrown
  const code = errorCode(thrown)
  if (code === '23505' || code === '23503') return violation(thrown, code, violations)
  if (badValue.has(code)) return invalidText('A value cannot be stored as it is.')
  if (isLockTimeout(thrown) || serialization.has(code)) return busy()
  if (isCancelled(thrown)) return unavailable('The database took too long.')
  if (isConnectionLost(thrown)) return unavailable(overloaded)
  return undefined
}

function violation(thrown: unknown, code: string, violations: Violations): DomainError {
  const known = violations[errorField(thrown, 'constraint')]
  if (typeof known === 'object') return invalid({ [known.field]: known.text })
  if (code === '23503') return invalidText(known ?? 'A referenced object does not exist.')
  return conflict(known ?? 'Such an object exists already.')
}

/** Returns true for an error that is temporary: the same work may succeed a moment later. */
export function isTransient(thrown: unknown): boolean {
  return serialization.has(errorCode(thrown)) || isLockTimeout(thrown) || isConnectionLost(thrown)
}

/** Returns true if another transaction held the lock for too long. */
export const isLockTimeout = (thrown: unknown): boolean => errorCode(thrown) === '55P03'

/** Returns true if the statement timed out or was cancelled. */
export const isCancelled = (thrown: unknown): boolean => errorCode(thrown) === '57014'

/**
 * Repeats a whole transaction after a serialization failure or a deadlock (40001, 40P01), up to three times with pauses
 * of 20 to 200 ms. `run` must open the transaction.
 */
export async function retrySerialization<R>(run: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (thrown) {
      if (!serialization.has(errorCode(thrown)) || tries === 4) throw thrown
      await sleep(20 + Math.random() * 60 * tries)
    }
  }
}
