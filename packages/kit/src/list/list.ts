import {
  type SelectQueryBuilder,
  type Simplify,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely'
import { type Listed, type PageQuery, paged } from './page.ts'
import { type Columns, readSort } from './sort.ts'

/** What every list may be asked (`spec/api-workspace.md` 1.5); the other keys of a query are its simple filters. */
export interface ListQuery extends PageQuery {
  sort?: string
}

/** A column for every filter that the contract declares; one that is forgotten or not declared does not compile. */
export type FiltersOf<Q, C extends string = string> = Readonly<
  Record<Exclude<keyof Q, keyof ListQuery>, C>
>

/** What a list can be asked: columns by the names that its callers have for them (`spec/api-workspace.md` 1.7). */
export interface Fields<Q, C extends string, S extends string> {
  /** Equality of all that are asked for. */
  filters: FiltersOf<Q, C>
  sorts: Columns<C, S>
  /** The order when none is asked for. */
  order: NoInfer<S | `-${S}`>
}

/** A page of `rows`, which are all that the caller may see; two queries, whatever is asked. Not found: no such page. */
export function listPage<DB, TB extends keyof DB, R, Q extends ListQuery, S extends string>(
  rows: SelectQueryBuilder<DB, TB, R>,
  query: Q,
  { filters, sorts, order }: Fields<Q, StringReference<DB, TB>, S>,
): Promise<Listed<Simplify<R>>> {
  const asked = rows.where(({ and }) => and(equalTo(filters, query)))
  const sorted = readSort(query.sort, sorts, order).reduce(
    (before, { column, descending }) =>
      before.orderBy(sql.ref(column), descending ? 'desc' : 'asc'),
    asked,
  )
  return paged(
    query,
    () => countOf(asked),
    (limit, offset) => sorted.limit(limit).offset(offset).execute(),
  )
}

async function countOf<DB, TB extends keyof DB, R>(rows: SelectQueryBuilder<DB, TB, R>) {
  const { count } = await rows
    .clearSelect()
    .select(sql`count(*)`.as('count'))
    .$castTo<{ count: number }>()
    .executeTakeFirstOrThrow()
  return count
}

function equalTo(columns: Readonly<Record<string, string>>, query: object) {
  const values = new Map<string, unknown>(Object.entries(query))
  return Object.entries(columns).flatMap(([name, column]) => {
    const value = values.get(name)
    return value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`]
  })
}
