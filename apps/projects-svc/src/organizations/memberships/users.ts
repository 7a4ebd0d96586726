import { conflict } from '@reticle/kit/errors'
import type { Memberships } from '../../identity/index.ts'
import type { OrganizationDeps } from '../deps.ts'
import { withdraw } from '../invitations/withdraw.ts'
import {
  listMembersAmong,
  listOrganizationsWith,
  listSlugsOwned,
  lockOrganization,
  membersOf,
} from '../repo.ts'
import { leave } from './leave.ts'
import { listMembershipsOf } from './repo.ts'

/** What the room of users asks of this one (`spec/api-workspace.md` 2.4). */
export function membershipsOfUsers(
  deps: Pick<OrganizationDeps, 'clock' | 'settings'>,
): Memberships {
  return {
    membersOf,

    async isMember(db, organization_id, user_id) {
      const found = await listMembersAmong(db, organization_id, [user_id])
      return found.length > 0
    },

    async lockAll(tx, user_id) {
      for (const id of await listOrganizationsWith(tx, user_id)) await lockOrganization(tx, id)
    },

    async leaveAll(tx, user_id, cause) {
      const owned = await listSlugsOwned(tx, user_id)
      if (owned.length > 0)
        throw conflict(
          `The user owns the organization ${owned.join(', ')}: transfer or delete it first.`,
        )
      for (const row of await listMembershipsOf(tx, user_id)) {
        await lockOrganization(tx, row.organization_id) // of one that was joined a moment ago
        if (row.is_active) await leave(tx, row, cause)
        else await withdraw(tx, row, 'revoked', deps, cause)
      }
    },
  }
}
