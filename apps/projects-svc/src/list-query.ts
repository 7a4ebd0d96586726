import type { SortKey } from '@reticle/kit/list/sort'
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Columns by the names that lists use for them (`spec/api-workspace.md` 1.7). */
export type Columns<N extends string = string> = Readonly<Record<N, string>>

/** Equality of every named column that the query asks for, joined by AND. */
export function equalTo(
  columns: Columns,
  query: Readonly<Record<string, unknown>>,
): RawBuilder<SqlBool> {
  const asked = Object.entries(columns).filter(([name]) => query[name] !== undefined)
  const parts = asked.map(([name, column]) => sql`${sql.ref(column)} = ${query[name]}`)
  return parts.length === 0 ? sql`true` : sql`${sql.join(parts, sql` and `)}`
}

/** The terms of `order by`; nulls come last ascending and first descending, as PostgreSQL has it. */
export function orderedBy<N extends string>(
  keys: readonly SortKey<N>[],
  columns: Columns<N>,
): RawBuilder<unknown> {
  const terms = keys.map(({ name, descending }) =>
    descending ? sql`${sql.ref(columns[name])} desc` : sql`${sql.ref(columns[name])}`,
  )
  return sql`${sql.join(terms)}`
}
