import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { eventsIn, type Listener, startListener } from '../../support/listener.ts'
import {
  createPayloadCheck,
  type PayloadCheck,
  type RecordEvent,
  senderOf,
  waitForProjectDate,
} from '../../support/payload-check.ts'
import { createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Payloads of projects, tasks, jobs, issues and comments equal the records that GET returns, with the changed fields
 * and the sender, and are the same for webhooks of the organization and of the project. See
 * docs/spec/webhooks.md#payloads.
 */

const { newOrganization, newMember } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let api: ApiClient
let bo: RegisteredUser
let cy: RegisteredUser
let checkPayloads: PayloadCheck
let project: AnyJson
let task: AnyJson
let jobs: AnyJson[]
let slug: string
const both = ['organization', 'project']

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  const acme = await newOrganization()
  api = acme.owner.api
  slug = acme.slug
  bo = await newMember(acme, 'worker')
  cy = await newMember(acme, 'worker')
  for (const [one, first_name] of [
    [acme.owner, 'Anna'],
    [bo, 'Bo'],
  ] as const)
    await reticle.admin.done('PATCH', `/users/${one.id}`, {
      json: { first_name, last_name: 'Lind' },
    })
  checkPayloads = createPayloadCheck({ listener, api, sender: await senderOf(api, acme.owner.id) })
  await listener.ofOrganization(api, 'organization', acme)
}, 60_000)
afterAll(async () => {
  await listener.close()
})

const newProject = (name: string) => {
  const json = { name, labels: [{ name: 'car' }, { name: 'bus' }] }
  return api.done('POST', `/projects?org=${slug}`, { json })
}
const patch = (url: string, json: object) => api.done('PATCH', url, { json })
const ofProject = (): RecordEvent => ['update:project', `/projects/${project.id}`]
const ofTask = (): RecordEvent => ['update:task', `/tasks/${task.id}`]
const ofJob = (at: number): RecordEvent => ['update:job', `/jobs/${jobs[at]?.id}`]

describe('events of projects', () => {
  test('a created project is sent to the organization', async () => {
    const facts: RecordEvent[] = [['create:project', ({ id }) => `/projects/${id}`]]
    const expected = await checkPayloads({ names: ['organization'], facts }, () =>
      newProject('streets'),
    )
    project = expected.answer
    await listener.ofProject(api, 'project', project.id)
  })

  test.each<[string, () => object, string[]]>([
    ['name', () => ({ name: 'lanes' }), ['name']],
    ['bug_tracker', () => ({ bug_tracker: 'https://example.org/1' }), ['bug_tracker']],
    ['status', () => ({ status: 'validation' }), ['status']],
    ['owner_id', () => ({ owner_id: cy.id }), ['owner']],
    ['assignee_id', () => ({ assignee_id: bo.id }), ['assignee', 'assignee_updated_date']],
    ['nobody', () => ({ assignee_id: null }), ['assignee', 'assignee_updated_date']],
    ['storage', () => ({ target_storage: { location: 'local' } }), ['target_storage']],
    ['labels', () => ({ labels: [{ name: 'bike' }] }), []],
  ])(
    'a change (%s) is sent with the previous values of the changed fields',
    async (_, json, changed) => {
      const { payloads } = await checkPayloads({ names: both, facts: [ofProject()] }, () =>
        patch(`/projects/${project.id}`, json()),
      )
      expect(Object.keys(payloads[0].before_update).sort()).toEqual(
        [...changed, 'updated_date'].sort(),
      )
    },
  )

  test('a changed and a deleted label send an update of the project', async () => {
    const { results } = await api.done('GET', `/labels?project_id=${project.id}`)
    const url = `/labels/${results.find(({ name }: AnyJson) => name === 'bike').id}`
    const expected = { names: both, facts: [ofProject()] }
    await checkPayloads(expected, () => patch(url, { name: 'tram' }))
    await checkPayloads(expected, () => api.done('DELETE', url))
  })
})

