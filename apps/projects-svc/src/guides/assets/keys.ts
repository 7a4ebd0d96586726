/** Object keys, grouped by owner. They never contain text from a user. */

/** Returns the prefix of an upload before its type and guide are known. */
export const uploadPrefix = (user_id: number, upload_id: string) =>
  `projects/user/${user_id}/uploads/${upload_id}/`

/** Returns the key of an asset: under the organization of its guide, otherwise under the user who uploaded it. */
export function assetKey(organization_id: number | null, user_id: number, uuid: string): string {
  const whose = organization_id === null ? `user/${user_id}` : `org/${organization_id}`
  return `projects/${whose}/assets/${uuid}`
}
