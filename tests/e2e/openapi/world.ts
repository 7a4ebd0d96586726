import { setTimeout as sleep } from 'node:timers/promises'
import { addPerson } from '@reticle/standalone/administrator'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, rectangle } from '../../support/factories.ts'
import { assetForm, createImages, formOf, type ImageFile } from '../../support/pictures.ts'
import type { ServerUnderTest } from '../../support/reticle.ts'
import { begin } from '../../support/tus.ts'
import type { Known } from './values.ts'

/** Callers. The calls use objects of `owner`; `other` belongs to another tenant. */
export const callers = ['owner', 'password', 'reader', 'other', 'admin', 'anonymous'] as const
export type FuzzCaller = (typeof callers)[number]

/** Users and objects of one lane. */
export interface FuzzWorld {
  /** Headers with the credentials of each caller. */
  credentials: Record<FuzzCaller, Record<string, string>>
  /** Objects of the owner, and values that belong to other users, by the names of their parameters. */
  own: Known
  foreign: Known
  /** Creates the owner's objects again. */
  renew: () => Promise<FuzzWorld>
}

const password = 'Blue-Kettle-42'
let people = 0

interface Person {
  username: string
  email: string
  basic: string
  api: ApiClient
}

async function newPerson(reticle: ServerUnderTest, role: 'user' | 'admin'): Promise<Person> {
  const username = `fuzz${process.pid}x${++people}`
  const email = `${username}@example.org`
  await addPerson(await reticle.people(), {
    ...{ username, email, password, role, is_email_verified: true },
  })
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  return { username, email, basic, api: createApiClient(`${reticle.url}/api`, basic) }
}

async function tokenOf({ api }: Person, read_only = false): Promise<AnyJson> {
  const json = { name: 'of the fuzzer', read_only }
  return api.done('POST', '/auth/access_tokens', { json })
}

/** Creates users and objects from scratch, since an earlier user may have been deleted. */
export const makeWorld = (reticle: ServerUnderTest): Promise<FuzzWorld> =>
  patiently(async () => fillWorld(reticle))

async function fillWorld(reticle: ServerUnderTest): Promise<FuzzWorld> {
  const [owner, other, admin] = [
    await newPerson(reticle, 'user'),
    await newPerson(reticle, 'user'),
    await newPerson(reticle, 'admin'),
  ]
  const by = async (person: Person, read_only = false) => {
    const { value } = await tokenOf(person, read_only)
    return { authorization: `Bearer ${value}` }
  }
  const files = await createImages(2)
  const ownThings = async () => ({
    ...(await thingsOf(owner, other, files)),
    ...words(other),
    access_token: [(await tokenOf(owner)).id],
  })
  const foreign = await thingsOf(other, owner, files)
  let renewals = 0
  const world: FuzzWorld = {
    credentials: {
      ...{ owner: await by(owner), reader: await by(owner, true), other: await by(other) },
      ...{ admin: await by(admin), password: { authorization: owner.basic }, anonymous: {} },
    },
    ...{ own: await ownThings(), foreign },
    renew: async () =>
      ++renewals < mostRenewals
        ? { ...world, own: await patiently(ownThings) }
        : makeWorld(reticle),
  }
  return world
}

/** Repeats a call that a busy server answers with 503. */
async function patiently<T>(make: () => Promise<T>): Promise<T> {
  for (let times = 1; ; times++) {
    try {
      return await make()
    } catch (thrown) {
      const isBusy = thrown instanceof Error && /: 503 |connection timeout/.test(thrown.message)
      if (!isBusy || times === 10) throw thrown
      await sleep(2000)
    }
  }
}

/** Limited, because the number of tokens of a user is limited. */
const mostRenewals = 25

/** Creates one object of every kind, with its related objects. */
async function thingsOf(person: Person, guest: Person, files: ImageFile[]): Promise<Known> {
  const { api } = person
  const drawn = await annotated(api, files)
  const { project, task, jobs } = drawn
  const job = jobs[0].id
  const issue = await api.done('POST', '/issues', {
    json: { job, frame: 0, position: [1, 2, 3, 4], message: 'look' },
  })
  const [comment] = (await api.done('GET', `/comments?issue_id=${issue.id}`)).results
  const json = { project_id: project.id, markdown: 'do it well' }
  const guide = await api.done('POST', '/guides', { json })
  const [file] = files
  const form = file && assetForm(guide.id, file)
  const asset = await api.done('POST', '/assets', { form })
  const target_url = 'http://127.0.0.1:9/'
  const webhook = await api.done('POST', '/webhooks', {
    json: { type: 'project', project_id: project.id, target_url, events: 'update:project' },
  })
  const delivery = await api.done('POST', `/webhooks/${webhook.id}/ping`)
  const empty = await api.done('POST', '/tasks', { json: { name: 'empty', labels: [] } })
  return {
    ...drawn.known,
    ...(await teamOf(api, guest)),
    task: [task.id, empty.id],
    ...{ issue: [issue.id], comment: [comment.id], guide: [guide.id], uuid: [asset.uuid] },
    ...{ webhook: [webhook.id], delivery: [delivery.id] },
    ...(await filesOf(api, {
      '/tasks/{id}/annotations': `/tasks/${task.id}/annotations/`,
      '/jobs/{id}/annotations': `/jobs/${job}/annotations/`,
      '/tasks/{id}/data': `/tasks/${empty.id}/data/`,
      '/projects/{id}/dataset': `/projects/${project.id}/dataset/`,
      '/projects/backup': '/projects/backup/',
      '/tasks/backup': '/tasks/backup/',
    })),
    user: [(await api.done('GET', '/users/self')).id],
  }
}

