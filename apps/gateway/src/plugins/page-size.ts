import type { RequestCheck } from '../request.ts'

/**
 * Limits the page size to the maximum, for both the service that reads the rows and the links to neighbouring pages.
 */
export function limitPageSize(pageSizeMax: number): RequestCheck {
  return ({ query }) => {
    if (typeof query !== 'object' || query === null || !('page_size' in query)) return
    const { page_size } = query
    const isNumber = typeof page_size === 'string' && /^\d+$/.test(page_size)
    if (isNumber && Number(page_size) > pageSizeMax) query.page_size = String(pageSizeMax)
  }
}
