import type { BasicUser } from '@reticle/sdk'

/** `anna`, or with a name `anna (Anna Lind)`. */
export function personName({
  username,
  first_name,
  last_name,
}: Pick<BasicUser, 'username' | 'first_name' | 'last_name'>): string {
  const name = `${first_name} ${last_name}`.trim()
  return name ? `${username} (${name})` : username
}
