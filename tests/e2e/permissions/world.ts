import type { S3Server } from '@reticle/kit/testing/s3-server'
import { addPerson } from '@reticle/standalone/administrator'
import { atOnce } from '../../support/at-once.ts'
import { bucketOf } from '../../support/buckets.ts'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import {
  assetForm,
  createImage,
  createImages,
  formOf,
  type ImageFile,
} from '../../support/pictures.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'
import {
  type GlobalRole,
  globalRoles,
  type MemberRole,
  memberRoles,
  type ObjectRelation,
  objectRelations,
} from './meaning.ts'

/** Users and objects of the permission tests, created once by administrators. */

export interface PermissionActor {
  id: number
  email: string
  role: GlobalRole
  member: MemberRole
  /** Client used during the setup, while the user is an administrator. */
  maker: ApiClient
  /** Client used by the tests. It has another credential, for which no gateway has cached the earlier rights. */
  api: ApiClient
  membership_id: number
  /** Key of the invitation that made the user a member; null for owners. */
  received: string | null
  /** Key of an invitation that the user sent and that is not accepted. */
  sent: string
}

/** A project and its objects, to which each user has a different relation. */
export interface Chain {
  org: string
  project: AnyJson
  task: AnyJson
  job: AnyJson
  issue: AnyJson
  comment: AnyJson
  guide: AnyJson
  /** A file of the guide, and a function that creates another one. */
  asset: AnyJson
  newAsset: () => Promise<AnyJson>
  picture: ImageFile
  /** Cloud storage connected by its owner. */
  bucket: AnyJson
  /** Labels of the project, and of a skeleton in it. */
  label: AnyJson
  sublabel: AnyJson
}

export interface PermissionWorld {
  /** Empty for objects without an organization. */
  org: string
  org_id: number | null
  actors: PermissionActor[]
  /** Relations that its actors have in turn. */
  relations: readonly ObjectRelation[]
  chains: Chain[]
  /** Server of the buckets. */
  store: S3Server
}

interface Seat {
  role: GlobalRole
  member: MemberRole
}

const password = 'a-password-of-somebody'
const everyRole = (member: MemberRole): Seat[] => globalRoles.map((role) => ({ role, member }))
const few = ['project owner', 'task assignee', 'job assignee', 'storage owner', 'nobody'] as const

/** An organization has one owner, so owners with a lower global role have small additional organizations. */
const plan = [
  { org: '', relations: objectRelations, seats: everyRole(null) },
  {
    org: 'matrix',
    relations: objectRelations,
    seats: [
      { role: 'user', member: 'owner' },
      ...memberRoles.slice(1).flatMap(everyRole),
      ...everyRole('outside'),
    ],
  },
  { org: 'matrix-worker', relations: few, seats: [{ role: 'worker', member: 'owner' }] },
  { org: 'matrix-none', relations: few, seats: [{ role: 'none', member: 'owner' }] },
] as const satisfies { org: string; relations: readonly ObjectRelation[]; seats: readonly Seat[] }[]

export async function makeWorlds(
  reticle: ServerUnderTest,
  store: S3Server,
): Promise<PermissionWorld[]> {
  const worlds: PermissionWorld[] = []
  for (const one of plan) worlds.push(await makeWorld(reticle, store, one))
  for (const world of worlds) await become(reticle.admin, world)
  return worlds
}

async function makeWorld(
  reticle: ServerUnderTest,
  store: S3Server,
  { org, relations, seats }: (typeof plan)[number],
): Promise<PermissionWorld> {
  const people = await reticle.people()
  const actors = await atOnce<Seat, PermissionActor>(3, seats, (seat) =>
    addActor(reticle, people, org, seat),
  )
  const org_id = await join(org, actors)
  const world: PermissionWorld = { org, org_id, actors, relations, chains: [], store }
  const numbers = Array.from({ length: sizeOf(world) }, (_, number) => number)
  world.chains = await atOnce(6, numbers, (number) => makeChain(reticle.admin, world, number))
  return world
}

/** Enough chains to give every actor every relation once. */
const sizeOf = ({ actors, relations }: PermissionWorld) => Math.max(actors.length, relations.length)

