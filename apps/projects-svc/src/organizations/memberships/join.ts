import { membershipCreated } from '@reticle/contracts/events/organizations'
import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { invalidText } from '@reticle/kit/call/errors'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Tx } from '../deps.ts'
import { membershipOf } from './messages.ts'
import {
  countMemberships,
  insertMembership,
  type MembershipView,
  updateMembership,
} from './repo.ts'

/** The roles of a caller are sent with every call, so their number is limited by the size of headers. */
const mostMemberships = 1000

interface NewMember {
  organization_id: number
  user_id: number
  role: OrganizationRole
}

/** Inserts an active membership of a locked organization. */
export async function addActiveMember(tx: Tx, member: NewMember, now: Date, cause: EventCause) {
  return activateMembership(tx, await insertPendingMember(tx, member), now, cause)
}

/** Inserts a pending membership. */
export async function insertPendingMember(tx: Tx, member: NewMember): Promise<MembershipView> {
  if ((await countMemberships(tx, member.user_id)) >= mostMemberships)
    throw invalidText(`A user can belong to ${mostMemberships} organizations at most.`)
  return insertMembership(tx, { ...member, is_active: false })
}

/** Activates a membership and emits `create:membership`. */
export async function activateMembership(
  tx: Tx,
  row: MembershipView,
  joined_date: Date,
  cause: EventCause,
): Promise<MembershipView> {
  const active = await updateMembership(tx, row, { is_active: true, joined_date })
  const within = { ...cause, organization_id: row.organization_id }
  await emit(tx, membershipCreated, { membership: await membershipOf(tx, active) }, within)
  return active
}
