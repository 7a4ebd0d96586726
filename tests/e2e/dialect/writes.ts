import { randomUUID } from 'node:crypto'
import type { Operation } from '@reticle/contracts/api/operation'
import { bodies, queries } from '../../support/accepted.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import type { DialectCall } from './compare.ts'
import type { DialectWorld } from './world.ts'

/** Prepares the object of a change in the same way each time, and returns the call. */
type Prepare = (world: DialectWorld, api: ApiClient) => Promise<DialectCall> | DialectCall

const post = (path: string, json?: AnyJson): DialectCall => ({ method: 'POST', path, json })
const patch = (path: string, json: AnyJson): DialectCall => ({ method: 'PATCH', path, json })
const put = (path: string, json: AnyJson): DialectCall => ({ method: 'PUT', path, json })
const del = (path: string): DialectCall => ({ method: 'DELETE', path })

const labels = [{ name: 'car' }]
const made = (path: string, json: AnyJson, api: ApiClient) => api.done('POST', path, { json })
const newProject = (api: ApiClient) => made('/projects', { name: 'a project', labels }, api)
const newTask = (api: ApiClient) => made('/tasks', { name: 'a task', labels }, api)
const newName = () => `x${randomUUID().slice(0, 8)}`
const newOrganization = (api: ApiClient) => made('/organizations', { slug: newName() }, api)
const hookOf = ({ project, webhook }: DialectWorld) => ({
  ...{ target_url: webhook.target_url, type: 'project', project_id: project.id },
  events: ['create:task', 'update:task'],
})
const newHook = (world: DialectWorld, api: ApiClient) => made('/webhooks', hookOf(world), api)
const newIssue = ({ job }: DialectWorld, api: ApiClient) =>
  made('/issues', { job: job.id, frame: 0, position: [1, 2], message: 'x' }, api)
const newToken = (api: ApiClient) => made('/auth/access_tokens', { name: 'x' }, api)
const newGuide = async (api: ApiClient) =>
  made('/guides', { project_id: (await newProject(api)).id, markdown: 'x' }, api)

const until = '2099-12-31T10:20:30.000Z'
const ellipse = { type: 'ellipse', frame: 0, points: [30, 20, 40, 10] }

/** Waits for running requests, because a repeated call would return the same request. */
async function allEnded(api: ApiClient) {
  const { results } = await api.done('GET', '/requests')
  for (const { id } of results) await api.ended(id)
}

/** A body that is valid on both mounts. */
const box = ({ car }: DialectWorld) => ({
  shapes: [{ type: 'rectangle', frame: 0, label_id: car.id, points: [1, 2, 3, 4] }],
})
/** One shape of the job as it is stored. */
const oneShape = async ({ job }: DialectWorld, api: ApiClient) =>
  (await api.done('GET', `/jobs/${job.id}/annotations`)).shapes[0]

