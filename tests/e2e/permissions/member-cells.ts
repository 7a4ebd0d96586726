import { atOnce } from '../../support/at-once.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import type { MembershipRelation, RelatedUser, RowName } from './meaning.ts'
import type { Probe } from './probes.ts'
import { inviteAddress, type PermissionActor, type PermissionWorld } from './world.ts'

/** Rows about organizations, memberships and invitations. Calls consume their objects, so each cell has its own. */

/** One call of one user. */
export interface Cell {
  row: RowName
  person: RelatedUser
  as: ApiClient
  probe: Omit<Probe, 'row'>
}

type ProbeParts = Omit<Probe, 'row' | 'operation'>
const json = (body: AnyJson) => ({ sent: { json: body } })

/** Builds lists of cells; the cells of one list run one after the other. */
export async function memberCells(
  worlds: readonly PermissionWorld[],
  admin: ApiClient,
): Promise<Cell[][]> {
  const within = worlds.filter(({ org }) => org !== '')
  const seats = within.flatMap((world) => world.actors.map((actor) => ({ world, actor })))
  const cells = await atOnce(2, seats, ({ world, actor }) => ofActor(world, actor, admin))
  const founding = worlds
    .filter(({ org }) => org === '')
    .flatMap(({ actors }) => actors.map((actor) => [founds(actor)]))
  return [...cells, ...founding]
}

const cellsOf = (actor: PermissionActor, relation: RelatedUser['relation']) => {
  const person = { role: actor.role, member: actor.member, relation }
  return (row: RowName, operation: string, probe: ProbeParts): Cell => ({
    ...{ row, person, as: actor.api, probe: { operation, ...probe } },
  })
}

function founds(actor: PermissionActor): Cell {
  const probe = { ...json({ slug: `new-${actor.role}` }), permitted: 201 }
  return cellsOf(actor, 'nobody')('organization: create', 'createOrganization', probe)
}

async function ofActor(
  world: PermissionWorld,
  actor: PermissionActor,
  admin: ApiClient,
): Promise<Cell[]> {
  const roles = ['maintainer', 'supervisor', 'worker', 'worker'] as const
  const invited = await atOnce(1, roles, async (role) => {
    const { key } = await inviteAddress(admin, world.org, role)
    return { role, key, membership_id: await membershipOf(admin, world.org, key) }
  })
  return [
    ...ofOrganization(world, actor),
    ...invited.slice(0, 3).flatMap((one) => ofMembership(actor, one)),
    ...ofOwner(world, actor),
    ...ofInvitations(world, actor, invited[3]?.key ?? ''),
    ...ofSelf(actor),
  ]
}

async function membershipOf(admin: ApiClient, org: string, invitation: string): Promise<number> {
  const { results } = await admin.done('GET', `/memberships?org=${org}&page_size=all`)
  return results.find((one: AnyJson) => one.invitation === invitation).id
}

function ofOrganization({ org, org_id, actors }: PermissionWorld, actor: PermissionActor): Cell[] {
  const cell = cellsOf(actor, 'nobody')
  const id = Number(org_id)
  const owner = { user_id: actors[0]?.id }
  const see = 'organization: list, view'
  const end = 'organization: delete, transfer ownership'
  return [
    cell(see, 'listOrganizations', { query: `?id=${id}`, permitted: 'listed' }),
    cell(see, 'getOrganization', { id, permitted: 200 }),
    cell('organization: update', 'updateOrganization', {
      id,
      ...json({ name: org }),
      permitted: 200,
    }),
    cell(end, 'deleteOrganization', {
      ...{ id, sent: { headers: { 'if-match': '"0-0"' } }, permitted: 412 },
    }),
    cell(end, 'transferOrganization', { id, ...json(owner), permitted: 400 }), // the target is already the owner
  ]
}

interface Invited {
  role: 'maintainer' | 'supervisor' | 'worker'
  key: string
  membership_id: number
}

function ofMembership(actor: PermissionActor, { role, membership_id: id }: Invited): Cell[] {
  const cell = cellsOf(actor, `${role} of it` satisfies MembershipRelation)
  const hidden = 'membership: list, view: not accepted'
  return [
    cell(hidden, 'getMembership', { id, permitted: 200 }),
    cell('membership: change role', 'updateMembership', { id, ...json({ role }), permitted: 200 }),
    cell('membership: delete', 'deleteMembership', { id, permitted: 204 }),
  ]
}

function ofOwner({ actors, org }: PermissionWorld, actor: PermissionActor): Cell[] {
  const [owner] = actors
  if (!owner || owner === actor) return []
  const cell = cellsOf(actor, 'owner of it')
  const id = owner.membership_id
  const see = 'membership: list, view'
  const query = `?org=${org}&id=${id}`
  const list: Cell[] =
    actor.member === 'outside' ? [] : [cell(see, 'listMemberships', { query, permitted: 'listed' })]
  return [
    ...list,
    cell(see, 'getMembership', { id, permitted: 200 }),
    cell('membership: change role', 'updateMembership', {
      ...{ id, ...json({ role: 'worker' }), permitted: 200 },
    }),
    cell('membership: delete', 'deleteMembership', { id, permitted: 204 }),
  ]
}

function ofInvitations(
  { org, actors }: PermissionWorld,
  actor: PermissionActor,
  foreign: string,
): Cell[] {
  const email = actors[0]?.email // address of a member, reported only to callers who may invite
  const create = (role: string): ProbeParts => ({
    ...{ query: `?org=${org}`, ...json({ email, role }), permitted: 400 },
  })
  const { sent, received } = actor
  const none = cellsOf(actor, 'nobody')
  const sender = cellsOf(actor, 'sender')
  const invitee = cellsOf(actor, 'invitee')
  const isThere = actor.member !== 'outside' && received !== null
  return [
    none('invitation: create for M', 'createInvitation', create('maintainer')),
    none('invitation: create for S, K', 'createInvitation', create('supervisor')),
    none('invitation: create for S, K', 'createInvitation', create('worker')),
    ...invitation(none, foreign, 204),
    ...invitation(sender, sent, 204),
    ...(isThere ? invitation(invitee, received, 400) : []), // the invitation is accepted already
  ]
}

function invitation(cell: ReturnType<typeof cellsOf>, key: string, resent: number): Cell[] {
  const probe = (permitted: number): ProbeParts => ({ key, permitted })
  return [
    cell('invitation: list, view', 'getInvitation', probe(200)),
    cell('invitation: resend, delete', 'resendInvitation', probe(resent)),
    cell('invitation: accept, decline', 'acceptInvitation', probe(400)),
    cell('invitation: accept, decline', 'declineInvitation', probe(400)),
    cell('invitation: resend, delete', 'deleteInvitation', probe(204)),
  ]
}

/** Cells that run last, because the actors leave. */
function ofSelf(actor: PermissionActor): Cell[] {
  if (actor.member === 'outside') return []
  const cell = cellsOf(actor, 'self')
  const id = actor.membership_id
  return [
    cell('membership: change role', 'updateMembership', {
      ...{ id, ...json({ role: 'worker' }), permitted: 200 },
    }),
    cell('membership: leave', 'deleteMembership', { id, permitted: 204 }),
  ]
}
