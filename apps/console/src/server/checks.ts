import { ApiError } from '@reticle/sdk'
import { useQuery } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** A part of the server, and whether it works. */
export interface Check {
  name: string
  isWell: boolean
  /** Why it does not; for administrators. */
  reason?: string
  took_ms?: number
}

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

const works = 'working'
const errorsOwn = ['detail', 'code', 'request_id']

/** The map of health as it comes: words, or records with reason and time. */
export function checksOf(body: unknown): Check[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([name, given]) => {
    const check = errorsOwn.includes(name) ? undefined : checkOf(name, given)
    return check ? [check] : []
  })
}

function checkOf(name: string, given: unknown): Check | undefined {
  if (typeof given === 'string') return { name, isWell: given === works, reason: given }
  if (typeof given !== 'object' || given === null) return undefined
  const { status, reason, took_ms } = { status: '', reason: null, took_ms: 0, ...given }
  return {
    name,
    isWell: status === works,
    ...(typeof reason === 'string' && { reason }),
    ...(typeof took_ms === 'number' && { took_ms }),
  }
}
