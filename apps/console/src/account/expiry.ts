/**
 * Converts the last day of a token from the format of the service (`31/12/2026`, UTC) to `2026-12-31`; undefined
 * without expiry.
 */
export function lastDay(expiry: string | null): string | undefined {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(expiry ?? '') ?? []
  return year && `${year}-${month}-${day}`
}
