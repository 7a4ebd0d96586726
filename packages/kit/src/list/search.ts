import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** A phrase in quotes, or what stands between spaces and commas; a quote that nothing closes is a character. */
const term = /"([^"]*)"|'([^']*)'|[^\s,]+/g

/** Terms of `search` (`spec/api-workspace.md` 1.5). */
export function termsOf(search: string): string[] {
  const found = [...search.matchAll(term)].map(([all, double, single]) => double ?? single ?? all)
  return found.map((one) => one.trim()).filter((one) => one !== '')
}

/** Every term occurs in one of the columns, in any case of its letters. */
export function matching(
  search: string,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<SqlBool>[] {
  return termsOf(search).map((one) => {
    const found = columns.map((column) => sql<SqlBool>`${column} ilike ${pattern(one)}`)
    return sql<SqlBool>`(${sql.join(found, sql` or `)})`
  })
}

/** What `like` finds wherever the text occurs, its own signs taken as characters. */
export function pattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
