import type { CallOptions, Page } from '@reticle/sdk'
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { keyOf } from '../../api/queries.ts'
import { useOrganization } from '../../shell/organization.tsx'

interface Query {
  page?: string | number
  page_size?: string | number
  sort?: string | number
}

/** A list of the service, and what it is asked for beside page and order. */
export interface Listed<I, R> {
  list: (input: I & Query, options?: CallOptions) => Promise<Page<R>>
  input: I
  /** What belongs to one object has its workspace: then it is not asked for. */
  isScoped?: boolean
}

const rowsPerPage = 100

/** The first page, which tells how many records there are. */
export function useFirst<I, R>(listed: Listed<I, R>, sort: string | undefined) {
  const options = useOptions(listed, sort)
  return useQuery({ ...options(0), placeholderData: keepPreviousData })
}

/** The records of the rows in sight, as far as they have come. */
export function useRecords<I, R>(
  listed: Listed<I, R>,
  sort: string | undefined,
  rows: readonly { index: number }[],
): (index: number) => R | undefined {
  const options = useOptions(listed, sort)
  const wanted = [...new Set(rows.map(({ index }) => Math.floor(index / rowsPerPage)))]
  const pages = useQueries({ queries: wanted.map(options) })
  return (index) =>
    pages[wanted.indexOf(Math.floor(index / rowsPerPage))]?.data?.results[index % rowsPerPage]
}

function useOptions<I, R>(
  { list, input, isScoped = true }: Listed<I, R>,
  sort: string | undefined,
) {
  const workspace = useOrganization().organization
  const organization = isScoped ? workspace : undefined
  return (page: number) => {
    const asked = { ...input, page: page + 1, page_size: rowsPerPage, ...(sort && { sort }) }
    return {
      queryKey: keyOf(list, asked, organization),
      queryFn: ({ signal }: { signal: AbortSignal }) => list(asked, { signal, organization }),
    }
  }
}
