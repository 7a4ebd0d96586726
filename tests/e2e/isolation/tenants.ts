import { startS3 } from '@reticle/kit/testing/s3-server'
import { addPerson } from '@reticle/standalone/administrator'
import pg from 'pg'
import { bucketOf } from '../../support/buckets.ts'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { assetForm, createImage, createImages, formOf } from '../../support/pictures.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'
import { begin } from '../../support/tus.ts'

/** Ids of objects in a workspace by the first segment of their path. */
export type TenantIds = Readonly<Record<string, string | number>>

export interface Tenant {
  slug: string
  owner: ApiClient
  username: string
  ids: TenantIds
  /** All answers during its creation. Their ids and names must be hidden from other users. */
  responses: AnyJson[]
}

const password = 'a-password-of-a-tenant'
const basic = (name: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

export async function addUser(
  reticle: ServerUnderTest,
  username: string,
  role: 'user' | 'worker' = 'user',
): Promise<ApiClient> {
  const names = { first_name: `${username}-first`, last_name: `${username}-last` }
  const person = { username, email: `${username}@example.org`, password, role, ...names }
  await addPerson(await reticle.people(), person)
  return createApiClient(`${reticle.url}/api`, basic(username))
}

/**
 * Raises the sequences of ids, so that no other number equals an id by chance, and each table has its own range.
 *
 * @returns the lowest of these ids
 */
export async function skipIds(reticle: ServerUnderTest): Promise<number> {
  const db = new pg.Client({ connectionString: await reticle.people() })
  await db.connect()
  const { rows } = await db.query(`
    select format('%I.%I', schemaname, sequencename) as name from pg_sequences
    where schemaname in ('projects', 'requests', 'webhooks')
      and case when has_schema_privilege(schemaname, 'usage')
        then has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'usage') end`)
  for (const [index, { name }] of rows.entries())
    await db.query('select max(nextval($1::regclass)) from generate_series(1, $2::int)', [
      ...[name, skipped + index * 1000],
    ])
  await db.end()
  return skipped
}
const skipped = 100_000

/** Creates an organization with its owner and objects of every kind. */
export async function addTenant(reticle: ServerUnderTest, name: string): Promise<Tenant> {
  const username = `${name}-owner`
  const owner = await addUser(reticle, username)
  const organization = await owner.done('POST', '/organizations', {
    json: { slug: name, name: `${name}-organization`, description: `${name}-words` },
  })
  const [membership] = (await owner.done('GET', `/memberships?org=${name}`)).results
  const invitation = await owner.done('POST', `/invitations?org=${name}`, {
    json: { email: `${name}-asked@example.org`, role: 'worker' },
  })
  const own = await addObjects(owner, name, `?org=${name}`)
  const ids = {
    ...own.ids,
    organizations: organization.id,
    memberships: membership.id,
    invitations: invitation.key,
  }
  const self = await owner.done('GET', '/users/self')
  const responses = [...own.responses, organization, membership, invitation, self]
  return { slug: name, owner, username, ids: { ...ids, users: self.id }, responses }
}

/** Server of the buckets that are connected. */
const buckets = startS3()
export const closeBuckets = async () => (await buckets).close()

/** Creates a project with objects of every kind, in the workspace that `within` names. */
export async function addObjects(owner: ApiClient, name: string, within: string) {
  const labels = [{ name: `${name}-label` }]
  const project = await owner.done('POST', `/projects${within}`, {
    json: { name: `${name}-project`, labels, bug_tracker: `https://${name}.example.org` },
  })
  const files = (await createImages(2)).map((one) => ({ ...one, name: `${name}-${one.name}` }))
  const task = await taskWithMedia(owner, { project_id: project.id, files })
  const [job] = await jobsOf(owner, task.id)
  const [label] = project.labels
  const annotations = await owner.done('PUT', `/tasks/${task.id}/annotations/`, {
    json: { shapes: [rectangle(label.id)] },
  })
  const reviewed = await review(owner, name, { project, job })
  const cloud = await owner.done('POST', `/cloudstorages${within}`, {
    json: { ...bucketOf(await buckets, `${name}-frames`), display_name: `${name}-bucket` },
  })
  const exported = await owner.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
  const request = await owner.finished(exported)
  const token = await owner.done('POST', '/auth/access_tokens', { json: { name: `${name}-token` } })
  const hooked = await hook(owner, name, project)
  const beginUpload = async (path: string) => {
    const file = await begin(owner, path, { name: `${name}-file`, length: 5 })
    return String(file.headers.get('upload-filename'))
  }
  return {
    ids: {
      ...{ projects: project.id, tasks: task.id, jobs: job.id, labels: label.id },
      ...{ requests: request.id, auth: token.id, cloudstorages: cloud.id },
      files: await beginUpload(`/tasks/${task.id}/annotations/`),
      'projects/backup': await beginUpload('/projects/backup/'),
      'tasks/backup': await beginUpload('/tasks/backup/'),
      ...{ ...hooked.ids, ...reviewed.ids },
    },
    responses: [
      ...[project, task, job, annotations, request, token, cloud],
      ...[...hooked.responses, ...reviewed.responses],
    ],
  }
}

async function review(owner: ApiClient, name: string, { project, job }: Record<string, AnyJson>) {
  const pinned = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: `${name}-message` }
  const issue = await owner.done('POST', '/issues', { json: pinned })
  const [comment] = (await owner.done('GET', `/comments?issue_id=${issue.id}`)).results
  const json = { project_id: project.id, markdown: `${name}-guide` }
  const guide = await owner.done('POST', '/guides', { json })
  const form = assetForm(guide.id, await createImage(`${name}-asset.png`, 8, 8))
  const asset = await owner.done('POST', '/assets', { form })
  const ids = { issues: issue.id, comments: comment.id, guides: guide.id, assets: asset.uuid }
  return { ids, responses: [issue, comment, guide, asset] }
}

/** Creates a webhook without a listening receiver, so that failed deliveries exist. */
async function hook(owner: ApiClient, name: string, project: AnyJson) {
  const json = {
    ...{ type: 'project', project_id: project.id, events: 'update:project' },
    ...{ target_url: 'http://127.0.0.1:9/', description: `${name}-hook` },
  }
  const webhook = await owner.done('POST', '/webhooks', { json })
  await owner.done('PATCH', `/projects/${project.id}`, { json: { name: `${name}-project-two` } })
  for (const until = Date.now() + 30_000; Date.now() < until; ) {
    const { results } = await owner.done('GET', `/webhooks/${webhook.id}/deliveries`)
    const [delivery] = results
    if (delivery)
      return {
        ids: { webhooks: webhook.id, deliveries: delivery.id },
        responses: [webhook, delivery],
      }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('no delivery was tried')
}

/** Creates a client with an expired token. */
export async function expiredToken(reticle: ServerUnderTest, owner: ApiClient): Promise<ApiClient> {
  const json = { name: 'expired', read_only: false, expiry_date: '01/01/2020' }
  const { value } = await owner.done('POST', '/auth/access_tokens', { json })
  return createApiClient(`${reticle.url}/api`, `Token ${value}`)
}

/** Returns all whole numbers from `least` on that occur anywhere in the values. */
export function numbersIn(responses: AnyJson, least: number): number[] {
  if (typeof responses === 'number')
    return Number.isInteger(responses) && responses >= least ? [responses] : []
  if (typeof responses !== 'object' || responses === null) return []
  return Object.values(responses).flatMap((one) => numbersIn(one, least))
}

export const uploadForm = async () => formOf(await createImages(1))
