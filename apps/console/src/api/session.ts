import { useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { clearUserData, isSignedOut, queries, selfKey } from './queries.ts'

/** Queries the signed-in user: the record, `null` when no user is signed in, `undefined` while loading. */
export function useSelf() {
  return useQuery({
    queryKey: selfKey,
    queryFn: ({ signal }) =>
      api.getSelf({}, { signal }).catch((thrown: unknown) => {
        if (isSignedOut(thrown)) return null
        throw thrown
      }),
    staleTime: 60_000,
  })
}

export async function signIn(username: string, password: string): Promise<void> {
  await api.login({ body: { username, password } })
  await queries.refetchQueries({ queryKey: selfKey })
}

export async function signOut(): Promise<void> {
  await api.logout()
  clearUserData()
}