export const writes: Record<string, Prepare> = {
  login: () => post('/auth/login', { username: 'admin', password: 'a-password-for-tests' }),
  logout: () => post('/auth/logout'),
  register: () => {
    const password = 'a long enough password'
    return post('/auth/register', {
      ...{ username: newName(), email: `${newName()}@example.org` },
      ...{ password1: password, password2: password },
    })
  },
  updateUser: ({ user }) => patch(`/users/${user.id}`, { first_name: 'Ada' }),
  createAccessToken: () => post('/auth/access_tokens', { name: 'x', expiry_date: until }),
  updateAccessToken: async (_, api) =>
    patch(`/auth/access_tokens/${(await newToken(api)).id}`, { expiry_date: until }),
  deleteAccessToken: async (_, api) => del(`/auth/access_tokens/${(await newToken(api)).id}`),
  createOrganization: () => post('/organizations', { slug: newName() }),
  updateOrganization: async (_, api) =>
    patch(`/organizations/${(await newOrganization(api)).id}`, { name: 'x' }),
  deleteOrganization: async (_, api) => del(`/organizations/${(await newOrganization(api)).id}`),
  createInvitation: () =>
    post('/invitations?org=acme', { email: `${newName()}@example.org`, role: 'worker' }),
  createProject: () => post('/projects', { name: 'x', labels }),
  updateProject: async (_, api) => patch(`/projects/${(await newProject(api)).id}`, { name: 'y' }),
  deleteProject: async (_, api) => del(`/projects/${(await newProject(api)).id}`),
  updateLabel: ({ car }) => patch(`/labels/${car.id}`, { color: '#112233' }),
  createTask: () => post('/tasks', { name: 'x', labels }),
  updateTask: async (_, api) => patch(`/tasks/${(await newTask(api)).id}`, { name: 'y' }),
  deleteTask: async (_, api) => del(`/tasks/${(await newTask(api)).id}`),
  updateTaskValidationLayout: ({ task }) =>
    patch(`/tasks/${task.id}/validation_layout`, { disabled_frames: [] }),
  updateJob: ({ job }) => patch(`/jobs/${job.id}`, { assignee: null, stage: 'annotation' }),
  createIssue: ({ job }) =>
    post('/issues', { job: job.id, frame: 0, position: [1, 2], message: 'x' }),
  updateIssue: async (world, api) =>
    patch(`/issues/${(await newIssue(world, api)).id}`, { resolved: true }),
  deleteIssue: async (world, api) => del(`/issues/${(await newIssue(world, api)).id}`),
  createComment: ({ issue }) => post('/comments', { issue: issue.id, message: 'x' }),
  updateComment: ({ comment }) => patch(`/comments/${comment.id}`, { message: 'y' }),
  createGuide: async (_, api) =>
    post('/guides', { project_id: (await newProject(api)).id, markdown: 'x' }),
  updateGuide: async (_, api) => patch(`/guides/${(await newGuide(api)).id}`, { markdown: 'y' }),
  deleteGuide: async (_, api) => del(`/guides/${(await newGuide(api)).id}`),
  updateTaskDataMeta: ({ task }) => patch(`/tasks/${task.id}/data/meta`, { deleted_frames: [5] }),
  updateJobDataMeta: ({ job }) => patch(`/jobs/${job.id}/data/meta`, { deleted_frames: [] }),
  replaceTaskAnnotations: (world) => put(`/tasks/${world.task.id}/annotations/`, box(world)),
  replaceJobAnnotations: (world) =>
    put(`/jobs/${world.job.id}/annotations/`, {
      shapes: [{ ...ellipse, label_id: world.car.id }],
    }),
  updateTaskAnnotations: (world) =>
    patch(`/tasks/${world.task.id}/annotations/?action=create`, box(world)),
  updateJobAnnotations: async (world, api) => {
    await api.done('PUT', `/jobs/${world.job.id}/annotations`, {
      json: { shapes: [{ ...box(world).shapes[0], group: 4 }] },
    })
    const { id, type, frame, label_id, points } = await oneShape(world, api)
    const path = `/jobs/${world.job.id}/annotations/?action=update`
    return patch(path, { shapes: [{ id, type, frame, label_id, points }] })
  },
  deleteTaskAnnotations: ({ task }) => del(`/tasks/${task.id}/annotations/`),
  deleteJobAnnotations: ({ job }) => del(`/jobs/${job.id}/annotations/`),
  restoreJobRevision: ({ job }) => post(`/jobs/${job.id}/annotations/revisions/2/restore`),
  exportTaskDataset: async ({ task }, api) => {
    await allEnded(api)
    return post(`/tasks/${task.id}/dataset/export?format=CVAT%20for%20video%201.1`)
  },
  exportTaskBackup: async ({ task }, api) => {
    await allEnded(api)
    return post(`/tasks/${task.id}/backup/export`)
  },
  exportEvents: () => post('/events/export'),
  cancelRequest: ({ results }) => post(`/requests/${results.task}/cancel`),
  createWebhook: (world) => post('/webhooks', hookOf(world)),
  updateWebhook: async (world, api) =>
    patch(`/webhooks/${(await newHook(world, api)).id}`, { description: 'x' }),
  replaceWebhook: async (world, api) =>
    put(`/webhooks/${(await newHook(world, api)).id}`, hookOf(world)),
  deleteWebhook: async (world, api) => del(`/webhooks/${(await newHook(world, api)).id}`),
  pingWebhook: async (world, api) => post(`/webhooks/${(await newHook(world, api)).id}/ping`),
  rotateWebhookSecret: async (world, api) =>
    post(`/webhooks/${(await newHook(world, api)).id}/rotate_secret`, { secret: 'y' }),
  recordEvents: () =>
    post('/events', {
      timestamp: '2026-03-01T10:00:00Z',
      events: [{ scope: 'send:exception', timestamp: '2026-03-01T10:00:00Z' }],
    }),
}

const noAsset = '00000000-0000-4000-8000-000000000000'

/** Returns a call on an id that does not exist, which both mounts refuse alike. */
export function refusedCall({ name, method, path }: Operation): DialectCall {
  const filled = path
    .replace(':key', 'k'.repeat(64))
    .replace(':uuid', noAsset)
    .replace(/:\w+/g, '999999999')
  const json = bodies[name]
  return { method: String(method), path: filled + (queries[name] ?? ''), json }
}
