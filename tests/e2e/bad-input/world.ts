import { setTimeout as sleep } from 'node:timers/promises'
import { addPerson } from '@reticle/standalone/administrator'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import type { Reticle } from '../../support/reticle.ts'
import { begin } from '../../support/tus.ts'
import type { BadInputCaller, BadInputIds } from './row.ts'

/** Users and objects that the calls of the matrix use. */
export interface BadInputWorld {
  ids: BadInputIds
  api: string
  /** Headers with the credentials of each caller. */
  headers: Record<BadInputCaller, Record<string, string>>
  admin: ApiClient
  /** Time at which the world was complete. */
  from: string
  /**
   * State that a wrong call might have changed, as an administrator sees it: everything, or the collections that
   * concern a path.
   */
  look: (path?: string) => Promise<Record<string, string>>
}

const password = 'a-password-of-some-length'
const basic = (name: string) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

export async function makeWorld(reticle: Reticle): Promise<BadInputWorld> {
  const api = `${reticle.url}/api`
  const people = await reticle.people()
  for (const username of ['anna', 'bo', 'mo', 'left'])
    await addPerson(people, {
      ...{ username, password, email: `${username}@example.org`, role: 'user' },
    })
  const { admin } = reticle
  const headers = await callersOf(api, admin)
  const ids = await fill(createApiClient(api, headers.anna.authorization), headers)
  await sleep(5) // separates the following events from the earlier ones
  const from = new Date().toISOString()
  return { api, ids, headers, admin, from, look: (path) => look(admin, ids, path) }
}

async function callersOf(api: string, admin: ApiClient): Promise<BadInputWorld['headers']> {
  const tokenOf = async (name: string, fields: object = {}) => {
    const json = { name: 'of the tests', read_only: false, ...fields }
    return createApiClient(api, basic(name)).done('POST', '/auth/access_tokens', { json })
  }
  const byToken = ({ value }: { value: string }) => ({ authorization: `Token ${value}` })
  const revoked = await tokenOf('anna')
  await createApiClient(api, basic('anna')).done('DELETE', `/auth/access_tokens/${revoked.id}`)
  const left = await tokenOf('left')
  const [{ id }] = (await admin.done('GET', '/users?username=left')).results
  await admin.done('PATCH', `/users/${id}`, { json: { is_active: false } })
  return {
    anna: byToken(await tokenOf('anna', { name: 'token of anna' })),
    bo: byToken(await tokenOf('bo')),
    mo: byToken(await tokenOf('mo')),
    reader: byToken(await tokenOf('anna', { read_only: true })),
    expired: byToken(await tokenOf('anna', { expiry_date: '01/01/2000' })),
    revoked: byToken(revoked),
    left: byToken(left),
    password: { authorization: basic('anna') },
    browser: await browserOf(api),
    anonymous: {},
  }
}

async function browserOf(api: string): Promise<Record<string, string>> {
  const json = { username: 'anna', password }
  const answer = await createApiClient(api).call('POST', '/auth/login', { json })
  const cookies = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '')
  const csrf = cookies.find((one) => one.startsWith('csrftoken='))?.split('=')[1] ?? ''
  return { cookie: cookies.join('; '), 'x-csrftoken': csrf }
}

