import { ApiError } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { checksOf } from './checks.ts'

/** How the parts are, looked at every ten seconds. A server that is not well answers 503 with the same map: that is no failure to ask. */
export function useChecks(details: boolean) {
  return useQuery({
    queryKey: ['getHealth', details],
    queryFn: ({ signal }) =>
      api.getHealth({ details }, { signal, retries: 0 }).then(checksOf, (error: unknown) => {
        const checks = error instanceof ApiError && error.status === 503 && checksOf(error.body)
        if (checks && checks.length > 0) return checks
        throw error
      }),
    refetchInterval: 10_000,
  })
}
