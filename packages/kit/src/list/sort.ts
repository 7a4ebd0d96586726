import type { ListFields } from '@reticle/contracts/rest/lists'

export interface SortKey {
  name: string
  descending: boolean
}

/**
 * Parses `sort`: names separated by commas, with `-` for descending. Unknown names are dropped, the default applies if
 * none remains, and `id` is appended so that pages are stable. As in PostgreSQL, nulls are last in ascending and first
 * in descending order.
 */
export function readSort(
  given: string | undefined,
  { sort, order }: Pick<ListFields, 'sort' | 'order'>,
): SortKey[] {
  const asked = keysOf(given ?? '').filter(({ name }) => sort.includes(name))
  const keys = asked.length > 0 ? asked : keysOf(order)
  if (keys.some(({ name }) => name === 'id')) return keys
  return [...keys, { name: 'id', descending: keys[0]?.descending ?? true }]
}

function keysOf(given: string): SortKey[] {
  return given.split(',').map((part) => {
    const descending = part.trim().startsWith('-')
    return { name: part.trim().slice(descending ? 1 : 0), descending }
  })
}
