import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, DomainError, invalid, invalidText, unavailable } from '../errors.ts'

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
/**
 * SQL states of an unavailable server. A rejected password counts, because it is probably being changed, and a
 * restarted process has the new one.
 */
const lost = /^(08...|28...|53300|57P0[1-3])$/
/** Codes of an unreachable server, which a command reports to the operator as a sentence. */
export const noServer = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
])
const lostSockets = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

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
  const code = codeOf(thrown)
  if (code === '23505' || code === '23503') return violation(thrown, code, violations)
  if (badValue.has(code)) return invalidText('A value cannot be stored as it is.')
  if (isLockTimeout(thrown) || serialization.has(code)) return busy()
  if (isCancelled(thrown)) return unavailable('The database took too long.')
  if (isConnectionLost(thrown)) return unavailable(overloaded)
  return undefined
}

function violation(thrown: unknown, code: string, violations: Violations): DomainError {
  const known = violations[property(thrown, 'constraint')]
  if (typeof known === 'object') return invalid({ [known.field]: known.text })
  if (code === '23503') return invalidText(known ?? 'A referenced object does not exist.')
  return conflict(known ?? 'Such an object exists already.')
}

/** Returns true for an error that is temporary: the same work may succeed a moment later. */
export function isTransient(thrown: unknown): boolean {
  return serialization.has(codeOf(thrown)) || isLockTimeout(thrown) || isConnectionLost(thrown)
}

/** Returns true if another transaction held the lock for too long. */
export const isLockTimeout = (thrown: unknown): boolean => codeOf(thrown) === '55P03'

/** Returns true if the statement timed out or was cancelled. */
export const isCancelled = (thrown: unknown): boolean => codeOf(thrown) === '57014'

/** Returns true if the connection was lost or could not be opened. */
export function isConnectionLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code = codeOf(thrown)
  if (lost.test(code) || lostSockets.has(code)) return true
  // pg and its pool set no code on these errors.
  return /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/.test(
    thrown.message,
  )
}

/**
 * Repeats a whole transaction after a serialization failure or a deadlock (40001, 40P01), up to three times with pauses
 * of 20 to 200 ms. `run` must open the transaction.
 */
export async function retrySerialization<R>(run: () => Promise<R>): Promise<R> {
  for (let tries = 1; ; tries++) {
    try {
      return await run()
    } catch (thrown) {
      if (!serialization.has(codeOf(thrown)) || tries === 4) throw thrown
      await sleep(20 + Math.random() * 60 * tries)
    }
  }
}

const codeOf = (thrown: unknown) => property(thrown, 'code')

function property(thrown: unknown, name: string): string {
  const value: unknown = thrown instanceof Error ? Reflect.get(thrown, name) : undefined
  return typeof value === 'string' ? value : ''
}
