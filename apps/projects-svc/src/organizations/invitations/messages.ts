import type { Invitation } from '@reticle/contracts/rest/organizations'
import type { BasicUser } from '@reticle/contracts/rest/users'
import { basicUsers } from '../../identity/index.ts'
import type { Db } from '../deps.ts'
import { type Expiry, isExpired } from './expiry.ts'
import type { InvitationView } from './repo.ts'

type People = ReadonlyMap<number, BasicUser>

/** Converts a row to an invitation record. */
function toInvitation(row: InvitationView, user: BasicUser, people: People, expiry: Expiry) {
  const { key, created_date, owner_id, role, organization_id: id, slug, accepted } = row
  return {
    key,
    created_date: created_date.toISOString(),
    owner: people.get(owner_id ?? 0) ?? null,
    role,
    user,
    organization: id,
    organization_info: { id, slug },
    expired: isExpired(row, expiry),
    accepted,
  }
}

/** Converts rows to records in the same order, with one query for any number of rows. */
export async function invitationRecords(
  db: Db,
  rows: readonly InvitationView[],
  expiry: Expiry,
): Promise<Invitation[]> {
  const people = await basicUsers(
    db,
    rows.flatMap(({ owner_id, user_id }) => [user_id, ...(owner_id === null ? [] : [owner_id])]),
  )
  return rows.flatMap((row) => {
    const user = people.get(row.user_id)
    return user ? [toInvitation(row, user, people, expiry)] : []
  })
}

export async function invitationOf(
  db: Db,
  row: InvitationView,
  expiry: Expiry,
): Promise<Invitation> {
  const [record] = await invitationRecords(db, [row], expiry)
  if (!record) throw new Error(`invitation ${row.id} has no record`)
  return record
}
