export interface SortKey<N extends string> {
  name: N
  descending: boolean
}

/**
 * Reads `sort`: names separated by commas, `-` in front is descending; unknown names are dropped, nothing left is the
 * default, and `id` is appended so that pages are stable (`spec/api-workspace.md` 1.5).
 */
export function readSort<const N extends string>(
  given: string | undefined,
  allowed: readonly N[],
  fallback: string,
): SortKey<N | 'id'>[] {
  const keys = known(given ?? '', allowed)
  const chosen = keys.length > 0 ? keys : known(fallback, allowed)
  if (chosen.some((key) => key.name === 'id')) return chosen
  return [...chosen, { name: 'id', descending: chosen[0]?.descending ?? true }]
}

function known<N extends string>(given: string, allowed: readonly N[]): SortKey<N | 'id'>[] {
  return given.split(',').flatMap((part) => {
    const descending = part.trim().startsWith('-')
    const wanted = part.trim().slice(descending ? 1 : 0)
    const name = [...allowed, 'id' as const].find((one) => one === wanted)
    return name === undefined ? [] : [{ name, descending }]
  })
}
