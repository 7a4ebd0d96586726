import type { Expression } from '@reticle/contracts/rest/json-logic'
import type { ListFields, NameOf } from '@reticle/contracts/rest/lists'
import {
  type RawBuilder,
  type SelectQueryBuilder,
  type Simplify,
  type SqlBool,
  type StringReference,
  sql,
} from 'kysely'
import { type ColumnOf, conditionOf, equalTo } from './filter.ts'
import { type ListPage, type PageQuery, readListPage } from './page.ts'
import { buildSearchConditions } from './search.ts'
import { readSort } from './sort.ts'

/**
 * Query of a list: sorting, search, filter and page; its other keys are simple filters. See docs/spec/rest.md#lists.
 */
export interface FilteredQuery<N extends string = string> extends PageQuery {
  sort?: string
  search?: string
  filter?: Expression<N>
}

/** Source of the value of a field: a column or an SQL expression. */
export type ListColumn<C extends string = string> = C | RawBuilder<unknown>

/** Columns of all fields of the contract; a missing or undeclared one does not compile. */
export type ColumnsOf<F extends ListFields, C extends string = string> = Readonly<
  Record<NameOf<F>, ListColumn<C>>
>

/**
 * Reads a page of `rows`, which must be restricted to those visible to the caller. It takes two queries.
 * @throws DomainError `not_found` if the page does not exist
 */
export function listPage<DB, TB extends keyof DB, R, F extends ListFields>(
  rows: SelectQueryBuilder<DB, TB, R>,
  query: FilteredQuery<NameOf<F>>,
  fields: F,
  columns: ColumnsOf<F, StringReference<DB, TB>>,
): Promise<ListPage<Simplify<R>>> {
  const columnOf = columnsOf(columns)
  const asked = rows.where(({ and }) => and(conditions(query, fields, columnOf)))
  const sorted = readSort(query.sort, fields).reduce(
    (before, { name, descending }) => before.orderBy(columnOf(name), descending ? 'desc' : 'asc'),
    asked,
  )
  return readListPage(
    query,
    () => countOf(asked),
    (limit, offset) => sorted.limit(limit).offset(offset).execute(),
  )
}

function columnsOf(columns: Readonly<Record<string, ListColumn>>): ColumnOf {
  const byName = new Map(Object.entries(columns))
  return (name) => {
    const column = byName.get(name)
    if (column === undefined) throw new Error(`this list has no field ${name}`)
    return typeof column === 'string' ? sql.ref(column) : column
  }
}

function conditions(
  query: FilteredQuery,
  { equal, search }: ListFields,
  columnOf: ColumnOf,
): RawBuilder<SqlBool>[] {
  const given = new Map(Object.entries(query))
  const asked = Object.keys(equal).filter((name) => given.get(name) !== undefined)
  return [
    ...asked.map((name) => equalTo(columnOf(name), given.get(name))),
    ...buildSearchConditions(query.search ?? '', search.map(columnOf)),
    ...(query.filter ? [conditionOf(query.filter, columnOf)] : []),
  ]
}

async function countOf<DB, TB extends keyof DB, R>(rows: SelectQueryBuilder<DB, TB, R>) {
  const { count } = await rows
    .clearSelect()
    .select(sql`count(*)`.as('count'))
    .$castTo<{ count: number }>()
    .executeTakeFirstOrThrow()
  return count
}
