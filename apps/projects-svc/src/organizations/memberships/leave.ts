import { membershipDeleted } from '@reticle/contracts/events/organizations'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Tx } from '../deps.ts'
import { type WithdrawDeps, withdrawSent } from '../invitations/withdraw.ts'
import { membershipOf } from './messages.ts'
import { deleteMembership, type MembershipView } from './repo.ts'

/**
 * Ends an active membership of a locked organization, and withdraws the open invitations that the user sent in it.
 * Objects owned by and assigned to the user stay unchanged.
 */
export async function endMembership(
  tx: Tx,
  row: MembershipView,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<void> {
  await withdrawSent(tx, { ...row, role: null }, deps, cause)
  const within = { ...cause, organization_id: row.organization_id }
  await emit(tx, membershipDeleted, { membership: await membershipOf(tx, row) }, within)
  await deleteMembership(tx, row.id)
}
