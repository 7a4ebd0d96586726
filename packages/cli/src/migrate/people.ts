import { readFile } from 'node:fs/promises'
import type { BasicUser, Client, MetaUser } from '@reticle/sdk'
import { misused } from '../failure.ts'

/** Who somebody of the source is at the target. */
export interface People {
  /** The account; undefined where nobody is known under that name to whoever migrates. */
  find(username: string, organization: string): Promise<MetaUser | undefined>
  /** The name of the account at the target; undefined: somebody who has none there. */
  nameOf(username: string): string | undefined
  /** Whoever migrates. */
  self: { id: number; username: string }
}

/** The name at the source, and that at the target; `null` for who has none there. Others keep their name. */
export type UserMap = Readonly<Record<string, string | null>>

/** @throws Failure for a file that is no such map */
export async function readUserMap(path: string): Promise<UserMap> {
  const map = await readJsonObject<string | null>(path, '--users')
  for (const [name, value] of Object.entries<unknown>(map))
    if (value !== null && typeof value !== 'string')
      throw misused(
        `--users: ${path}: "${name}" is no username`,
        'Write {"name there": "name here", "somebody": null}.',
      )
  return map
}

/** @throws Failure naming the file and what is wrong with it */
export async function readJsonObject<Value>(
  path: string,
  option: string,
): Promise<Record<string, Value>> {
  const text = await readFile(path, 'utf8')
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch (thrown) {
    throw misused(`${option}: ${path}: ${thrown instanceof Error ? thrown.message : thrown}`)
  }
  throw misused(`${option}: ${path} is no JSON object`)
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

/** The word under which somebody is told of. */
export const wordOf = (user: BasicUser | null): string => user?.username ?? 'somebody'
