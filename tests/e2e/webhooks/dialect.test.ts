import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { type Listener, resourceOf, startListener } from '../../support/listener.ts'
import { basicOf, createUserFactory } from '../../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Webhooks that were created on the mount `/as/cvat` send what CVAT sends (`docs/spec/dialect.md`). */

const { newOrganization, newPerson } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let api: ApiClient
let mount: ApiClient
let hook: AnyJson
let sender: AnyJson
let slug: string

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  const acme = await newOrganization()
  const { id, username } = acme.owner
  slug = acme.slug
  api = acme.owner.api
  mount = createApiClient(`${reticle.url}/as/cvat/api`, basicOf(username))
  hook = await listener.ofOrganization(mount, 'there', acme)
  const url = `${reticle.url}/as/cvat/api/users/${id}`
  sender = { url, id, username, first_name: '', last_name: '' }
}, 60_000)
afterAll(async () => {
  await listener.close()
})

const post = (url: string, json: object) => mount.done('POST', url, { json })
const patch = (url: string, json: object) => mount.done('PATCH', url, { json })

/** Does something on the mount, and compares the whole payload of this event with what the mount returns. */
async function expectPayload(
  event: string,
  url: string | ((answer: AnyJson) => string),
  act: () => Promise<AnyJson>,
) {
  const isNew = event.startsWith('create:')
  const before = isNew ? undefined : await mount.done('GET', String(url))
  const from = listener.listReceived('there').length
  const answer = await act()
  const payload = await vi.waitFor(() => {
    const found = listener
      .listReceived('there')
      .find((one, nth) => nth >= from && one.event === event)
    return found ?? expect.fail(`no ${event} was sent`)
  }, 20_000)
  const isGone = event.startsWith('delete:')
  const read = () => mount.done('GET', typeof url === 'function' ? url(answer) : url)
  const { key, ...record } = isGone ? before : await read()
  expect(payload).toEqual({
    ...{ event, webhook_id: hook.id, [resourceOf(event)]: record, sender },
    ...(!isNew && !isGone && { before_update: oldValues(before, record) }),
  })
  return answer
}

function oldValues(before: AnyJson, after: AnyJson) {
  const changed = Object.keys(after).filter(
    (name) => name !== 'labels' && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, before[name]]))
}

describe('payloads have the records of the mount', () => {
  let project: AnyJson
  let task: AnyJson

  test('of a project', async () => {
    const json = { name: 'streets', labels: [{ name: 'car' }] }
    project = await expectPayload(
      'create:project',
      ({ id }) => `/projects/${id}`,
      () => post(`/projects?org=${slug}`, json),
    )
    const url = `/projects/${project.id}`
    await expectPayload('update:project', url, () => patch(url, { name: 'lanes' }))
  })

  test('of a task', async () => {
    task = await expectPayload(
      'create:task',
      ({ id }) => `/tasks/${id}`,
      () => post('/tasks', { name: 'batch', project_id: project.id }),
    )
    expect(task.status).toBe('annotation')
    const url = `/tasks/${task.id}`
    await expectPayload('update:task', url, () => patch(url, { subset: 'train' }))
    await expectPayload('delete:task', url, () => mount.done('DELETE', url))
  })

  test('of a job, its issue and a comment', async () => {
    const { id } = await taskWithMedia(mount, { project_id: project.id })
    await listener.until('there', 'create:job')
    const [job] = await jobsOf(mount, id)
    const url = `/jobs/${job?.id}`
    await expectPayload('update:job', url, () => patch(url, { state: 'in progress' }))
    const json = { job: job?.id, frame: 0, position: [1, 2, 3, 4], message: 'here' }
    const urlOf = ({ id }: AnyJson) => `/issues/${id}`
    const issue = await expectPayload('create:issue', urlOf, () => post('/issues', json))
    await expectPayload('update:issue', urlOf(issue), () => patch(urlOf(issue), { resolved: true }))
    await expectPayload(
      'create:comment',
      ({ id }) => `/comments/${id}`,
      () => post('/comments', { issue: issue.id, message: 'there' }),
    )
  })

  test('of an invitation, without its key', async () => {
    const { email } = await newPerson()
    const json = { email, role: 'worker' }
    await expectPayload(
      'create:invitation',
      ({ key }) => `/invitations/${key}`,
      () => post(`/invitations?org=${slug}`, json),
    )
  })

  test('of the webhook, for a ping', async () => {
    const delivery = await mount.done('POST', `/webhooks/${hook.id}/ping`)
    const webhook = await mount.done('GET', `/webhooks/${hook.id}`)
    const { last_status, last_delivery_date, ...known } = delivery.request.webhook
    expect(webhook).toMatchObject(known)
    expect(Object.keys(delivery.request).sort()).toEqual(['event', 'sender', 'webhook'])
    expect(listener.listReceived('there')).toContainEqual(delivery.request)
    expect(typeof delivery.response).toBe('string')
  })

  test('until the dialect is changed', async () => {
    expect(hook).not.toHaveProperty('dialect')
    expect(await api.done('GET', `/webhooks/${hook.id}`)).toMatchObject({ dialect: 'cvat' })
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { dialect: 'service' } })
    const { id } = await post(`/projects?org=${slug}`, { name: 'last' })
    const created = () =>
      listener
        .listReceived('there')
        .find((one) => one.event === 'create:project' && one.project.id === id)
    await vi.waitFor(() => expect(created()).toBeDefined(), 60_000)
    expect(created()).toMatchObject({
      project: { url: `${reticle.url}/api/projects/${id}`, labels: [], revision: 1 },
      webhook_sequence: expect.any(Number),
      sender: { email: expect.any(String) },
    })
  })
})
