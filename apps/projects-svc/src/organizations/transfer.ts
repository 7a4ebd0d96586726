import type { Organization } from '@reticle/contracts/rest/organizations'
import { invalid } from '@reticle/kit/call/errors'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { OrganizationRow } from '../db/schema.ts'
import { changeOrganization } from './change.ts'
import type { Tx } from './deps.ts'
import type { WithdrawDeps } from './invitations/withdraw.ts'
import { changeRole } from './memberships/change.ts'
import { findMembershipOf } from './memberships/repo.ts'

/**
 * Transfers a locked organization to another active member; the previous owner becomes a maintainer.
 *
 * @throws DomainError invalid for a user who is not an active member, or is the owner already
 */
export async function transferOrganization(
  tx: Tx,
  row: OrganizationRow,
  user_id: number,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<Organization> {
  const heir = await findMembershipOf(tx, row.id, user_id)
  if (!heir?.is_active) throw invalid({ user_id: 'The user is not a member of the organization' })
  if (heir.role === 'owner') throw invalid({ user_id: 'The user owns the organization already.' })
  const former =
    row.owner_id === null ? undefined : await findMembershipOf(tx, row.id, row.owner_id)
  const record = await changeOrganization(tx, row, { owner_id: user_id }, cause)
  if (former) await changeRole(tx, former, 'maintainer', deps, cause)
  await changeRole(tx, heir, 'owner', deps, cause)
  return record
}