describe('events of tasks', () => {
  test('a created task sends an event', async () => {
    const json = { name: 'batch', project_id: project.id, segment_size: 2 }
    const facts: RecordEvent[] = [['create:task', ({ id }) => `/tasks/${id}`]]
    const expected = await checkPayloads({ names: both, facts }, () =>
      api.done('POST', '/tasks', { json }),
    )
    task = expected.answer
  })

  test('attached media send events for the task, its jobs and the request', async () => {
    const job = (at: number) => async () => `/jobs/${(await jobsOf(api, task.id))[at]?.id}`
    const facts: RecordEvent[] = [
      ...[ofTask(), ['create:job', job(0)] as const, ['create:job', job(1)] as const],
      ['completed:request[create:task]', ({ id }) => `/requests/${id}`],
    ]
    const form = formOf(await createImages(4))
    const { payloads } = await checkPayloads({ names: both, facts }, async () =>
      api.finished(await api.done('POST', `/tasks/${task.id}/data`, { form })),
    )
    jobs = await jobsOf(api, task.id)
    const updated = payloads.find(({ event }) => event === 'update:task')
    expect(updated.before_update).toMatchObject({ size: 0, status: 'new', data: null })
  })

  test.each<[string, () => object, string[]]>([
    ['name', () => ({ name: 'renamed' }), ['name']],
    ['subset', () => ({ subset: 'train' }), ['subset']],
    ['bug_tracker', () => ({ bug_tracker: 'https://example.org/2' }), ['bug_tracker']],
    ['owner_id', () => ({ owner_id: cy.id }), ['owner']],
    ['assignee_id', () => ({ assignee_id: bo.id }), ['assignee', 'assignee_updated_date']],
    ['nobody', () => ({ assignee_id: null }), ['assignee', 'assignee_updated_date']],
    ['storage', () => ({ source_storage: { location: 'local' } }), ['source_storage']],
  ])(
    'a change (%s) is sent with the previous values of the changed fields',
    async (_, json, changed) => {
      const { payloads } = await checkPayloads({ names: both, facts: [ofTask()] }, () =>
        patch(`/tasks/${task.id}`, json()),
      )
      expect(Object.keys(payloads[0].before_update).sort()).toEqual(
        [...changed, 'updated_date'].sort(),
      )
    },
  )

  test('deleted frames of a task and of a job send updates', async () => {
    const deleted = { deleted_frames: [1] }
    await checkPayloads({ names: both, facts: [ofTask()] }, () =>
      patch(`/tasks/${task.id}/data/meta`, deleted),
    )
    await checkPayloads({ names: both, facts: [ofTask(), ofJob(1)] }, () =>
      patch(`/jobs/${jobs[1]?.id}/data/meta`, { deleted_frames: [3] }),
    )
  })

  test('a task without a project sends updates when its labels change and when it joins a project', async () => {
    const names = ['organization']
    const labels = [{ name: 'car' }]
    const { answer: alone } = await checkPayloads(
      { names, facts: [['create:task', ({ id }) => `/tasks/${id}`]] },
      () => api.done('POST', `/tasks?org=${slug}`, { json: { name: 'alone', labels } }),
    )
    const facts: RecordEvent[] = [['update:task', `/tasks/${alone.id}`]]
    await checkPayloads({ names, facts }, () =>
      patch(`/tasks/${alone.id}`, { labels: [{ name: 'bus' }] }),
    )
    const [label] = (await api.done('GET', `/labels?task_id=${alone.id}`)).results
    await checkPayloads({ names, facts }, () => patch(`/labels/${label.id}`, { color: '#102030' }))
    const { payloads } = await checkPayloads({ names: both, facts }, () =>
      patch(`/tasks/${alone.id}`, { project_id: project.id }),
    )
    const { project_id, project_name } = payloads[0].before_update
    expect([project_id, project_name]).toEqual([null, null])
  })

  test('a task that moves to another project sends events to its webhooks', async () => {
    const { answer: other } = await checkPayloads(
      { names: ['organization'], facts: [['create:project', ({ id }) => `/projects/${id}`]] },
      () => newProject('elsewhere'),
    )
    await listener.ofProject(api, 'elsewhere', other.id)
    await checkPayloads({ names: ['organization', 'elsewhere'], facts: [ofTask()] }, () =>
      patch(`/tasks/${task.id}`, { project_id: other.id }),
    )
    await checkPayloads({ names: both, facts: [ofTask()] }, () =>
      patch(`/tasks/${task.id}`, { project_id: project.id }),
    )
  })
})

