import type { CallOptions, Page } from '@reticle/sdk'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useOrganization } from '../api/organization.tsx'
import { keyOf } from '../api/queries.ts'

interface Query {
  page?: string | number
  page_size?: string | number
  sort?: string | number
}

/** A list operation, with its parameters apart from page and order. */
export interface RecordList<I, R> {
  list: (input: I & Query, options?: CallOptions) => Promise<Page<R>>
  input: I
  /** Whether the list depends on the selected workspace; lists of one object do not. */
  isScoped?: boolean
}

const rowsPerPage = 100

/** Queries the first page, which contains the total number of records. */
export function useFirstPage<I, R>(listed: RecordList<I, R>, sort: string | undefined) {
  const options = useOptions(listed, sort)
  return useQuery({ ...options(0), placeholderData: keepPreviousData })
}

/** Returns the loaded records of the visible rows. */
export function useRecords<I, R>(
  listed: RecordList<I, R>,
  sort: string | undefined,
  rows: readonly { index: number }[],
): (index: number) => R | undefined {
  const options = useOptions(listed, sort)
  const pageIndexes = [...new Set(rows.map(({ index }) => Math.floor(index / rowsPerPage)))]
  const pages = useQueries({ queries: pageIndexes.map(options) })
  return (index) =>
    pages[pageIndexes.indexOf(Math.floor(index / rowsPerPage))]?.data?.results[index % rowsPerPage]
}

function useOptions<I, R>(
  { list, input, isScoped = true }: RecordList<I, R>,
  sort: string | undefined,
) {
  const workspace = useOrganization().organization
  const organization = isScoped ? workspace : undefined
  return (page: number) => {
    const query = { ...input, page: page + 1, page_size: rowsPerPage, ...(sort && { sort }) }
    return {
      queryKey: keyOf(list, query, organization),
      queryFn: ({ signal }: { signal: AbortSignal }) => list(query, { signal, organization }),
    }
  }
}
