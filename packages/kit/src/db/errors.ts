import { setTimeout as sleep } from 'node:timers/promises'
import { conflict, DomainError, invalid, invalidText, unavailable } from '../errors.ts'

/** What the violation of a named constraint means for the client: a field of its body, or a sentence. */
export type Violations = Readonly<Record<string, { field: string; text: string } | string>>

/** Somebody else holds the row, or those who wait for it are too many. */
export const busy = (): DomainError =>
  conflict('The resource is being changed by someone else. Try again in a moment.', {
    retry_after: 1,
  })
const overloaded = 'The service is busy. Try again in a moment.'

/** Values that the database cannot hold: too long, out of range, a broken date, NUL, bad escape, no such notation. */
const badValue = new Set(['22001', '22003', '22008', '22021', '22025', '22P02', '22P05'])
const serialization = new Set(['40001', '40P01'])
/** A password that is refused is one that is being changed: a process that was restarted has the new one. */
const lost = /^(08...|28...|53300|57P0[1-3])$/
/** No server there at all: for a sentence to the person at the terminal. */
export const noServer = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ETIMEDOUT',
])
const lostSockets = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

/**
 * What an error of pg is for the caller (`reliability.md` 15), or nothing when it is no error of pg or a bug of ours.
 * `violations` gives constraints their wording; an unnamed unique one is a conflict, an unnamed reference is invalid.
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

/** Passes by itself: the same work may succeed a moment later. */
export function isTransient(thrown: unknown): boolean {
  return serialization.has(codeOf(thrown)) || isLockTimeout(thrown) || isConnectionLost(thrown)
}

/** Somebody else had the lock for too long. */
export const isLockTimeout = (thrown: unknown): boolean => codeOf(thrown) === '55P03'

/** The statement took too long, or somebody stopped it. */
export const isCancelled = (thrown: unknown): boolean => codeOf(thrown) === '57014'

/** The connection went, or there was none to have. */
export function isConnectionLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code = codeOf(thrown)
  if (lost.test(code) || lostSockets.has(code)) return true
  // pg and its pool give these no code.
  return /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/.test(
    thrown.message,
  )
}

/**
 * Runs a whole transaction again when it lost against another one (40001, 40P01), three times after 20 to 200 ms.
 * `run` must open the transaction itself.
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
