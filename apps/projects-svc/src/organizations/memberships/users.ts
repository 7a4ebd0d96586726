import { conflict } from '@reticle/kit/call/errors'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Memberships } from '../../identity/index.ts'
import type { Tx } from '../deps.ts'
import { listOpenSent } from '../invitations/repo.ts'
import { type WithdrawDeps, withdrawInvitation, withdrawSent } from '../invitations/withdraw.ts'
import {
  listMembersAmong,
  listOrganizationsWith,
  listSlugsOwned,
  lockOrganization,
  membersOf,
} from '../repo.ts'
import { endMembership } from './leave.ts'
import { listMembershipsOf } from './repo.ts'

/** Builds the functions on memberships that identity needs. */
export function membershipsOfUsers(deps: WithdrawDeps): Memberships {
  return {
    membersOf,

    async isMember(db, organization_id, user_id) {
      const found = await listMembersAmong(db, organization_id, [user_id])
      return found.length > 0
    },

    async lockAll(tx, user_id) {
      for (const id of await listOrganizationsWith(tx, user_id)) await lockOrganization(tx, id)
    },

    async withdrawReceived(tx, user_id, cause) {
      const rows = await listMembershipsOf(tx, user_id)
      for (const row of rows.filter(({ is_active }) => !is_active)) {
        await lockOrganization(tx, row.organization_id)
        await withdrawInvitation(tx, row, 'revoked', deps, cause)
      }
    },

    withdrawSent: (tx, user_id, cause) => withdrawAllSent(tx, user_id, deps, cause),

    async leaveAll(tx, user_id, cause) {
      const owned = await listSlugsOwned(tx, user_id)
      if (owned.length > 0)
        throw conflict(
          `The user owns the organization ${owned.join(', ')}: transfer or delete it first.`,
        )
      for (const row of await listMembershipsOf(tx, user_id)) {
        await lockOrganization(tx, row.organization_id) // the organization may have been joined a moment ago
        if (row.is_active) await endMembership(tx, row, deps, cause)
        else await withdrawInvitation(tx, row, 'revoked', deps, cause)
      }
      await withdrawAllSent(tx, user_id, deps, cause)
    },
  }
}

/**
 * Withdraws the open invitations that a user sent in all organizations, including those sent as an administrator from
 * outside.
 */
async function withdrawAllSent(
  tx: Tx,
  user_id: number,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<void> {
  const sent = await listOpenSent(tx, { owner_id: user_id })
  for (const organization_id of new Set(sent.map((row) => row.organization_id))) {
    await lockOrganization(tx, organization_id)
    await withdrawSent(tx, { organization_id, user_id, role: null }, deps, cause)
  }
}
