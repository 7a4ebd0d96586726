import { randomInt } from 'node:crypto'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { organizations } from '@reticle/contracts/api/organizations'
import { invitationCreated } from '@reticle/contracts/events/organizations'
import type { Invitation } from '@reticle/contracts/rest/organizations'
import type { Principal } from '@reticle/contracts/rest/principal'
import { forbidden, invalidText } from '@reticle/kit/call/errors'
import { assertPermitted } from '@reticle/kit/call/policy'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import { accountOf, type Invitee, inviteeOf } from '../../identity/index.ts'
import type { OrganizationDeps, Tx } from '../deps.ts'
import { activateMembership, insertPendingMember } from '../memberships/join.ts'
import { findMembershipOf } from '../memberships/repo.ts'
import { lockOrganization } from '../repo.ts'
import { noSuchOrganization } from '../roles.ts'
import { invitationOf } from './messages.ts'
import { invitationRules, mayInviteFor } from './policy.ts'
import { findInvitation, insertInvitation } from './repo.ts'
import { invitingStanding } from './standing.ts'
import { emitInvitationDeleted } from './withdraw.ts'

type Body = OperationInput<typeof organizations.createInvitation>['body']

/**
 * Returns the organization of the request, after checking that the caller may invite for this role.
 *
 * @throws DomainError invalid without an organization, forbidden
 */
export function invitingTo(principal: Principal, role: Body['role']): number {
  const organization_id = principal.scope?.organization_id
  if (organization_id == null) throw invalidText('An organization must be specified')
  const standing = invitingStanding(principal, organization_id)
  assertPermitted(invitationRules, 'create', principal, standing)
  if (role === 'owner')
    throw forbidden('An organization has one owner: transfer it to a member instead.')
  if (role === 'maintainer')
    assertPermitted(invitationRules, 'create:maintainer', principal, standing)
  return organization_id
}

type Invited = {
  invitation: Invitation
  /** Recipient of the mail; null: no mail, because the user is a member already. */
  invitee: Invitee | null
}

/**
 * Creates an invitation. An account with a verified address becomes a member at once, unless the settings require
 * confirmation. Every other account accepts with the key, because an unverified address must not make a member.
 */
export async function createInvitation(
  tx: Tx,
  organization_id: number,
  { body, sender }: { body: Body; sender: Principal },
  deps: Pick<OrganizationDeps, 'clock' | 'settings'>,
  cause: EventCause,
): Promise<Invited> {
  const { clock, settings } = deps
  const owner_id = sender.user_id
  if (!(await lockOrganization(tx, organization_id))) throw noSuchOrganization(organization_id)
  if (sender.role !== 'admin')
    await assertMayStillInvite(tx, { organization_id, owner_id }, body.role)
  const account = await accountOf(tx, body.email)
  if (await findMembershipOf(tx, organization_id, account.id))
    throw invalidText('The user is a member of the organization already.')
  const { is_registered, is_email_verified } = account
  const joins = is_registered && is_email_verified && !settings.invitationConfirm

  const now = clock.now()
  const member = { organization_id, user_id: account.id, role: body.role }
  const membership = await insertPendingMember(tx, member)
  const key = newKey()
  const sent_date = joins ? null : now
  const row = { key, membership_id: membership.id, owner_id, created_date: now, sent_date }
  await insertInvitation(tx, row)

  const expiry = { now, days: settings.invitationExpiryDays }
  const view = await viewOf(tx, key)
  const invitation = await invitationOf(tx, view, expiry)
  await emit(tx, invitationCreated, { invitation }, { ...cause, organization_id })
  if (!joins) return { invitation, invitee: (await inviteeOf(tx, account.id)) ?? null }
  await activateMembership(tx, { ...membership, invitation: key }, now, cause)
  await emitInvitationDeleted(tx, view, 'accepted', deps, cause)
  const accepted = { ...view, accepted: true }
  return { invitation: await invitationOf(tx, accepted, expiry), invitee: null }
}

/** Checks the role of the sender again under the lock, because the roles in the call may be seconds old. */
async function assertMayStillInvite(
  tx: Tx,
  { organization_id, owner_id }: { organization_id: number; owner_id: number },
  role: Body['role'],
): Promise<void> {
  const membership = await findMembershipOf(tx, organization_id, owner_id)
  if (!mayInviteFor(membership?.is_active ? membership.role : null, role)) throw forbidden()
}

async function viewOf(tx: Tx, key: string) {
  const row = await findInvitation(tx, key)
  if (!row) throw new Error('an invitation was not inserted')
  return row
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 64 letters and digits. Accepting also requires the account. */
const newKey = () => Array.from({ length: 64 }, () => letters[randomInt(letters.length)]).join('')