describe('events of jobs', () => {
  test.each<[string, () => object, string[]]>([
    ['state', () => ({ state: 'in progress' }), ['state']],
    ['assignee', () => ({ assignee: bo.id }), ['assignee', 'assignee_updated_date']],
    ['stage', () => ({ stage: 'validation' }), ['stage', 'state', 'status']],
    ['both', () => ({ stage: 'annotation', state: 'rejected' }), ['stage', 'state', 'status']],
  ])(
    'a change (%s) is sent with the previous values of the changed fields',
    async (_, json, changed) => {
      const { payloads } = await checkPayloads({ names: both, facts: [ofJob(0)] }, () =>
        patch(`/jobs/${jobs[0]?.id}`, json()),
      )
      expect(Object.keys(payloads[0].before_update).sort()).toEqual(
        [...changed, 'updated_date'].sort(),
      )
    },
  )

  test('a change by the assignee, who has fewer rights, sends the full record', async () => {
    const sender = await senderOf(bo.api, bo.id)
    await checkPayloads({ names: both, facts: [ofJob(0)], sender }, () =>
      bo.api.done('PATCH', `/jobs/${jobs[0]?.id}`, { json: { state: 'in progress' } }),
    )
  })

  test('the last accepted job also sends an update of its task', async () => {
    const accepted = { stage: 'acceptance', state: 'completed' }
    await checkPayloads({ names: both, facts: [ofJob(0)] }, () =>
      patch(`/jobs/${jobs[0]?.id}`, accepted),
    )
    const { payloads } = await checkPayloads({ names: both, facts: [ofJob(1), ofTask()] }, () =>
      patch(`/jobs/${jobs[1]?.id}`, accepted),
    )
    const updated = payloads.find(({ event }) => event === 'update:task')
    expect(updated.changes.status).toEqual({ from: 'annotation', to: 'completed' })
  })

  test('a ground truth job sends events when it is created, changed and deleted, with updates of its task', async () => {
    const json = { type: 'ground_truth', task_id: task.id, frames: [0, 2] }
    const chosen = { ...json, frame_selection_method: 'manual' }
    const { answer: truth } = await checkPayloads(
      { names: both, facts: [['create:job', ({ id }) => `/jobs/${id}`], ofTask()] },
      () => api.done('POST', '/jobs', { json: chosen }),
    )
    const url = `/jobs/${truth.id}`
    await checkPayloads({ names: both, facts: [['update:job', url], ofTask()] }, () =>
      patch(`/tasks/${task.id}/validation_layout`, { disabled_frames: [2] }),
    )
    const { payloads } = await checkPayloads(
      { names: both, facts: [['delete:job', url], ofTask()] },
      () => api.done('DELETE', url),
    )
    const updated = payloads.find(({ event }) => event === 'update:task')
    expect(updated.changes.validation_mode).toEqual({ from: 'gt', to: null })
  })
})

