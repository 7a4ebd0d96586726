import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** A phrase in quotes, or text between spaces and commas. An unclosed quote is an ordinary character. */
const term = /"([^"]*)"|'([^']*)'|[^\s,]+/g

/** Splits `search` into terms. */
export function termsOf(search: string): string[] {
  const found = [...search.matchAll(term)].map(([all, double, single]) => double ?? single ?? all)
  return found.map((one) => one.trim()).filter((one) => one !== '')
}

/** Returns one condition per term: it occurs in one of the columns, ignoring case. */
export function buildSearchConditions(
  search: string,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<SqlBool>[] {
  return termsOf(search).map((one) => {
    const found = columns.map((column) => sql<SqlBool>`${column} ilike ${toLikePattern(one)}`)
    return sql<SqlBool>`(${sql.join(found, sql` or `)})`
  })
}

/** Returns a `like` pattern that finds the text anywhere, with wildcards escaped. */
export function toLikePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
