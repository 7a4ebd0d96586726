import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { notFound } from '@reticle/kit/call/errors'
import type { Db, Tx } from './deps.ts'
import { listMembersAmong, listRoles, lockExistence } from './repo.ts'

type Authenticating = Pick<Service<typeof identity>, 'authenticate'>

/** Wraps the authentication handler, so that the principal has the roles of the user in organizations. */
export function withOrganizationRoles<H extends Authenticating>(db: Db, handlers: H): H {
  const authenticate: Authenticating['authenticate'] = async (input, context) => {
    const found = await handlers.authenticate(input, context)
    const organization_roles = await listRoles(db, found.principal.user_id)
    return { ...found, principal: { ...found.principal, organization_roles } }
  }
  return { ...handlers, authenticate }
}

/** Returns which of these users are active members of the organization, with one query. */
export async function membersAmong(
  db: Db,
  organization_id: number,
  user_ids: readonly number[],
): Promise<Set<number>> {
  return new Set(await listMembersAmong(db, organization_id, user_ids))
}

/**
 * Locks an organization against deletion while an object is created in it; does nothing outside organizations.
 *
 * @throws DomainError not_found when it was deleted
 */
export async function holdOrganization(tx: Tx, id: number | null): Promise<void> {
  if (id !== null && !(await lockExistence(tx, id))) throw noSuchOrganization(id)
}

/**
 * Locks the organization that a body names, if it names one.
 *
 * @returns whether it exists
 */
export async function lockNamedOrganization(
  tx: Tx,
  id: number | null | undefined,
): Promise<boolean> {
  return id == null || (await lockExistence(tx, id)) !== undefined
}

export const noSuchOrganization = (name: number | string) =>
  notFound(`${name} organization does not exist.`)
