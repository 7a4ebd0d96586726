import type { Lease } from '../leases/lease.ts'

/** Where an export writes: a place of each attempt's own, so that a late twin harms nobody (`reliability.md` 6.3). */
export function resultKey({ request_uuid, lease_token }: Lease): string {
  return `requests/results/${request_uuid}/${lease_token}`
}
