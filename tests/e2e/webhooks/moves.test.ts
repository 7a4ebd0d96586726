import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { eventsIn, type Listener, startListener } from '../../support/listener.ts'
import { expectExact, senderOf, waitForProjectDate } from '../../support/payload-check.ts'
import { createUserFactory, type TestOrganization } from '../../support/people.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Events of moves to another organization, and of cascading deletions. See docs/spec/webhooks.md#completeness. */

const { newOrganization, newPerson } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let api: ApiClient
let sender: AnyJson
let from: TestOrganization
let to: TestOrganization
/** Name of the webhook of the project made by the last test; each project has its own name. */
let own: string
let count = 0

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  from = await newOrganization()
  api = from.owner.api
  const json = { slug: `to${process.pid}x${Date.now() % 100_000}` }
  const { id, slug } = await api.done('POST', '/organizations', { json })
  to = { id, slug, owner: from.owner }
  sender = await senderOf(api, from.owner.id)
  await listener.ofOrganization(api, 'from', from)
  await listener.ofOrganization(api, 'to', to)
}, 60_000)
beforeEach(() => {
  own = `own${++count}`
})
afterAll(async () => {
  await listener.close()
})

const labels = [{ name: 'car' }]
async function addProject(): Promise<AnyJson> {
  const json = { name: 'moving', labels, assignee_id: from.owner.id }
  const project = await api.done('POST', `/projects?org=${from.slug}`, { json })
  await listener.take('from', 1)
  await listener.ofProject(api, own, project.id)
  return project
}
async function addTask(project_id: number): Promise<{ task: AnyJson; jobs: AnyJson[] }> {
  const task = await taskWithMedia(api, { project_id, segment_size: 2 })
  for (const name of ['from', own]) await listener.take(name, 5) // the project, a task and two jobs
  await waitForProjectDate(api, project_id)
  return { task, jobs: await jobsOf(api, task.id) }
}
const recordsOf = async (...urls: string[]): Promise<AnyJson[]> => {
  const records: AnyJson[] = []
  for (const url of urls) records.push(await api.done('GET', url))
  return records
}
const urlOf = (resource: string, { id }: AnyJson) => `/${resource}s/${id}`

/** Waits for the messages of a webhook, and checks that there are no others. */
async function expectMessages(
  name: string,
  states: [event: string, before?: AnyJson, after?: AnyJson][],
) {
  const payloads = await listener.take(name, states.length)
  expect([name, eventsIn(payloads).sort()]).toEqual([name, states.map(([event]) => event).sort()])
  for (const [event, before, after] of states)
    expectExact(payloads, event, { before, after, sender })
}

describe('moves to another organization', () => {
  test('a moved project sends delete events to the old, create events to the new organization', async () => {
    const project = await addProject()
    const { task, jobs } = await addTask(project.id)
    await api.done('PATCH', `/jobs/${jobs[0].id}`, { json: { assignee: from.owner.id } })
    for (const name of ['from', own]) await listener.take(name, 1)
    const parts = [
      ['project', project],
      ['task', task],
      ['job', jobs[0]],
      ['job', jobs[1]],
    ] as const
    const urls = parts.map(([resource, record]) => urlOf(resource, record))
    const before = await recordsOf(...urls)
    await api.done('PATCH', urls[0] ?? '', { json: { organization_id: to.id } })
    const after = await recordsOf(...urls)
    const each = (stateOf: (resource: string, at: number) => [string, AnyJson?, AnyJson?]) =>
      parts.map(([resource], at) => stateOf(resource, at))
    await expectMessages(
      'from',
      each((one, at) => [`delete:${one}`, before[at]]),
    )
    await expectMessages(
      'to',
      each((one, at) => [`create:${one}`, undefined, after[at]]),
    )
    await expectMessages(
      own,
      each((one, at) => [`update:${one}`, before[at], after[at]]),
    )

    await api.done('PATCH', urls[0] ?? '', { json: { name: 'there' } })
    const [renamed] = await recordsOf(urls[0] ?? '')
    await expectMessages('to', [['update:project', after[0], renamed]])
    await expectMessages(own, [['update:project', after[0], renamed]])
  })

  test('a task without a project moves to another organization, to a personal workspace and back', async () => {
    const json = { name: 'alone', labels }
    const { id } = await api.done('POST', `/tasks?org=${from.slug}`, { json })
    const url = `/tasks/${id}`
    const [first] = await recordsOf(url)
    await expectMessages('from', [['create:task', undefined, first]])
    const move = async (organization_id: number | null) => {
      await api.done('PATCH', url, { json: { organization_id } })
      return (await recordsOf(url))[0]
    }
    const there = await move(to.id)
    await expectMessages('from', [['delete:task', first]])
    await expectMessages('to', [['create:task', undefined, there]])
    const personal = await move(null)
    await expectMessages('to', [['delete:task', there]])
    await api.done('PATCH', url, { json: { name: 'mine' } })
    const back = await move(from.id)
    expect([personal.organization, back.name]).toEqual([null, 'mine'])
    await expectMessages('from', [['create:task', undefined, back]])
  })
})

