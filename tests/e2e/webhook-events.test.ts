import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AnyJson, ApiClient } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import { createUserFactory, type TestOrganization } from '../support/people.ts'
import { annotationFile, datasetFile } from '../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/**
 * Every event of the catalogue, caused by calls and received by a webhook of the organization and one of the project.
 * See docs/spec/webhooks.md#events.
 */

const receiver = await startReceiver()
let reticle: ServerUnderTest
let api: ApiClient
let acme: TestOrganization
let project: AnyJson
let task: AnyJson
const hooks: Record<string, AnyJson> = {}
const { newOrganization, newPerson, newMember } = createUserFactory(() => reticle)

const namesOf = (type: 'organization' | 'project') =>
  Object.keys(webhookEvents).filter((name) => webhookEvents[name]?.includes(type))
const addHook = (type: 'organization' | 'project'): Promise<AnyJson> =>
  api.done('POST', `/webhooks?org=${acme.slug}`, {
    json: {
      ...{ type, target_url: `${receiver.url}/${type}`, events: namesOf(type) },
      ...(type === 'project' && { project_id: project.id }),
    },
  })

beforeAll(async () => {
  reticle = await shareReticle()
  acme = await newOrganization()
  api = acme.owner.api
  hooks.organization = await addHook('organization')
  const json = { name: 'streets', labels: [{ name: 'car' }] }
  project = await api.done('POST', `/projects?org=${acme.slug}`, { json })
  hooks.project = await addHook('project')
}, 60_000)
afterAll(async () => {
  await receiver.close()
})

const messagesOf = (type: string): AnyJson[] =>
  receiver.received
    .filter((got) => got.path === `/${type}`)
    .map(({ body }) => JSON.parse(body.toString()))
const last = (type: string, event: string): AnyJson =>
  messagesOf(type).findLast((payload) => payload.event === event)

/** Waits until a webhook has received these events, among others. */
const waitForEvents = (type: string, ...events: string[]) =>
  vi.waitFor(
    () =>
      expect(messagesOf(type).map(({ event }) => event)).toEqual(expect.arrayContaining(events)),
    { timeout: 60_000, interval: 20 },
  )
const waitForBoth = async (...events: string[]) => {
  for (const type of ['organization', 'project']) await waitForEvents(type, ...events)
}

