import type { RequestRow } from '../db/schema.ts'

type Attempt = Pick<RequestRow, 'request_uuid' | 'lease_token'>

/**
 * Returns the key of the file of an export. Each attempt has its own, so that a late attempt cannot overwrite the file
 * of another.
 */
export function resultKey({ request_uuid, lease_token }: Attempt): string {
  return `requests/results/${request_uuid}/${lease_token}`
}

/**
 * Returns the key prefix of media that an import creates for a task. Nothing is stored there if the frames stay in the
 * import's files.
 */
export const mediaPrefix = ({ request_uuid }: Pick<Attempt, 'request_uuid'>, task_id: number) =>
  `requests/media/${request_uuid}/${task_id}/`

/** Returns the key of the first chunk that an attempt to prepare media stores. */
export function firstChunkKey({
  task_id,
  request_uuid,
  lease_token,
}: Attempt & { task_id: number }): string {
  return `requests/chunks/${task_id}/${request_uuid}-${lease_token}`
}
