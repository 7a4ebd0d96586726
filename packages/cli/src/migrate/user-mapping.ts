import type { Client, MetaUser } from '@reticle/sdk'
import type { UserMap } from './input-files.ts'

/** Maps users of the source to users of the target. */
export interface UserMapping {
  /** Finds the account; undefined if it does not exist or is not visible to the user. */
  find(username: string, organization: string): Promise<MetaUser | undefined>
  /** Returns the username at the target; undefined for a user without an account. */
  nameOf(username: string): string | undefined
  /** User that runs the migration. */
  self: { id: number; username: string }
}

export async function openUserMapping(
  target: Client,
  map: UserMap,
  signal: AbortSignal,
): Promise<UserMapping> {
  const { id, username: own } = await target.getSelf({}, { signal })
  const known = new Map<string, Promise<MetaUser | undefined>>()
  const nameOf: UserMapping['nameOf'] = (username) =>
    map[username] === null ? undefined : (map[username] ?? username)

  async function ask(name: string, organization: string): Promise<MetaUser | undefined> {
    const { results } = await target.listUsers({ username: name }, { signal, organization })
    return results.find(({ username }) => username.toLowerCase() === name.toLowerCase())
  }

  return {
    self: { id, username: own },
    nameOf,
    async find(username, organization) {
      const name = nameOf(username)
      if (name === undefined) return undefined
      const at = `${organization} ${name}`
      const found = known.get(at) ?? ask(name, organization)
      known.set(at, found)
      return found
    },
  }
}
