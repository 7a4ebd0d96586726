import { invitationDeleted } from '@reticle/contracts/events/organizations'
import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { OrganizationDeps, Tx } from '../deps.ts'
import { deleteMembership } from '../memberships/repo.ts'
import { invitationOf } from './messages.ts'
import { mayInviteFor } from './policy.ts'
import { findInvitationTo, type InvitationView, listOpenSent } from './repo.ts'

export type WithdrawDeps = Pick<OrganizationDeps, 'clock' | 'settings'>
type Reason = 'accepted' | 'declined' | 'revoked'

/** Emits the end of an invitation; `row` is its last state. */
export async function emitInvitationDeleted(
  tx: Tx,
  row: InvitationView,
  reason: Reason,
  { clock, settings }: WithdrawDeps,
  cause: EventCause,
): Promise<void> {
  const expiry = { now: clock.now(), days: settings.invitationExpiryDays }
  const invitation = await invitationOf(tx, row, expiry)
  const within = { ...cause, organization_id: row.organization_id }
  await emit(tx, invitationDeleted, { invitation, reason }, within)
}

/** Deletes an unaccepted membership and its invitation. */
export async function withdrawInvitation(
  tx: Tx,
  membership: { id: number },
  reason: Reason,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<void> {
  const row = await findInvitationTo(tx, membership.id)
  if (row) await emitInvitationDeleted(tx, row, reason, deps, cause)
  await deleteMembership(tx, membership.id)
}

interface Sender {
  organization_id: number
  user_id: number
  /** New role of the sender; null: no longer a member. */
  role: OrganizationRole | null
}

/** Withdraws the open invitations of a locked organization that their sender may no longer send. */
export async function withdrawSent(
  tx: Tx,
  { organization_id, user_id: owner_id, role }: Sender,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<void> {
  for (const sent of await listOpenSent(tx, { owner_id, organization_id }))
    if (!mayInviteFor(role, sent.role))
      await withdrawInvitation(tx, { id: sent.membership_id }, 'revoked', deps, cause)
}
