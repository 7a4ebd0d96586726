import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { liveProject, liveTask } from '../../support/life.ts'
import { eventsIn, eventsOf, type Listener, startListener } from '../../support/listener.ts'
import { createUserFactory, type TestOrganization } from '../../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Scopes of events: every event is sent to the webhooks of its project and organization and to no others. The others
 * are a webhook of each organization and one of a project in each workspace. See docs/spec/webhooks.md#events.
 */

const { newOrganization, newMember } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let acme: TestOrganization
let ajax: TestOrganization
const hooks: Record<string, { hook: AnyJson; api: ApiClient }> = {}
const projects: Record<string, AnyJson> = {}
let count = 0

const ofProjects = eventsOf('project')
const ofTasks = ofProjects.filter((name) => !/:project$|import:dataset/.test(name))
const ofOrganizations = eventsOf('organization')
const ofPeople = ofOrganizations.filter((name) =>
  /:(membership|invitation|organization)$/.test(name),
)

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  acme = await newOrganization()
  ajax = await newOrganization()
  await organizationHook('acme', acme)
  await organizationHook('ajax', ajax)
  await projectHook('of acme', acme.owner.api, `?org=${acme.slug}`)
  await projectHook('of ajax', ajax.owner.api, `?org=${ajax.slug}`)
  await projectHook('of a person', acme.owner.api, '')
}, 60_000)
afterAll(async () => {
  await listener.close()
})

async function organizationHook(name: string, organization: TestOrganization) {
  const { api } = organization.owner
  hooks[name] = { api, hook: await listener.ofOrganization(api, name, organization) }
}
async function projectHook(name: string, api: ApiClient, query: string) {
  const project = await api.done('POST', `/projects${query}`, { json: { name } })
  hooks[name] = { api, hook: await listener.ofProject(api, encodeURI(name), project.id) }
  projects[name] = project
}

/** Number of messages of each webhook. They are written for all webhooks in the transaction that consumes an event. */
async function messages(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const [name, { api, hook }] of Object.entries(hooks))
    counts[name] = (await api.done('GET', `/webhooks/${hook.id}/messages?page_size=1`)).count
  return counts
}

/** Runs `live` and checks which events each of these webhooks receives, and that no other webhook receives any. */
async function expectReceived(expected: Record<string, string[]>, live: () => Promise<unknown>) {
  const receivedBy = (name: string) => listener.listReceived(encodeURI(name))
  const before = await messages()
  const counts = Object.fromEntries(
    Object.keys(expected).map((name) => [name, receivedBy(name).length]),
  )
  await live()
  for (const [name, events] of Object.entries(expected)) {
    const fresh = () => new Set(eventsIn(receivedBy(name).slice(counts[name])))
    await expect.poll(() => [...fresh()].sort(), { timeout: 60_000 }).toEqual([...events].sort())
  }
  const after = await messages()
  const others = Object.keys(hooks).filter((name) => !(name in expected))
  expect(others.map((name) => [name, after[name]])).toEqual(
    others.map((name) => [name, before[name]]),
  )
}

/** Checks that every payload about a project or its objects names that project. */
function expectWithin(name: string, { id }: AnyJson) {
  for (const payload of listener.listReceived(name)) {
    const { project, task, job, request } = payload
    const within = project?.id ?? (task ?? job ?? request?.operation)?.project_id ?? id
    expect([payload.event, within]).toEqual([payload.event, id])
  }
}

describe('all events of a project', () => {
  const live = async (api: ApiClient, query: string, expected: Record<string, string[]>) => {
    const own = `own${++count}`
    let project: AnyJson
    await expectReceived({ ...expected, [own]: ofProjects }, () =>
      liveProject(api, query, (made) => {
        project = made
        return listener.ofProject(api, own, made.id)
      }),
    )
    expectWithin(own, project)
  }
  const ofOrganization = ['create:project', ...ofProjects]

  test('a project of an organization reaches the webhooks of the organization and of the project', async () => {
    await live(acme.owner.api, `?org=${acme.slug}`, { acme: ofOrganization })
  })

  test('a project of another organization reaches the webhooks of that one and of the project', async () => {
    await live(ajax.owner.api, `?org=${ajax.slug}`, { ajax: ofOrganization })
  })

  test('a project of a personal workspace reaches only its own webhook', async () => {
    await live(acme.owner.api, '', {})
  })
})

describe('all events of a task without a project', () => {
  const labels = [{ name: 'car' }]

  test('a task of an organization reaches the webhook of the organization', async () => {
    const query = `?org=${acme.slug}`
    await expectReceived({ acme: ofTasks }, () => liveTask(acme.owner.api, { query, labels }))
  })

  test('a task of a personal workspace reaches no webhook until it moves to an organization', async () => {
    const { api } = acme.owner
    const arrivals = ['create:task', 'create:job', 'delete:task', 'delete:job']
    await expectReceived({ acme: arrivals }, () =>
      liveTask(api, { labels }, (task) =>
        api.done('PATCH', `/tasks/${task.id}`, { json: { organization_id: acme.id } }),
      ),
    )
    const project = projects['of a person']
    await expectReceived({ 'of a person': ['completed:request[export:backup]'] }, async () =>
      api.finished(await api.done('POST', `/projects/${project.id}/backup/export`)),
    )
  })
})

describe('all events of an organization and its members', () => {
  test('they reach only its webhook, and a deletion with projects also reaches their webhooks', async () => {
    const { api } = ajax.owner
    const rest = ofPeople.filter((name) => name !== 'delete:organization')
    await expectReceived({ ajax: rest }, async () => {
      const { membership } = await newMember(ajax, 'worker')
      await api.done('PATCH', `/memberships/${membership}`, { json: { role: 'supervisor' } })
      await api.done('DELETE', `/memberships/${membership}`)
      await api.done('PATCH', `/organizations/${ajax.id}`, { json: { name: 'Ajax' } })
    })
    const deletions = {
      ajax: ['delete:organization', 'delete:project'],
      'of ajax': ['delete:project'],
    }
    const { hook } = hooks['of acme'] as { hook: AnyJson }
    expect(hook.organization).toBe(acme.id)
    delete hooks.ajax
    delete hooks['of ajax']
    await expectReceived(deletions, () =>
      api.done('DELETE', `/organizations/${ajax.id}?objects=delete`),
    )
  })
})

describe('events that a webhook cannot subscribe to', () => {
  const notOfProjects = ofOrganizations.filter((name) => !ofProjects.includes(name))
  const refused = (type: string) => [
    400,
    { non_field_errors: [`Invalid events list for ${type} webhook`] },
  ]
  const target_url = 'https://example.org/hook'

  test.each([...notOfProjects, 'ping'])('a webhook of a project refuses %s', async (event) => {
    const { api, hook } = hooks['of acme'] as { api: ApiClient; hook: AnyJson }
    const events = ['update:task', event]
    const json = { type: 'project', project_id: hook.project_id, target_url, events }
    for (const answer of [
      await api.call('POST', '/webhooks', { json }),
      await api.call('PATCH', `/webhooks/${hook.id}`, { json: { events } }),
    ])
      expect([answer.status, answer.body]).toEqual(refused('project'))
    expect((await api.done('GET', `/webhooks/${hook.id}`)).events).toBe(hook.events)
  })

  test('a webhook of an organization refuses ping', async () => {
    const json = { type: 'organization', target_url, events: 'ping' }
    const answer = await acme.owner.api.call('POST', `/webhooks?org=${acme.slug}`, { json })
    expect([answer.status, answer.body]).toEqual(refused('organization'))
  })
})
