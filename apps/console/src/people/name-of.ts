import type { BasicUser } from '@reticle/sdk'

/** What somebody is called: `anna (Anna Lind)`. */
export function nameOf({ username, first_name, last_name }: Omit<BasicUser, 'url' | 'id'>): string {
  const full = `${first_name} ${last_name}`.trim()
  return full ? `${username} (${full})` : username
}
