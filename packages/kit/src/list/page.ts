import { notFound } from '../errors.ts'

/** Pages of lists: `spec/api-workspace.md` 1.5. */

export const defaultSize = 10
/** Of one page, whatever is asked; the edge asks for fewer. */
export const rowsOfAll = 10_000

export interface PageQuery {
  page?: string
  page_size?: string
}

export interface Page {
  number: number | 'last'
  /** Rows a page. */
  size: number
}

/** One page of a list. */
export interface Listed<R> {
  /** Rows of all pages. */
  count: number
  results: R[]
}

const invalidPage = () => notFound('Invalid page.')

/** Reads `page` and `page_size`; an empty page is the first, any other that is no number is 404. */
export function readPage({ page, page_size }: PageQuery): Page {
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

/** The number of the page that is meant, from 1. */
export function pageNumber({ number, size }: Page, count: number): number {
  return number === 'last' ? Math.max(1, Math.ceil(count / size)) : number
}

/** Counts, then reads the rows of one page: two queries, whatever the list. */
export async function paged<R>(
  query: PageQuery,
  count: () => Promise<number>,
  rows: (limit: number, offset: number) => Promise<R[]>,
): Promise<Listed<R>> {
  const page = readPage(query)
  const total = await count()
  const number = pageNumber(page, total)
  const offset = (number - 1) * page.size
  if (number > 1 && offset >= total) throw invalidPage()
  return { count: total, results: await rows(page.size, offset) }
}