describe('events of issues and comments', () => {
  let issue: string
  let comment: string

  test('a created issue sends events for the issue and its first comment', async () => {
    const json = { job: jobs[0]?.id, frame: 0, position: [1, 2.5, 3, 4], message: 'look' }
    const commentOf = async ({ id }: AnyJson) => {
      const [first] = (await api.done('GET', `/comments?issue_id=${id}`)).results
      return `/comments/${first.id}`
    }
    const facts: RecordEvent[] = [
      ['create:issue', ({ id }) => `/issues/${id}`],
      ['create:comment', commentOf],
    ]
    const { answer } = await checkPayloads({ names: both, facts }, () =>
      api.done('POST', '/issues', { json }),
    )
    issue = `/issues/${answer.id}`
  })

  test.each<[string, () => object]>([
    ['resolved', () => ({ resolved: true })],
    ['assignee', () => ({ assignee: bo.id })],
    ['position', () => ({ position: [5, 6] })],
  ])('a change of %s sends an update of the issue', async (key, json) => {
    const facts: RecordEvent[] = [['update:issue', issue]]
    const { payloads } = await checkPayloads({ names: both, facts }, () => patch(issue, json()))
    expect(Object.keys(payloads[0].before_update).sort()).toEqual([key, 'updated_date'])
  })

  test('a comment sends events when it is created, changed and deleted', async () => {
    const json = { issue: Number(issue.split('/').at(-1)), message: 'seen' }
    const expected = await checkPayloads(
      { names: both, facts: [['create:comment', ({ id }) => `/comments/${id}`]] },
      () => api.done('POST', '/comments', { json }),
    )
    comment = `/comments/${expected.answer.id}`
    await checkPayloads({ names: both, facts: [['update:comment', comment]] }, () =>
      patch(comment, { message: 'mended' }),
    )
    await checkPayloads({ names: both, facts: [['delete:comment', comment]] }, () =>
      api.done('DELETE', comment),
    )
  })

  test('a deleted issue sends an event', async () => {
    await checkPayloads({ names: both, facts: [['delete:issue', issue]] }, () =>
      api.done('DELETE', issue),
    )
  })
})

describe('calls without effect', () => {
  test('calls without effect send no event', async () => {
    const issueFields = { job: jobs[0]?.id, frame: 0, position: [1, 2], message: 'look' }
    const issue = await api.done('POST', '/issues', { json: issueFields })
    const [comment] = (await api.done('GET', `/comments?issue_id=${issue.id}`)).results
    for (const name of both) await listener.take(name, 2)
    const [label] = (await api.done('GET', `/labels?project_id=${project.id}`)).results
    const now = async (url: string) => api.done('GET', url)
    const { name, status, owner } = await now(`/projects/${project.id}`)
    await patch(`/projects/${project.id}`, { name, status, owner_id: owner.id, labels: [] })
    await patch(`/labels/${label.id}`, { name: label.name, color: label.color })
    const { subset } = await now(`/tasks/${task.id}`)
    await patch(`/tasks/${task.id}`, { subset, project_id: project.id, assignee_id: null })
    const { deleted_frames } = await now(`/tasks/${task.id}/data/meta`)
    await patch(`/tasks/${task.id}/data/meta`, { deleted_frames })
    const { stage, state, assignee } = await now(`/jobs/${jobs[0]?.id}`)
    await patch(`/jobs/${jobs[0]?.id}`, { stage, state, assignee: assignee.id })
    await patch(`/issues/${issue.id}`, { position: [1, 2], resolved: false, assignee: null })
    await patch(`/comments/${comment.id}`, { message: 'look' })
    await patch(`/projects/${project.id}`, {})

    const changes: [RecordEvent, () => Promise<AnyJson>][] = [
      [ofProject(), () => patch(`/projects/${project.id}`, { name: 'fence' })],
      [ofTask(), () => patch(`/tasks/${task.id}`, { name: 'fence' })],
      [ofJob(0), () => patch(`/jobs/${jobs[0]?.id}`, { assignee: null })],
      [
        ['update:issue', `/issues/${issue.id}`],
        () => patch(`/issues/${issue.id}`, { resolved: true }),
      ],
    ]
    await waitForProjectDate(api, project.id)
    for (const [fact, act] of changes) await checkPayloads({ names: both, facts: [fact] }, act)
  })

  test('no unexpected message was sent, and sequence numbers have no gaps', () => {
    expect(eventsIn(listener.listReceived('organization')).length).toBeGreaterThan(50)
    const own = listener.listReceived('project').map(({ webhook_sequence }) => webhook_sequence)
    expect(own.toSorted((a, b) => a - b)).toEqual(own.map((_, at) => at + 1))
  })
})
