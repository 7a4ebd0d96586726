import type { Lease } from '../leases/lease.ts'

/** Where an export writes: a place of each attempt's own, so that a late twin harms nobody (`reliability.md` 6.3). */
export function resultKey({ request_uuid, lease_token }: Lease): string {
  return `requests/results/${request_uuid}/${lease_token}`
}

/** Below this is what an attempt to restore a backup makes of its files. */
export const restoredPrefix = ({ request_uuid, lease_token }: Lease): string =>
  `requests/restored/${request_uuid}-${lease_token}/`

/** Where an attempt to prepare media puts the first chunk of it. */
export function firstChunkKey({
  task_id,
  request_uuid,
  lease_token,
}: Lease & { task_id: number }): string {
  return `requests/chunks/${task_id}/${request_uuid}-${lease_token}`
}
