import type { organizations } from '@reticle/contracts/api/organizations'
import { type CallContext, notFound, type Service, signedIn } from '@reticle/kit'
import { forbidden } from '@reticle/kit/call/errors'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted, hasPermission } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { OrganizationDeps, Tx } from '../deps.ts'
import { withdrawInvitation } from '../invitations/withdraw.ts'
import { changeRole } from './change.ts'
import { endMembership } from './leave.ts'
import { listMemberships } from './list.ts'
import { membershipOf, membershipRecords } from './messages.ts'
import { membershipRules } from './policy.ts'
import { findMembership, lockMembership, type MembershipView } from './repo.ts'
import { membershipStanding } from './standing.ts'

type Handlers = Pick<
  Service<typeof organizations>,
  'listMemberships' | 'getMembership' | 'updateMembership' | 'deleteMembership'
>

/** Builds the handlers of memberships. Only an invitation creates one. */
export function membershipHandlers(deps: OrganizationDeps): Handlers {
  const { db, objects } = deps
  return {
    async listMemberships(query, context) {
      const { count, results } = await listMemberships(db, signedIn(context), query)
      return { count, results: await membershipRecords(db, results) }
    },

    async getMembership({ id }, context) {
      return membershipOf(db, allowed('view', context, await findMembership(db, id)))
    },

    async updateMembership({ id, body: { role }, if_match }, context) {
      return runChange(db, context, async (tx) => {
        const row = allowed('view', context, await lockMembership(tx, id))
        if (role !== undefined) allowed('update:role', context, row)
        if (role === 'maintainer') allowed('grant:maintainer', context, row)
        if (role !== undefined) assertNoOwner(row)
        await assertUnchanged(tx, row, if_match)
        if (role === undefined) return membershipOf(tx, row)
        return changeRole(tx, row, role, deps, context)
      })
    },

    async deleteMembership({ id, unassign = false, if_match }, context) {
      await runChange(db, context, async (tx) => {
        const row = allowed('delete', context, await lockMembership(tx, id))
        assertNoOwner(row)
        await assertUnchanged(tx, row, if_match)
        if (unassign) await objects.unassign(tx, row, context)
        if (row.is_active) return endMembership(tx, row, deps, context)
        await withdrawInvitation(tx, row, 'revoked', deps, context)
      })
    },
  }
}

/** Returns the membership if the caller may view it (otherwise 404) and may do `action` (otherwise 403). */
function allowed(
  action: string,
  context: CallContext,
  row: MembershipView | undefined,
): MembershipView {
  const principal = signedIn(context)
  const standing = row && membershipStanding(principal, row)
  if (!standing || !hasPermission(membershipRules, 'view', principal, standing)) throw notFound()
  assertPermitted(membershipRules, action, principal, standing)
  return row
}

/** Memberships have no date of their last change, so the ETag is built from the record. */
async function assertUnchanged(tx: Tx, row: MembershipView, if_match: string | undefined) {
  if (if_match !== undefined) assertMatches(if_match, await membershipOf(tx, row))
}

/** The owner cannot leave an organization, even by an administrator. */
function assertNoOwner({ role }: MembershipView): void {
  if (role === 'owner')
    throw forbidden(
      'The owner stays in the organization until it is transferred to another member.',
    )
}
