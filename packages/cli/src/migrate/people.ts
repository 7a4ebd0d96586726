import type { Client, MetaUser } from '@reticle/sdk'
import type { UserMap } from './given.ts'

/** Who somebody of the source is at the target. */
export interface People {
  /** The account; undefined where nobody is known under that name to whoever migrates. */
  find(username: string, organization: string): Promise<MetaUser | undefined>
  /** The name of the account at the target; undefined: somebody who has none there. */
  nameOf(username: string): string | undefined
  /** Whoever migrates. */
  self: { id: number; username: string }
}

export async function openPeople(
  target: Client,
  map: UserMap,
  signal: AbortSignal,
): Promise<People> {
  const { id, username: own } = await target.getSelf({}, { signal })
  const known = new Map<string, Promise<MetaUser | undefined>>()
  const nameOf: People['nameOf'] = (username) =>
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
