import { useSearchParams } from 'wouter'

/** What a list is asked for, kept in the address: its order, its search, its filters. */
export interface ListState {
  sort: string | undefined
  get: (name: string) => string | undefined
  /** Empty takes it out of the address. */
  set: (changes: Readonly<Record<string, string | undefined>>) => void
}

export function useListState(): ListState {
  const [params, setParams] = useSearchParams()
  return {
    sort: params.get('sort') || undefined,
    get: (name) => params.get(name) || undefined,
    set: (changes) => setParams((before) => changed(before, changes), { replace: true }),
  }
}

export function changed(
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

/** The order after its column was chosen: up, then down, then the list's own. */
export function nextSort(sort: string | undefined, field: string): string | undefined {
  if (sort === field) return `-${field}`
  return sort === `-${field}` ? undefined : field
}