async function fill(anna: ApiClient, headers: BadInputWorld['headers']): Promise<BadInputIds> {
  const { api } = anna
  const bo = createApiClient(api, headers.bo.authorization)
  const labels = [{ name: 'car' }]
  const attributes = [
    { name: 'color', input_type: 'select', mutable: true, values: ['red'], default_value: 'red' },
  ]
  const own = [
    { name: 'car', attributes },
    { name: 'outline', type: 'polygon' },
  ]
  const project = await anna.done('POST', '/projects', { json: { name: 'streets', labels: own } })
  const spare = await anna.done('POST', '/projects', { json: { name: 'spare' } })
  const other = await bo.done('POST', '/projects', { json: { name: 'of bo', labels } })
  const task = await taskWithMedia(anna, { project_id: project.id, segment_size: 2 })
  const [job, otherJob] = await jobsOf(anna, task.id)
  const [car, outline] = project.labels
  const { shapes } = await anna.done('PUT', `/tasks/${task.id}/annotations/`, {
    json: { shapes: [rectangle(car.id), rectangle(car.id, 2)] },
  })
  const [shape, otherShape] = shapes
  const emptyTask = await anna.done('POST', '/tasks', {
    json: { name: 'empty', project_id: project.id },
  })
  const pinned = { job: job.id, frame: 0, position: [1, 2, 3, 4], message: 'look' }
  const issue = await anna.done('POST', '/issues', { json: pinned })
  const [comment] = (await anna.done('GET', `/comments?issue_id=${issue.id}`)).results
  const json = { project_id: project.id, markdown: 'do it well' }
  const guide = await anna.done('POST', '/guides', { json })
  const webhook = await anna.done('POST', '/webhooks', {
    json: {
      ...{ type: 'project', project_id: project.id },
      ...{ target_url: 'http://127.0.0.1:9/', events: 'update:project' },
    },
  })
  const sent = { name: 'a.json', length: 10 }
  const file = await begin(anna, `/tasks/${task.id}/annotations/`, sent)
  return {
    file: String(file.headers.get('upload-filename')),
    ...(await team(anna, createApiClient(api, headers.bo.authorization))),
    ...{ shape: shape.id, otherShape: otherShape.id, otherJob: otherJob.id },
    ...{ outline: outline.id, color: car.attributes[0].id, emptyTask: emptyTask.id },
    goneJob: await goneJob(anna, project.id),
    ...{ project: project.id, spare: spare.id, task: task.id, job: job.id },
    ...{ label: project.labels[0].id, otherLabel: other.labels[0].id },
    ...{ issue: issue.id, comment: comment.id, guide: guide.id, webhook: webhook.id },
    token: (await anna.done('GET', '/auth/access_tokens/self')).id,
    bo: (await bo.done('GET', '/users/self')).id,
  }
}

/** Returns the id of a job whose task was deleted. */
async function goneJob(anna: ApiClient, project_id: number): Promise<number> {
  const task = await taskWithMedia(anna, { project_id })
  const [job] = await jobsOf(anna, task.id)
  await anna.done('DELETE', `/tasks/${task.id}`)
  return job.id
}

/** Creates `acme` of anna, with mo as maintainer and a pending invitation, and `other` of bo. */
async function team(anna: ApiClient, bo: ApiClient): Promise<BadInputIds> {
  const organization = await anna.done('POST', '/organizations', { json: { slug: 'acme' } })
  await bo.done('POST', '/organizations', { json: { slug: 'other' } })
  for (const [email, role] of [
    ['mo@example.org', 'maintainer'],
    ['waiting@example.org', 'worker'],
  ])
    await anna.done('POST', '/invitations?org=acme', { json: { email, role } })
  const memberships = (await anna.done('GET', '/memberships?org=acme&role=owner')).results
  return { organization: organization.id, membership: memberships[0].id }
}

const collections = [
  ...['projects', 'tasks', 'jobs', 'labels', 'issues', 'comments', 'webhooks', 'requests'],
  ...['organizations', 'memberships', 'invitations', 'users'],
]

async function look(admin: ApiClient, ids: BadInputIds, concerned?: string) {
  const paths = [
    ...collections.map((name) => `/${name}?page_size=all`),
    ...[`/guides/${ids.guide}`, `/tasks/${ids.task}/annotations/`, `/tasks/${ids.task}/data/meta`],
  ].filter((path) => concerned === undefined || isAlike(path, concerned))
  const seen = await Promise.all(
    paths.map(
      async (path) => [path, JSON.stringify(await admin.done('GET', path), lasting)] as const,
    ),
  )
  return Object.fromEntries(seen)
}

/** Everything is part of a project, so projects are always compared. */
function isAlike(path: string, concerned: string): boolean {
  const [, first] = concerned.split(/[/?]/)
  return path.startsWith('/projects') || path.startsWith(`/${first}`)
}

/** The date of the last sign-in changes with every call. */
const lasting = (key: string, value: AnyJson) => (key === 'last_login' ? undefined : value)
