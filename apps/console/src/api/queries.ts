import { ApiError, type CallOptions } from '@reticle/sdk'
import {
  keepPreviousData,
  QueryCache,
  QueryClient,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { useOrganization } from '../shell/organization.tsx'
import { api } from './client.ts'

/** What the service answered, kept for a while; a refused session is forgotten, so that the page asks who is there. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: (error) => void (isSignedOut(error) && forget()) }),
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000 }, // the client repeats what may be repeated
    mutations: { onError: (error) => void (isSignedOut(error) && forget()) },
  },
})

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401

/** Under which it is kept who is signed in; `null` is nobody. */
export const selfKey = ['getSelf']

/** Nobody is signed in any more: what the person saw is forgotten with them, however they went. */
export function forget(): void {
  queries.setQueryData(selfKey, null)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== selfKey[0] })
}

/** A method of the client as hooks need it: its input, then options. */
type Method<I, A> = (input: I, options?: CallOptions) => Promise<A>

const names = new Map<unknown, string>(Object.entries(api).map(([name, method]) => [method, name]))

/** Under which an answer is kept: the operation, its input and the workspace it is about. */
export function keyOf(method: unknown, input: unknown, organization?: string): unknown[] {
  return [names.get(method), input, organization]
}

export interface Wish {
  /** Ask only when this holds. */
  enabled?: boolean
  /** Ask again after so many milliseconds. */
  everyMs?: number
  /** Show the answer to the input before while the next is on its way. */
  keeps?: boolean
}

/** The answer of an operation about one object: by its id it is found in whatever workspace it is. */
export function useAnswer<I, A>(method: Method<I, A>, input: I, wish: Wish = {}) {
  return useQuery({
    queryKey: keyOf(method, input),
    queryFn: ({ signal }) => method(input, { signal }),
    ...settingsOf(wish),
  })
}

/** The answer of an operation within the workspace that is chosen. */
export function useScoped<I, A>(method: Method<I, A>, input: I, wish: Wish = {}) {
  const { organization } = useOrganization()
  return useQuery({
    queryKey: keyOf(method, input, organization),
    queryFn: ({ signal }) => method(input, { signal, organization }),
    ...settingsOf(wish),
  })
}

const settingsOf = ({ enabled = true, everyMs, keeps }: Wish) => ({
  enabled,
  ...(everyMs !== undefined && { refetchInterval: everyMs }),
  ...(keeps && { placeholderData: keepPreviousData }),
})

/** A change. Whatever is on the page is asked for anew when it is done. */
export function useChange<I, A>(change: (input: I) => Promise<A>, onDone?: (answer: A) => void) {
  return useMutation({
    mutationFn: change,
    onSuccess: (answer) => {
      onDone?.(answer)
      return queries.invalidateQueries()
    },
  })
}
