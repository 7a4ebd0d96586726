/** Columns by the names that callers of a list have for them. */
export type Columns<C extends string = string, N extends string = string> = Readonly<
  Record<N, C> & { id: C }
>

export interface SortKey {
  column: string
  descending: boolean
}

/**
 * Reads `sort`: names separated by commas, `-` in front is descending; unknown names are dropped, nothing left is the
 * default, and `id` is appended so that pages are stable (`spec/api-workspace.md` 1.5). Nulls come last ascending and
 * first descending, as PostgreSQL has it.
 */
export function readSort(given: string | undefined, columns: Columns, fallback: string): SortKey[] {
  const byName = new Map(Object.entries(columns))
  const keys = known(given ?? '', byName)
  const chosen = keys.length > 0 ? keys : known(fallback, byName)
  if (chosen.some((key) => key.column === columns.id)) return chosen
  return [...chosen, { column: columns.id, descending: chosen[0]?.descending ?? true }]
}

function known(given: string, columns: ReadonlyMap<string, string>): SortKey[] {
  return given.split(',').flatMap((part) => {
    const descending = part.trim().startsWith('-')
    const column = columns.get(part.trim().slice(descending ? 1 : 0))
    return column === undefined ? [] : [{ column, descending }]
  })
}
