/** Keys of objects, by whose they are (`reliability.md` 12); never made of what a user wrote. */

/** Where the file of an upload lies until it is known what it is, and for which guide. */
export const uploadPrefix = (user_id: number, upload_id: string) =>
  `projects/user/${user_id}/uploads/${upload_id}/`

/** Where an asset lies: with the organization of its guide, outside of organizations with who brought it. */
export function assetKey(organization_id: number | null, user_id: number, uuid: string): string {
  const whose = organization_id === null ? `user/${user_id}` : `org/${organization_id}`
  return `projects/${whose}/assets/${uuid}`
}
