import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { forget, isSignedOut, queries, selfKey } from '../api/queries.ts'

/** Who is signed in: their record, `null` for nobody, `undefined` while that is asked. */
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
  forget()
}