describe('cascading deletions', () => {
  /** Adds objects of a task that have events, but none when they are deleted with the task. */
  async function addIssue(job: AnyJson) {
    const json = { job: job.id, frame: job.start_frame, position: [1, 2], message: 'look' }
    await api.done('POST', '/issues', { json })
    for (const name of ['from', own]) await listener.take(name, 2)
  }

  test('a deleted task sends events for its jobs, but not for issues, comments and annotations', async () => {
    const project = await addProject()
    const { task, jobs } = await addTask(project.id)
    await addIssue(jobs[0])
    const json = { tags: [], shapes: [rectangle(project.labels[0].id, 2)], tracks: [] }
    await api.done('PATCH', `/jobs/${jobs[1].id}/annotations/?action=create`, { json })
    for (const name of ['from', own]) await listener.take(name, 2)
    const [url = '', ...ofJobs] = [urlOf('task', task), ...jobs.map((one) => urlOf('job', one))]
    const [deleted, ...parts] = await recordsOf(url, ...ofJobs)
    await api.done('DELETE', url)
    for (const name of ['from', own])
      await expectMessages(name, [
        ['delete:task', deleted],
        ...parts.map((one): [string, AnyJson] => ['delete:job', one]),
      ])
  })

  test('a deleted project sends events for its tasks and jobs', async () => {
    const project = await addProject()
    const [one, other] = [await addTask(project.id), await addTask(project.id)]
    await addIssue(one.jobs[0])
    const parts = [one, other].flatMap(({ task, jobs }): [string, AnyJson][] => [
      ['task', task],
      ...jobs.map((job): [string, AnyJson] => ['job', job]),
    ])
    const url = urlOf('project', project)
    const [deleted, ...records] = await recordsOf(
      url,
      ...parts.map(([resource, record]) => urlOf(resource, record)),
    )
    await api.done('DELETE', url)
    for (const name of ['from', own])
      await expectMessages(name, [
        ['delete:project', deleted],
        ...parts.map(([resource], at): [string, AnyJson] => [`delete:${resource}`, records[at]]),
      ])
  })

  test('moves and deletions of more than 1,000 objects send an event for the top object only', async () => {
    const project = await addProject()
    const [one, other] = [await addThousandJobs(project.id), await addThousandJobs(project.id)]
    const ofProject = urlOf('project', project)
    const [before] = await recordsOf(ofProject)
    await api.done('PATCH', ofProject, { json: { organization_id: to.id } })
    const [after, deleted] = await recordsOf(ofProject, urlOf('task', one))
    await expectMessages('from', [['delete:project', before]])
    await expectMessages('to', [['create:project', undefined, after]])
    await expectMessages(own, [['update:project', before, after]])
    await api.done('DELETE', urlOf('task', one))
    for (const name of ['to', own]) await expectMessages(name, [['delete:task', deleted]])
    const [last] = await recordsOf(ofProject)
    expect([other.jobs.count, last.tasks.count]).toEqual([1001, 1])
    await api.done('DELETE', ofProject)
    for (const name of ['to', own]) await expectMessages(name, [['delete:project', last]])
  })

  /** Creates a task of 91 images with one job each and ten replicas; its creation sends no events for them. */
  async function addThousandJobs(project_id: number): Promise<AnyJson> {
    const json = { name: 'many', project_id, segment_size: 1, consensus_replicas: 10 }
    const { id } = await api.done('POST', '/tasks', { json })
    const form = formOf(await createImages(91, 8, 8))
    await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
    const events = ['completed:request[create:task]', 'create:task', 'update:task']
    for (const name of ['from', own])
      expect(eventsIn(await listener.take(name, events.length)).sort()).toEqual(events)
    await waitForProjectDate(api, project_id)
    return api.done('GET', `/tasks/${id}`)
  }

  test('a deleted organization sends events to its webhooks before they are deleted', async () => {
    const owner = await newPerson()
    const json = { slug: `gone${process.pid}x${Date.now() % 100_000}` }
    const made = await owner.api.done('POST', '/organizations', { json })
    await listener.ofOrganization(owner.api, 'gone', made)
    const ownerSender = await senderOf(owner.api, owner.id)
    const sent = { json: { name: 'p', labels } }
    const project = await owner.api.done('POST', `/projects?org=${made.slug}`, sent)
    const task = await owner.api.done('POST', `/tasks?org=${made.slug}`, sent)
    await listener.take('gone', 2)
    const read = (url: string) => owner.api.done('GET', url)
    const states: [string, AnyJson][] = [
      ['delete:organization', await read(`/organizations/${made.id}`)],
      ['delete:project', await read(`/projects/${project.id}`)],
      ['delete:task', await read(`/tasks/${task.id}`)],
    ]
    await owner.api.done('DELETE', `/organizations/${made.id}?objects=delete`)
    const payloads = await listener.take('gone', 3)
    expect(eventsIn(payloads).sort()).toEqual(states.map(([event]) => event))
    for (const [event, before] of states)
      expectExact(payloads, event, { before, after: undefined, sender: ownerSender })
  })
})
