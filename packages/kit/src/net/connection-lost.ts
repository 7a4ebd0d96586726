/**
 * SQL states of an unavailable server. A rejected password counts, because it is probably being changed, and a
 * restarted process has the new one.
 */
const lost = /^(08...|28...|53300|57P0[1-3])$/
const lostSockets = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

/** Returns true if the connection was lost or could not be opened. */
export function isConnectionLost(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  const code = errorCode(thrown)
  if (lost.test(code) || lostSockets.has(code)) return true
  // pg and its pool set no code on these errors.
  return /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/.test(
    thrown.message,
  )
}

/** Returns the code of a system error or the SQL state of a database error; empty for any other. */
export const errorCode = (thrown: unknown): string => errorField(thrown, 'code')

/** Returns a text field of an error; empty without it. */
export function errorField(thrown: unknown, name: string): string {
  const value: unknown = thrown instanceof Error ? Reflect.get(thrown, name) : undefined
  return typeof value === 'string' ? value : ''
}
