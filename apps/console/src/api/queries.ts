import { ApiError, type CallOptions } from '@reticle/sdk'
import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { api } from './client.ts'
import { useOrganization } from './organization.tsx'

/** Cache of responses. A rejected session clears it, so that the page asks the user to sign in. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void (isSignedOut(error) && clearUserData()) }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000 }, // the API client already retries safe calls
    mutations: { onError: (error) => void (isSignedOut(error) && clearUserData()) },
  },
})

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401

/** Cache key of the signed-in user; the value is `null` when no user is signed in. */
export const selfKey = ['getSelf']

/** Clears the cache after the session ended, so that no data of the user remains. */
export function clearUserData(): void {
  queries.setQueryData(selfKey, null)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== selfKey[0] })
}

/** Method of the API client: takes its input, then options. */
type Method<I, A> = (input: I, options?: CallOptions) => Promise<A>

const names = new Map<unknown, string>(Object.entries(api).map(([name, method]) => [method, name]))

/** Returns the cache key of a response: operation, input and workspace. */
export function keyOf(method: unknown, input: unknown, organization?: string): unknown[] {
  return [names.get(method), input, organization]
}

export interface AnswerQueryOptions {
  /** Whether to send the request; default: true. */
  enabled?: boolean
  /** Polling interval in milliseconds. */
  everyMs?: number
  /** Whether to show the previous response while the next one loads. */
  keeps?: boolean
}

/** Queries an operation about one object. Objects are found by id in any workspace. */
export function useAnswer<I, A>(method: Method<I, A>, input: I, options: AnswerQueryOptions = {}) {
  return useQuery({
    queryKey: keyOf(method, input),
    queryFn: ({ signal }) => method(input, { signal }),
    ...settingsOf(options),
  })
}

/** Queries an operation in the selected workspace. */
export function useScoped<I, A>(method: Method<I, A>, input: I, options: AnswerQueryOptions = {}) {
  const { organization } = useOrganization()
  return useQuery({
    queryKey: keyOf(method, input, organization),
    queryFn: ({ signal }) => method(input, { signal, organization }),
    ...settingsOf(options),
  })
}

const settingsOf = ({ enabled = true, everyMs, keeps }: AnswerQueryOptions) => ({
  enabled,
  ...(everyMs !== undefined && { refetchInterval: everyMs }),
  ...(keeps && { placeholderData: keepPreviousData }),
})

/** Runs a change, then refreshes all data on the page. */
export function useChange<I, A>(change: (input: I) => Promise<A>, onDone?: (answer: A) => void) {
  return useMutation({
    mutationFn: change,
    onSuccess: (answer) => {
      onDone?.(answer)
      return queries.invalidateQueries()
    },
  })
}
