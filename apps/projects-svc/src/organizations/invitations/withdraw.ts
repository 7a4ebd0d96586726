import { invitationDeleted } from '@reticle/contracts/events/organizations'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { OrganizationDeps, Tx } from '../deps.ts'
import { deleteMembership } from '../memberships/repo.ts'
import { invitationOf } from './messages.ts'
import { findInvitationTo, type InvitationView } from './repo.ts'

type Deps = Pick<OrganizationDeps, 'clock' | 'settings'>
type Reason = 'accepted' | 'declined' | 'revoked'

/** Says that an invitation can be accepted no more; `row` is as it was. */
export async function sayOver(
  tx: Tx,
  row: InvitationView,
  reason: Reason,
  { clock, settings }: Deps,
  cause: Cause,
): Promise<void> {
  const expiry = { now: clock.now(), days: settings.invitationExpiryDays }
  const invitation = await invitationOf(tx, row, expiry)
  const within = { ...cause, organization_id: row.organization_id }
  await emit(tx, invitationDeleted, { invitation, reason }, within)
}

/** Takes back a membership that nobody has accepted, and its invitation with it. */
export async function withdraw(
  tx: Tx,
  membership: { id: number },
  reason: Reason,
  deps: Deps,
  cause: Cause,
): Promise<void> {
  const row = await findInvitationTo(tx, membership.id)
  if (row) await sayOver(tx, row, reason, deps, cause)
  await deleteMembership(tx, membership.id)
}
