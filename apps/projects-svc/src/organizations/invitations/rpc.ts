import type { organizations } from '@reticle/contracts/api/organizations'
import { type CallContext, invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { assertPermitted, hasPermission } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { EventCause } from '@reticle/kit/outbox/emit'
import { inviteeOf } from '../../identity/index.ts'
import type { OrganizationDeps, Tx } from '../deps.ts'
import { activateMembership } from '../memberships/join.ts'
import { findMembershipOf } from '../memberships/repo.ts'
import { createInvitation, invitingTo } from './create.ts'
import { isExpired } from './expiry.ts'
import { listInvitations } from './list.ts'
import { invitationOf, invitationRecords } from './messages.ts'
import { invitationRules } from './policy.ts'
import {
  deleteInvitation,
  findInvitation,
  type InvitationView,
  lockInvitation,
  updateSentDate,
} from './repo.ts'
import { createInvitationSender } from './send.ts'
import { invitationStanding } from './standing.ts'
import { emitInvitationDeleted, withdrawInvitation } from './withdraw.ts'

type Handlers = Pick<
  Service<typeof organizations>,
  | 'listInvitations'
  | 'createInvitation'
  | 'getInvitation'
  | 'acceptInvitation'
  | 'declineInvitation'
  | 'resendInvitation'
  | 'deleteInvitation'
>

/**
 * Builds the handlers of invitations. For callers who are neither sender, invitee nor leader an invitation is not
 * found.
 */
export function invitationHandlers(deps: OrganizationDeps): Handlers {
  return { ...readingHandlers(deps), ...senderHandlers(deps), ...inviteeHandlers(deps) }
}

function readingHandlers({
  db,
  clock,
  settings,
}: OrganizationDeps): Pick<Handlers, 'listInvitations' | 'getInvitation'> {
  const expiry = () => ({ now: clock.now(), days: settings.invitationExpiryDays })
  return {
    async listInvitations(query, context) {
      const { count, results } = await listInvitations(db, signedIn(context), query)
      return { count, results: await invitationRecords(db, results, expiry()) }
    },

    async getInvitation({ key }, context) {
      return invitationOf(db, allowed('view', context, await findInvitation(db, key)), expiry())
    },
  }
}

function senderHandlers(
  deps: OrganizationDeps,
): Pick<Handlers, 'createInvitation' | 'resendInvitation' | 'deleteInvitation'> {
  const { db, clock, settings } = deps
  const sendInvitation = createInvitationSender(deps)
  return {
    async createInvitation({ body }, context) {
      const principal = signedIn(context)
      const organization_id = invitingTo(principal, body.role)
      const given = { body, sender: principal }
      const { invitation, invitee } = await runChange(db, context, (tx) =>
        createInvitation(tx, organization_id, given, deps, context),
      )
      if (invitee) sendInvitation(invitation, invitee)
      return invitation
    },

    async resendInvitation({ key }, context) {
      const { invitation, invitee } = await runChange(db, context, async (tx) => {
        const row = allowed('resend', context, await lockInvitation(tx, key))
        if (row.accepted) throw invalidText(acceptedText)
        const now = clock.now()
        await updateSentDate(tx, row.id, now)
        const expiry = { now, days: settings.invitationExpiryDays }
        const invitee = (await inviteeOf(tx, row.user_id)) ?? null
        return { invitation: await invitationOf(tx, row, expiry), invitee }
      })
      sendInvitation(invitation, invitee)
    },

    async deleteInvitation({ key }, context) {
      await runChange(db, context, async (tx) => {
        const row = allowed('delete', context, await lockInvitation(tx, key))
        if (row.accepted) return deleteInvitation(tx, row.id)
        return withdrawInvitation(tx, { id: row.membership_id }, 'revoked', deps, context)
      })
    },
  }
}

function inviteeHandlers(
  deps: OrganizationDeps,
): Pick<Handlers, 'acceptInvitation' | 'declineInvitation'> {
  const { db, clock, settings } = deps
  return {
    async acceptInvitation({ key }, context) {
      return runChange(db, context, async (tx) => {
        const row = allowed('accept', context, await lockInvitation(tx, key))
        if (row.accepted) throw invalidText(acceptedText)
        const expiry = { now: clock.now(), days: settings.invitationExpiryDays }
        if (isExpired(row, expiry)) throw invalidText('The invitation has expired.')
        await accept(tx, row, deps, context)
        return { organization_slug: row.slug }
      })
    },

    async declineInvitation({ key }, context) {
      await runChange(db, context, async (tx) => {
        const row = allowed('decline', context, await lockInvitation(tx, key))
        if (row.accepted) throw invalidText('The invitation is accepted: leave the organization.')
        await withdrawInvitation(tx, { id: row.membership_id }, 'declined', deps, context)
      })
    },
  }
}

const acceptedText = 'The invitation is accepted already.'

async function accept(tx: Tx, row: InvitationView, deps: OrganizationDeps, cause: EventCause) {
  const membership = await findMembershipOf(tx, row.organization_id, row.user_id)
  if (!membership) throw notFound()
  await activateMembership(tx, membership, deps.clock.now(), cause)
  await emitInvitationDeleted(tx, row, 'accepted', deps, cause)
}

/** Returns the invitation if the caller may view it (otherwise 404) and may do `action` (otherwise 403). */
function allowed(
  action: string,
  context: CallContext,
  row: InvitationView | undefined,
): InvitationView {
  const principal = signedIn(context)
  const standing = row && invitationStanding(principal, row)
  if (!standing || !hasPermission(invitationRules, 'view', principal, standing)) throw notFound()
  assertPermitted(invitationRules, action, principal, standing)
  return row
}
