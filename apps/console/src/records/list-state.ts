import { useSearchParams } from 'wouter'

/** State of a list in the address: order, search and filters. */
export interface ListState {
  sort: string | undefined
  get: (name: string) => string | undefined
  /** Sets parameters; an empty value removes one. */
  set: (changes: Readonly<Record<string, string | undefined>>) => void
}

export function useListState(): ListState {
  const [params, setParams] = useSearchParams()
  return {
    sort: params.get('sort') || undefined,
    get: (name) => params.get(name) || undefined,
    set: (changes) => setParams((before) => changeParams(before, changes), { replace: true }),
  }
}

export function changeParams(
  before: URLSearchParams,
  changes: Readonly<Record<string, string | undefined>>,
): URLSearchParams {
  const after = new URLSearchParams(before)
  for (const [name, value] of Object.entries(changes)) {
    if (value) after.set(name, value)
    else after.delete(name)
  }
  return after
}

/** Returns the order after a click on a column: ascending, then descending, then the default. */
export function nextSort(sort: string | undefined, field: string): string | undefined {
  if (sort === field) return `-${field}`
  return sort === `-${field}` ? undefined : field
}
