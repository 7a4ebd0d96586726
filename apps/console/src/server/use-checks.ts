import { ApiError } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { checksOf } from './checks.ts'

/**
 * Queries the health checks every ten seconds. An unhealthy server responds 503 with the same body, which is not an
 * error here.
 */
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
