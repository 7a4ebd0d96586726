import type { Membership } from '@reticle/contracts/rest/organizations'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { basicUsers } from '../../identity/index.ts'
import type { Db } from '../deps.ts'
import type { MembershipView } from './repo.ts'

/** Converts a row to a membership record. Its user exists, because memberships are deleted with users. */
function toMembership(row: MembershipView, user: BasicUser): Membership {
  const { id, organization_id, is_active, joined_date, role, invitation } = row
  return {
    id,
    user,
    organization: organization_id,
    is_active,
    joined_date: joined_date?.toISOString() ?? null,
    role,
    invitation,
  }
}

/** Converts rows to records in the same order, with one query for any number of rows. */
export async function membershipRecords(
  db: Db,
  rows: readonly MembershipView[],
): Promise<Membership[]> {
  const people = await basicUsers(
    db,
    rows.map(({ user_id }) => user_id),
  )
  return rows.flatMap((row) => {
    const user = people.get(row.user_id)
    return user ? [toMembership(row, user)] : []
  })
}

export async function membershipOf(db: Db, row: MembershipView): Promise<Membership> {
  const [record] = await membershipRecords(db, [row])
  if (!record) throw new Error(`membership ${row.id} has no record`)
  return record
}
