import type { BasicUser } from '@reticle/sdk'

/** `anna`, or with a name `anna (Anna Lind)`. */
export function personName({ username, first_name, last_name }: BasicUser): string {
  const name = `${first_name} ${last_name}`.trim()
  return name ? `${username} (${name})` : username
}