describe('events of actions', () => {
  test('changes of projects send events', async () => {
    await waitForEvents('organization', 'create:project')
    expect(last('organization', 'create:project').project).toMatchObject({
      ...{ id: project.id, url: project.url, name: 'streets', organization: acme.id },
    })
    await api.done('PATCH', `/projects/${project.id}`, { json: { name: 'lanes' } })
    await waitForBoth('update:project')
    expect(last('project', 'update:project')).toMatchObject({
      before_update: { name: 'streets', updated_date: project.updated_date },
      changes: { name: { from: 'streets', to: 'lanes' } },
      sender: { id: acme.owner.id, username: acme.owner.username },
    })
  })

  test('changes of tasks and jobs, and their requests, send events', async () => {
    task = await taskWithMedia(api, { project_id: project.id })
    const [job] = await jobsOf(api, task.id)
    await waitForBoth('create:task', 'create:job', 'update:task', 'completed:request[create:task]')
    await api.done('PATCH', `/jobs/${job?.id}`, { json: { state: 'in progress' } })
    await waitForBoth('update:job')
    expect(last('project', 'update:job')).toMatchObject({
      ...{ job: { id: job?.id, state: 'in progress' }, before_update: { state: 'new' } },
    })
  })

  test('changes of annotations send updates of their job and task', async () => {
    const [label] = (await api.done('GET', `/labels?project_id=${project.id}`)).results
    const json = { shapes: [rectangle(label.id), rectangle(label.id, 1)], tags: [], tracks: [] }
    await api.done('PATCH', `/tasks/${task.id}/annotations/?action=create`, { json })
    await vi.waitFor(
      () =>
        expect(last('project', 'update:job').annotations).toMatchObject({
          ...{ action: 'create', shapes: 2, tags: 0, tracks: 0 },
        }),
      { timeout: 60_000 },
    )
    expect(last('project', 'update:job').before_update).toHaveProperty('updated_date')
  })

  test('changes of issues and comments send events', async () => {
    const [job] = await jobsOf(api, task.id)
    const issueFields = { job: job?.id, frame: 0, position: [1, 2], message: 'look' }
    const issue = await api.done('POST', '/issues', { json: issueFields })
    const commentFields = { issue: issue.id, message: 'seen' }
    const comment = await api.done('POST', '/comments', { json: commentFields })
    await api.done('PATCH', `/comments/${comment.id}`, { json: { message: 'mended' } })
    await api.done('PATCH', `/issues/${issue.id}`, { json: { resolved: true } })
    await api.done('DELETE', `/comments/${comment.id}`)
    await api.done('DELETE', `/issues/${issue.id}`)
    const verbs = ['create', 'update', 'delete']
    await waitForBoth(...verbs.flatMap((verb) => [`${verb}:issue`, `${verb}:comment`]))
    expect(last('project', 'update:issue').before_update).toMatchObject({ resolved: false })
    expect(last('project', 'update:comment').before_update).toMatchObject({ message: 'seen' })
    expect(last('project', 'create:comment').comment).toMatchObject({ id: comment.id })
  })

  test('exports and imports send events', async () => {
    const format = 'format=COCO%201.0'
    const started = (method: string, url: string, form?: FormData) =>
      api.done(method, url, form && { form }).then(api.finished)
    const { result_url } = await started('POST', `/tasks/${task.id}/dataset/export?${format}`)
    await started('POST', `/tasks/${task.id}/dataset/export?${format}&save_images=true`)
    await started('POST', `/tasks/${task.id}/backup/export`)
    const { bytes } = await api.bytes(result_url)
    const file = annotationFile(bytes, 'set.zip')
    await started('POST', `/tasks/${task.id}/annotations/?${format}`, file)
    const whole = await started(
      'POST',
      `/projects/${project.id}/dataset/export?${format}&save_images=true`,
    )
    const { bytes: images } = await api.bytes(whole.result_url)
    await started('POST', `/projects/${project.id}/dataset/?${format}`, datasetFile(images))
    const types = ['export:annotations', 'export:dataset', 'export:backup']
    const more = ['import:annotations', 'import:dataset']
    await waitForBoth(...[...types, ...more].map((type) => `completed:request[${type}]`))
    const { request, sender } = last('project', 'completed:request[import:annotations]')
    expect(request).toMatchObject({ status: 'finished', operation: { task_id: task.id } })
    expect(sender).toBeUndefined()
  }, 60_000)

  test('changes of members and invitations send events', async () => {
    const member = await newMember(acme, 'worker')
    await api.done('PATCH', `/memberships/${member.membership}`, { json: { role: 'supervisor' } })
    await api.done('DELETE', `/memberships/${member.membership}`)
    const invited = { email: `nobody-${process.pid}@example.org`, role: 'worker' }
    const { key } = await api.done('POST', `/invitations?org=${acme.slug}`, { json: invited })
    await api.done('DELETE', `/invitations/${key}`)
    await waitForEvents(
      'organization',
      'create:membership',
      'update:membership',
      'delete:membership',
    )
    await waitForEvents('organization', 'create:invitation', 'delete:invitation')
    expect(last('organization', 'update:membership')).toMatchObject({
      membership: { id: member.membership, role: 'supervisor' },
      before_update: { role: 'worker' },
    })
    expect(JSON.stringify(messagesOf('organization'))).not.toContain(key)
  })

  test('deletions send events, and the one of the organization comes last', async () => {
    await api.done('PATCH', `/organizations/${acme.id}`, { json: { name: 'Acme' } })
    await waitForEvents('organization', 'update:organization')
    await api.done('DELETE', `/tasks/${task.id}`)
    await waitForBoth('delete:task', 'delete:job')
    expect(last('project', 'delete:task').task).toMatchObject({ id: task.id, name: task.name })
    await api.done('DELETE', `/projects/${project.id}`)
    await waitForBoth('delete:project')
    await api.done('DELETE', `/organizations/${acme.id}`)
    await waitForEvents('organization', 'delete:organization')
  })
})

describe.each(['organization', 'project'] as const)('a webhook of type %s', (type) => {
  test('it received every event of its type', () => {
    const seen = new Set(messagesOf(type).map(({ event }) => event))
    expect([...seen].sort()).toEqual(namesOf(type).sort())
  })

  test('it received each message once, with sequence numbers without gaps', async () => {
    await vi.waitFor(() => {
      const sequences = messagesOf(type).map(({ webhook_sequence }) => webhook_sequence)
      expect(sequences.toSorted((a, b) => a - b)).toEqual(sequences.map((_, at) => at + 1))
    }, 10_000)
    const ids = messagesOf(type).map(({ delivery_id }) => delivery_id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('each payload has the record, the sender, and the old values of an update', () => {
    for (const payload of messagesOf(type)) {
      const { event, before_update } = payload
      const [verb = '', resource = ''] = event.replace(/\[.*/, '').split(':')
      expect([event, payload.webhook_id]).toEqual([event, hooks[type]?.id])
      expect([event, Object.keys(payload[resource] ?? {}).length]).not.toEqual([event, 0])
      expect([event, 'sender' in payload]).toEqual([event, verb !== 'completed'])
      expect([event, before_update !== undefined]).toEqual([event, verb === 'update'])
      const unchanged = Object.entries(before_update ?? {}).filter(([key, old]) =>
        same(payload[resource][key], old),
      )
      expect([event, unchanged]).toEqual([event, []])
    }
  })
})

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

test('a user outside of the organization sees none of its webhooks', async () => {
  const other = await newPerson()
  const { results } = await other.api.done('GET', '/webhooks?page_size=100')
  expect(results).toEqual([])
})
