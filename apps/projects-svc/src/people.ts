import type { Principal } from '@reticle/contracts/principal'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { forbidden, invalid } from '@reticle/kit/errors'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import { noSuchObject } from './field-error.ts'
import { basicUsers } from './identity/index.ts'

type Db = Kysely<ProjectsDb>
export type People = ReadonlyMap<number, BasicUser>

/** Records of the users that rows name, in one query. */
export function peopleOf(db: Db, ids: readonly (number | null)[]): Promise<People> {
  const named = ids.filter((id) => id !== null)
  return basicUsers(db, [...new Set(named)])
}

export function personOf(people: People, id: number | null): BasicUser | null {
  return id === null ? null : (people.get(id) ?? null)
}

/**
 * Users that a body names have to exist (400, naming the field), and outside of organizations to be the caller (403);
 * administrators may name anybody (`spec/api-workspace.md` 2.5, references in bodies).
 */
export async function checkPeople(
  db: Db,
  { user_id, role }: Principal,
  named: Readonly<Record<string, number | null | undefined>>,
): Promise<void> {
  const given = Object.entries(named).flatMap(([field, id]) => (id == null ? [] : [{ field, id }]))
  if (given.length === 0) return
  const known = await peopleOf(
    db,
    given.map(({ id }) => id),
  )
  const missing = given.filter(({ id }) => !known.has(id))
  if (missing.length > 0)
    throw invalid(Object.fromEntries(missing.map(({ field, id }) => [field, noSuchObject(id)])))
  if (role !== 'admin' && given.some(({ id }) => id !== user_id))
    throw forbidden('Only yourself can be named here.')
}
