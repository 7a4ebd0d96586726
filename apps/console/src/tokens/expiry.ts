/** The last day of a token, as the service writes it (`31/12/2026`, UTC), as `2026-12-31`; undefined: it has none. */
export function lastDay(expiry: string | null): string | undefined {
  const [, day, month, year] = /^(\d\d)\/(\d\d)\/(\d{4})$/.exec(expiry ?? '') ?? []
  return year && `${year}-${month}-${day}`
}