/** Starts uploads of ten bytes, each by the path of its endpoint. */
async function filesOf(api: ApiClient, collections: Record<string, string>): Promise<Known> {
  const known: Known = {}
  for (const [collection, path] of Object.entries(collections)) {
    const { status, headers, text } = await begin(api, path, { name: 'a.zip', length: 10 })
    const id = headers.get('location')?.split('/').at(-1)
    if (!id) throw new Error(`no file begins at ${path}: ${status} ${text}`)
    known[`${collection}/{file_id}`] = [id]
  }
  return known
}

/** Creates a project with an annotated task of two frames in two jobs, and one export. */
async function annotated(api: ApiClient, files: ImageFile[]) {
  const choice = { input_type: 'select', mutable: true, values: ['red'], default_value: 'red' }
  const labels = [{ name: 'car', attributes: [{ name: 'color', ...choice }] }, { name: 'plain' }]
  const project = await api.done('POST', '/projects', { json: { name: 'streets', labels } })
  const fields = { name: 'a task', project_id: project.id, segment_size: 1 }
  const task = await api.done('POST', '/tasks', { json: fields })
  const url = `/tasks/${task.id}`
  await api.finished(await api.done('POST', `${url}/data`, { form: formOf(files) }))
  const [car] = project.labels
  const shapes = [rectangle(car.id), rectangle(car.id, 1)]
  const set = await api.done('PUT', `${url}/annotations/`, { json: { shapes } })
  const { rq_id } = await api.done('POST', `${url}/dataset/export?format=COCO%201.0`)
  await api.finished({ rq_id })
  const jobs = await jobsOf(api, task.id)
  const ids = (records: AnyJson[]) => records.map(({ id }) => id)
  const known: Known = {
    ...{ project: [project.id], task: [task.id], job: ids(jobs), rq: [rq_id] },
    label: project.labels.flatMap(({ id }: AnyJson) => [id, String(id)]),
    ...{ attribute: ids(car.attributes), id: ids(set.shapes), revision: [1] },
  }
  return { project, task, jobs, known }
}

async function teamOf(api: ApiClient, guest: Person): Promise<Known> {
  const slug = `f${process.pid % 10_000}x${++people}`
  const { id } = await api.done('POST', '/organizations', { json: { slug } })
  const json = { email: guest.email, role: 'worker' }
  await api.done('POST', `/invitations?org=${slug}`, { json })
  const [{ key }] = (await api.done('GET', `/invitations?org=${slug}`)).results
  const members = (await api.done('GET', `/memberships?org=${slug}`)).results
  return {
    ...{ organization: [id], org: [slug], 'X-Organization': [slug], key: [key] },
    membership: members.map((one: AnyJson) => one.id),
  }
}

const newEmails = () =>
  Array.from({ length: 5 }, () => `fuzz${process.pid}y${++people}@example.org`)

/** Valid values for parameters whose schema is only a text or a number. */
const words = (guest: Person): Known => ({
  ...{ username: [guest.username], password: [password], email: [...newEmails(), guest.email] },
  format: ['COCO 1.0', 'YOLO 1.1', 'CVAT for images 1.1', 'Datumaro 1.0', 'none'],
  action: ['create', 'update', 'delete', 'download'],
  type: ['frame', 'rectangle', 'chunk', 'context_image', 'preview'],
  ...{
    quality: ['compressed', 'original'],
    location: ['local', 'local', 'local', 'cloud_storage'],
  },
  ...{ page: ['1', '2', 'last'], page_size: ['1', '100', 'all', 1, 100], wait: [0] },
  ...{ events: ['update:project', 'create:task,delete:task'], target_url: ['http://127.0.0.1:9/'] },
  ...{ points: [[1, 2, 30, 40]], position: [[1, 2, 3, 4]], elements: [[]], frame: [0, 1] },
  frames: ['0', '0-1', [0], [0, 1]],
  ...{ deleted_frames: [[], [0]], disabled_frames: [[], [0]], score: [1, 0.5], min_score: [0.5] },
  ...{ from: ['2026-01-01T00:00:00Z', 1], to: ['2126-01-01T00:00:00Z', 1] },
  ...{ timestamp: ['2026-01-01T00:00:00Z'], color: ['#ff0000'], 'Tus-Resumable': ['1.0.0'] },
  ...{ 'If-None-Match': ['*', '"x"'], 'If-Match': ['*', '"x"'], Prefer: ['handling=empty'] },
  ...{ Range: ['bytes=0-9', 'bytes=-5', 'bytes=999999999-'], 'Upload-Offset': ['0', '10'] },
  ...{ new_password1: ['Red-Kettle-43'], new_password2: ['Red-Kettle-43'] },
  ...{ password1: ['Red-Kettle-43'], password2: ['Red-Kettle-43'] },
})
