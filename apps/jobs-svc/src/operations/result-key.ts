import type { Lease } from '../leases/lease.ts'

/** Where an export writes: a place of each attempt's own, so that a late twin harms nobody (`reliability.md` 6.3). */
export function resultKey({ request_uuid, lease_token }: Lease): string {
  return `requests/results/${request_uuid}/${lease_token}`
}

/** Below this is what an import makes of its files for a task. Nothing is there where its frames are in these files. */
export const mediaPrefix = ({ request_uuid }: Pick<Lease, 'request_uuid'>, task_id: number) =>
  `requests/media/${request_uuid}/${task_id}/`

/** Where an attempt to prepare media puts the first chunk of it. */
export function firstChunkKey({
  task_id,
  request_uuid,
  lease_token,
}: Lease & { task_id: number }): string {
  return `requests/chunks/${task_id}/${request_uuid}-${lease_token}`
}
