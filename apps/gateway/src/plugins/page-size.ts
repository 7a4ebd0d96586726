import type { Check } from '../request.ts'

/**
 * More rows than a page may have are as many as it may have (`spec/api-workspace.md` 1.5), before anybody counts: the
 * service that reads rows, and the links to the neighbours of a page.
 */
export function limitPageSize(pageSizeMax: number): Check {
  return ({ query }) => {
    if (typeof query !== 'object' || query === null || !('page_size' in query)) return
    const { page_size } = query
    const isNumber = typeof page_size === 'string' && /^\d+$/.test(page_size)
    if (isNumber && Number(page_size) > pageSizeMax) query.page_size = String(pageSizeMax)
  }
}