async function addActor(
  reticle: ServerUnderTest,
  people: string,
  org: string,
  seat: Seat,
): Promise<PermissionActor> {
  const username = `${org || 'alone'}-${seat.member ?? 'person'}-${seat.role}`
  const email = `${username}@example.org`
  await addPerson(people, { username, email, password, role: 'admin' })
  const as = (name: string) =>
    createApiClient(
      `${reticle.url}/api`,
      `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
    )
  const maker = as(username)
  const { id } = await maker.done('GET', '/users/self')
  return { ...seat, id, email, maker, api: as(email), membership_id: 0, received: null, sent: '' }
}

/** The first actor creates the organization. The others have accounts, so an invitation makes them members at once. */
async function join(org: string, [owner, ...others]: PermissionActor[]): Promise<number | null> {
  if (org === '' || !owner) return null
  const { id } = await owner.maker.done('POST', '/organizations', { json: { slug: org } })
  for (const { email, member } of others) {
    const json = { email, role: member === 'outside' ? 'worker' : member }
    await owner.maker.done('POST', `/invitations?org=${org}`, { json })
  }
  const { results } = await owner.maker.done('GET', `/memberships?org=${org}&page_size=all`)
  for (const actor of [owner, ...others]) {
    const own = results.find((one: AnyJson) => one.user.id === actor.id)
    Object.assign(actor, { membership_id: own.id, received: own.invitation })
    actor.sent = (await inviteAddress(actor.maker, org, 'worker')).key
  }
  return id
}

let count = 0
/** Invites an address without an account; returns the invitation. */
export function inviteAddress(as: ApiClient, org: string, role: string): Promise<AnyJson> {
  const email = `asked-${++count}@example.org`
  return as.done('POST', `/invitations?org=${org}`, { json: { email, role } })
}

/**
 * Returns the actor with a relation to the chain of this number. Actors rotate, so that each has every relation once.
 */
function seated(
  world: PermissionWorld,
  number: number,
  relation: ObjectRelation,
): PermissionActor | undefined {
  const index = world.relations.indexOf(relation)
  return index < 0 ? undefined : world.actors[(index + number) % sizeOf(world)]
}

/** Returns the chain to which the actor has only this relation, or undefined if this world has none. */
export function findChain(
  world: PermissionWorld,
  actor: PermissionActor,
  relation: ObjectRelation,
): Chain | undefined {
  return world.chains.find((_, number) => seated(world, number, relation) === actor)
}

const labels = [
  { name: 'car' },
  {
    name: 'person',
    type: 'skeleton',
    svg: '<circle r="1" data-label-name="head"/>',
    sublabels: [{ name: 'head', type: 'points' }],
  },
]

async function makeChain(admin: ApiClient, world: PermissionWorld, number: number): Promise<Chain> {
  const at = (relation: ObjectRelation) => seated(world, number, relation)
  const within = `?org=${world.org}`
  const project = await admin.done('POST', `/projects${within}`, {
    json: { name: 'p', labels, ...people(at('project owner'), at('project assignee')) },
  })
  const { id } = await admin.done('POST', `/tasks${within}`, {
    json: { name: 't', project_id: project.id, ...people(at('task owner'), at('task assignee')) },
  })
  const form = formOf(await createImages(1))
  await admin.finished(await admin.done('POST', `/tasks/${id}/data`, { form }))
  const task = await admin.done('GET', `/tasks/${id}`)
  const [{ id: job_id }] = await jobsOf(admin, id)
  const assignee = at('job assignee')?.id ?? null
  const job = await admin.done('PATCH', `/jobs/${job_id}`, { json: { assignee } })
  const [label, skeleton] = project.labels
  return {
    ...{ org: world.org, project, task, job, label, sublabel: skeleton.sublabels[0] },
    ...(await review(admin, job_id, at)),
    ...(await illustrate(admin, project)),
    bucket: await connect(at('storage owner')?.maker ?? admin, world),
  }
}

async function illustrate(admin: ApiClient, project: AnyJson) {
  const guide = await admin.done('POST', '/guides', {
    json: { project_id: project.id, markdown: 'x' },
  })
  const file = await createImage('a.png', 8, 8)
  const newAsset = () => admin.done('POST', '/assets', { form: assetForm(guide.id, file) })
  return { guide, asset: await newAsset(), newAsset, picture: file }
}

const connect = (owner: ApiClient, { org, store }: PermissionWorld) =>
  owner.done('POST', `/cloudstorages?org=${org}`, { json: bucketOf(store, 'frames') })

const people = (owner?: PermissionActor, assignee?: PermissionActor) => ({
  owner_id: owner?.id,
  assignee_id: assignee?.id ?? null,
})

async function review(
  admin: ApiClient,
  job: number,
  at: (relation: ObjectRelation) => PermissionActor | undefined,
) {
  const json = { job, frame: 0, position: [1, 2, 3, 4], message: 'x' }
  const assignee = at('issue assignee')?.id ?? null
  const asOwner = at('issue owner')?.maker ?? admin
  const issue = await asOwner.done('POST', '/issues', { json: { ...json, assignee } })
  const asAuthor = at('author')?.maker ?? admin
  const comment = { issue: issue.id, message: 'x' }
  return { issue, comment: await asAuthor.done('POST', '/comments', { json: comment }) }
}

/** Gives every actor their final role; some leave. */
async function become(admin: ApiClient, { actors, org }: PermissionWorld): Promise<void> {
  for (const actor of actors) {
    const { id, role, member, membership_id } = actor
    if (member === 'outside') {
      await admin.done('DELETE', `/memberships/${membership_id}`) // removing the member revokes the invitations they sent
      actor.sent = (await inviteAddress(actor.maker, org, 'worker')).key
    }
    await admin.done('PATCH', `/users/${id}`, { json: { groups: role === 'none' ? [] : [role] } })
  }
}
