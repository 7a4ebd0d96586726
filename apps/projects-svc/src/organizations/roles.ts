import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { notFound } from '@reticle/kit/errors'
import type { Db, Tx } from './deps.ts'
import { listMembersAmong, listRoles, lockExistence } from './repo.ts'

type Authenticating = Pick<Service<typeof identity>, 'authenticate'>

/** Whoever is identified comes with the roles that they have in organizations. */
export function knowingRoles<H extends Authenticating>(db: Db, handlers: H): H {
  const authenticate: Authenticating['authenticate'] = async (input, context) => {
    const found = await handlers.authenticate(input, context)
    const organization_roles = await listRoles(db, found.principal.user_id)
    return { ...found, principal: { ...found.principal, organization_roles } }
  }
  return { ...handlers, authenticate }
}

/** Which of these users are active members of the organization; one query. */
export async function membersAmong(
  db: Db,
  organization_id: number,
  user_ids: readonly number[],
): Promise<Set<number>> {
  return new Set(await listMembersAmong(db, organization_id, user_ids))
}

/**
 * Keeps the organization in which something is made from being deleted before that is there; outside of organizations there
 * is nothing to keep.
 *
 * @throws DomainError not_found when it is gone
 */
export async function holdOrganization(tx: Tx, id: number | null): Promise<void> {
  if (id !== null && !(await lockExistence(tx, id))) throw noSuchOrganization(id)
}

/**
 * The same for an organization that a body names, if it names one.
 *
 * @returns whether it is there
 */
export async function lockNamed(tx: Tx, id: number | null | undefined): Promise<boolean> {
  return id == null || (await lockExistence(tx, id)) !== undefined
}

export const noSuchOrganization = (name: number | string) =>
  notFound(`${name} organization does not exist.`)
