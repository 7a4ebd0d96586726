import { notFound } from '../call/errors.ts'

/** Rows on a page by default. See docs/spec/rest.md#lists. */
export const defaultSize = 10
/** Rows on a page with `page_size=all`, and maximum of a number. For numbers the gateway has a lower maximum. */
export const rowsOfAll = 10_000

export interface PageQuery {
  page?: string
  page_size?: string
}

export interface RequestedPage {
  number: number | 'last'
  /** Rows per page. */
  size: number
}

/** One page of a list. */
export interface ListPage<R> {
  /** Number of rows on all pages. */
  count: number
  results: R[]
}

const invalidPage = () => notFound('Invalid page.')

/**
 * Parses `page` and `page_size`. An empty page is the first one.
 * @throws DomainError `not_found` if the page is not a number
 */
export function readPage({ page, page_size }: PageQuery): RequestedPage {
  const size = sizeOf(page_size)
  if (page === 'last') return { number: 'last', size }
  const number = page || '1'
  if (!/^\d{1,9}$/.test(number) || Number(number) === 0) throw invalidPage()
  return { number: Number(number), size }
}

function sizeOf(given: string | undefined): number {
  if (given === 'all') return rowsOfAll
  if (given === undefined || !/^\d+$/.test(given) || Number(given) === 0) return defaultSize
  return Math.min(Number(given), rowsOfAll)
}

/** Returns the number of the requested page, counted from 1. */
export function pageNumber({ number, size }: RequestedPage, count: number): number {
  return number === 'last' ? Math.max(1, Math.ceil(count / size)) : number
}

/** Counts the rows, then reads those of one page. */
export async function readListPage<R>(
  query: PageQuery,
  count: () => Promise<number>,
  rows: (limit: number, offset: number) => Promise<R[]>,
): Promise<ListPage<R>> {
  const page = readPage(query)
  const total = await count()
  const number = pageNumber(page, total)
  const offset = (number - 1) * page.size
  if (number > 1 && offset >= total) throw invalidPage()
  return { count: total, results: await rows(page.size, offset) }
}
