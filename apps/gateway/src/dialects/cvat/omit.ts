import type { Fields } from '../dialect.ts'

/** Without those members that are null: where the clients' models know no null, a member is absent. */
export function omitNulls(record: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(record).filter(([name, value]) => value !== null || !names.includes(name)),
  )
}
