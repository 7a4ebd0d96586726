import type { BasicUser } from '@reticle/sdk'

/** Returns `anna`, or with a full name `anna (Anna Lind)`. */
export function personName({
  username,
  first_name,
  last_name,
}: Pick<BasicUser, 'username' | 'first_name' | 'last_name'>): string {
  const name = `${first_name} ${last_name}`.trim()
  return name ? `${username} (${name})` : username
}
