import { membershipUpdated } from '@reticle/contracts/events/organizations'
import type { Membership } from '@reticle/contracts/rest/organizations'
import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import { fieldsBefore } from '../../bodies/changes.ts'
import type { Tx } from '../deps.ts'
import { type WithdrawDeps, withdrawSent } from '../invitations/withdraw.ts'
import { membershipOf } from './messages.ts'
import { type MembershipView, updateMembership } from './repo.ts'

/**
 * Changes the role of a membership of a locked organization, and withdraws the invitations that the user may no
 * longer send. The same role changes nothing and emits no event.
 *
 * @returns the record after the change
 */
export async function changeRole(
  tx: Tx,
  row: MembershipView,
  role: OrganizationRole,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<Membership> {
  const before = await membershipOf(tx, row)
  if (role === row.role) return before
  const membership = await membershipOf(tx, await updateMembership(tx, row, { role }))
  // Events must not contain the key of a pending invitation.
  const announced = membership.is_active ? membership : { ...membership, invitation: null }
  const data = { membership: announced, before_update: fieldsBefore(before, membership) }
  await emit(tx, membershipUpdated, data, { ...cause, organization_id: row.organization_id })
  if (row.is_active) await withdrawSent(tx, { ...row, role }, deps, cause)
  return membership
}
