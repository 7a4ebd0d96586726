import type { Principal } from '@reticle/contracts/rest/principal'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { forbidden, invalid } from '@reticle/kit/call/errors'
import type { Kysely } from 'kysely'
import { noSuchObject } from '../bodies/field-error.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { basicUsers } from '../identity/index.ts'
import { membersAmong } from './roles.ts'

type Db = Kysely<ProjectsDb>
export type People = ReadonlyMap<number, BasicUser>

/** Returns the user records of these ids, with one query. */
export function peopleOf(db: Db, ids: readonly (number | null)[]): Promise<People> {
  const named = ids.filter((id) => id !== null)
  return basicUsers(db, [...new Set(named)])
}

export function personOf(people: People, id: number | null): BasicUser | null {
  return id === null ? null : (people.get(id) ?? null)
}

/**
 * Checks the users that a body names: they have to exist and, in an organization, be active members (400, naming the
 * field). Outside organizations callers name only themselves (403), administrators any user.
 */
export async function checkPeople(
  db: Db,
  { user_id, role }: Principal,
  named: Readonly<Record<string, number | null | undefined>>,
  organization_id: number | null,
): Promise<void> {
  const given = Object.entries(named).flatMap(([field, id]) => (id == null ? [] : [{ field, id }]))
  if (given.length === 0) return
  const known = await peopleOf(
    db,
    given.map(({ id }) => id),
  )
  const refuse = (these: Named[], text: (id: number) => string) => {
    if (these.length === 0) return
    throw invalid(Object.fromEntries(these.map(({ field, id }) => [field, text(id)])))
  }
  refuse(
    given.filter(({ id }) => !known.has(id)),
    noSuchObject,
  )
  if (organization_id !== null) {
    const members = await membersAmong(
      db,
      organization_id,
      given.map(({ id }) => id),
    )
    const strangers = given.filter(({ id }) => !members.has(id))
    return refuse(strangers, () => 'The user is not a member of the organization')
  }
  if (role !== 'admin' && given.some(({ id }) => id !== user_id))
    throw forbidden('Only yourself can be named here.')
}

interface Named {
  field: string
  id: number
}
