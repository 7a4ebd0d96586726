import { issueCreated } from '@reticle/contracts/events/issues'
import {
  invitationCreated,
  invitationDeleted,
  membershipCreated,
  membershipDeleted,
  membershipUpdated,
  organizationCreated,
  organizationDeleted,
  organizationUpdated,
} from '@reticle/contracts/events/organizations'
import { projectCreated, projectDeleted, projectUpdated } from '@reticle/contracts/events/projects'
import { jobUpdated, taskCreated, taskUpdated } from '@reticle/contracts/events/tasks'
import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import {
  invitationRecord,
  issueRecord,
  jobRecord,
  membershipRecord,
  organizationRecord,
  projectRecord,
  taskRecord,
} from '@reticle/contracts/testing/records'
import { testClock } from '@reticle/kit/testing/clock'
import { testDb } from '@reticle/kit/testing/db'
import { createDeliverer } from '@reticle/kit/testing/events'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addOrganizationWebhook, addWebhook } from '../testing/world.ts'
import { matchEvents } from './match.ts'

/** Which webhooks of organizations get which events: docs/spec/webhooks.md#events */

const db = await testDb<WebhooksDb>(migrations, 'webhooks')
const clock = testClock('2026-03-01T10:00:01Z')
const onMessages = () => undefined
const hear = createDeliverer(db, matchEvents({ clock, base: 'https://host/api', onMessages }))
const events = Object.keys(webhookEvents)
const ofProjects = events.filter((name) => webhookEvents[name]?.includes('project'))

beforeEach(async () => {
  await sql`truncate webhooks, projects, organizations cascade`.execute(db)
})

async function payloads() {
  const rows = await db.selectFrom('webhook_messages').selectAll().orderBy('id').execute()
  return rows.map(({ body }) => JSON.parse(body.toString()))
}
/** Returns the webhook and the name of each message, in the order of webhooks. */
async function emitted() {
  const all = (await payloads()).map(({ webhook_id, event }) => [webhook_id, event])
  return all.sort(([one], [other]) => one - other)
}

const acme = { organization: 5, organization_id: 5 }
const other = { organization: 6, organization_id: 6 }
const sandbox = { organization: null, organization_id: null }

describe('events of an organization', () => {
  const organization = organizationRecord({ id: 5 })
  const membership = membershipRecord({ organization: 5 })
  const invitation = invitationRecord({ organization: 5 })

  test('webhooks of the organization get the event with the record, and no other webhook does', async () => {
    const webhook_id = await addOrganizationWebhook(db, 5, { events })
    await addOrganizationWebhook(db, 6, { events })
    await addWebhook(db, { events: ofProjects })
    await hear(organizationUpdated, { organization, before_update: { name: 'old' } })
    await hear(membershipCreated, { membership })
    await hear(membershipUpdated, { membership, before_update: { role: 'worker' } })
    await hear(membershipDeleted, { membership })
    await hear(invitationCreated, { invitation })
    await hear(invitationDeleted, { invitation, reason: 'declined' })
    expect(await payloads()).toMatchObject([
      {
        webhook_id,
        event: 'update:organization',
        organization: { id: 5, slug: 'acme' },
        changes: { name: { from: 'old', to: 'Acme Vision' } },
      },
      { webhook_id, event: 'create:membership', membership: { id: 21, organization: 5 } },
      { webhook_id, event: 'update:membership', changes: { role: { from: 'worker' } } },
      { webhook_id, event: 'delete:membership' },
      { webhook_id, event: 'create:invitation', invitation: { organization: 5 } },
      { webhook_id, event: 'delete:invitation', reason: 'declined' },
    ])
    for (const one of await payloads()) expect(one.invitation ?? {}).not.toHaveProperty('key')
  })

  test('a deletion is sent to subscribed webhooks, then all webhooks of the organization end', async () => {
    const [id, deaf] = [
      await addOrganizationWebhook(db, 5, { events: ['delete:organization'] }),
      await addOrganizationWebhook(db, 5, { events: ['update:organization'] }),
    ]
    const elsewhere = await addOrganizationWebhook(db, 6, { events })
    await hear(organizationDeleted, { organization })
    expect(await emitted()).toEqual([[id, 'delete:organization']])
    const rows = await db
      .selectFrom('webhooks')
      .select(['id', 'ended_date'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { id, ended_date: clock.now() },
      { id: deaf, ended_date: clock.now() },
      { id: elsewhere, ended_date: null },
    ])
  })

  test('a deletion removes the projects from the organization without events of their own', async () => {
    await hear(projectCreated, { project: projectRecord(acme) })
    await hear(projectCreated, { project: projectRecord({ ...other, id: 8 }) })
    await hear(organizationDeleted, { organization })
    const rows = await db
      .selectFrom('projects')
      .select(['id', 'organization_id'])
      .orderBy('id')
      .execute()
    expect(rows).toEqual([
      { id: 7, organization_id: null },
      { id: 8, organization_id: 6 },
    ])
  })

  test('deletions of projects are sent even when they arrive after that of the organization', async () => {
    const id = await addOrganizationWebhook(db, 5, { events })
    await hear(organizationDeleted, { organization })
    await hear(projectDeleted, { project: projectRecord(acme), task_ids: [] })
    expect(await emitted()).toEqual([
      [id, 'delete:organization'],
      [id, 'delete:project'],
    ])
  })

  test('events update the stored slug of the organization', async () => {
    const known = () => db.selectFrom('organizations').selectAll().execute()
    await hear(organizationCreated, { organization })
    expect(await known()).toEqual([{ id: 5, slug: 'acme', is_deleted: false }])
    const renamed = { ...organization, slug: 'ajax' }
    await hear(organizationUpdated, { organization: renamed, before_update: { slug: 'acme' } })
    await hear(organizationDeleted, { organization: renamed })
    expect(await known()).toEqual([{ id: 5, slug: 'ajax', is_deleted: true }])
  })
})

describe('events of objects', () => {
  test('an event in an organization goes to its webhooks and to those of the project', async () => {
    const own = await addWebhook(db, { events: ofProjects })
    const id = await addOrganizationWebhook(db, 5, { events })
    await addOrganizationWebhook(db, 6, { events })
    await hear(projectCreated, { project: projectRecord(acme) })
    await hear(taskCreated, { task: taskRecord(acme) })
    const job = jobRecord({ organization: 5 })
    await hear(jobUpdated, { job, before_update: { state: 'new' } })
    const place = { job_id: 1, task_id: 1, project_id: 7, organization_id: 5 }
    await hear(issueCreated, { issue: issueRecord(), ...place })
    await hear(projectDeleted, { project: projectRecord(acme), task_ids: [] })
    const common = ['create:task', 'update:job', 'create:issue', 'delete:project']
    expect(await emitted()).toEqual([
      ...common.map((event) => [own, event]),
      ...['create:project', ...common].map((event) => [id, event]),
    ])
  })

  test('an event about a task without a project goes to the organization', async () => {
    const id = await addOrganizationWebhook(db, 5, { events })
    await hear(taskCreated, { task: taskRecord({ ...acme, project_id: null }) })
    expect(await emitted()).toEqual([[id, 'create:task']])
  })

  test('an event in a personal workspace reaches no organization', async () => {
    const own = await addWebhook(db, { events: ofProjects })
    await addOrganizationWebhook(db, 5, { events, owner_id: 3 })
    await hear(projectCreated, { project: projectRecord(sandbox) })
    await hear(taskCreated, { task: taskRecord(sandbox) })
    await hear(taskCreated, { task: taskRecord({ ...sandbox, project_id: null }) })
    expect(await emitted()).toEqual([[own, 'create:task']])
  })

  test('messages of a webhook have consecutive sequence numbers', async () => {
    await addOrganizationWebhook(db, 5, { events })
    await hear(taskCreated, { task: taskRecord(acme) })
    await hear(taskCreated, { task: taskRecord(sandbox) })
    await hear(taskCreated, { task: taskRecord(acme) })
    expect((await payloads()).map(({ webhook_sequence }) => webhook_sequence)).toEqual([1, 2])
  })
})

describe('moves between organizations', () => {
  const before_update = { ...acme, assignee: null, updated_date: '2026-03-01T09:59:00.000Z' }

  test('a moved project is a deletion for one organization, a creation for the other, an update for itself', async () => {
    const [left, own, entered] = [
      await addOrganizationWebhook(db, 5, { events }),
      await addWebhook(db, { events: ofProjects }),
      await addOrganizationWebhook(db, 6, { events }),
    ]
    const project = projectRecord({ ...other, name: 'Trucks' })
    await hear(projectUpdated, { project, before_update })
    expect(await emitted()).toEqual([
      [left, 'delete:project'],
      [own, 'update:project'],
      [entered, 'create:project'],
    ])
    const all = await payloads()
    const [removed, changed, come] = [left, own, entered].map((id) =>
      all.find(({ webhook_id }) => webhook_id === id),
    )
    expect(removed.project).toMatchObject({
      id: 7,
      name: 'Trucks',
      organization: 5,
      updated_date: '2026-03-01T09:59:00.000Z',
    })
    expect(changed).toMatchObject({
      before_update: { organization: 5 },
      project: { organization: 6 },
    })
    expect(come.project).toMatchObject({ organization: 6 })
    for (const one of [removed, come]) expect(one).not.toHaveProperty('before_update')
    const sequences = all.map(({ webhook_sequence }) => webhook_sequence)
    expect(sequences).toEqual([1, 1, 1])
    await hear(projectUpdated, { project, before_update: { name: 'Cars' } })
    expect((await emitted()).filter(([id]) => id === left)).toHaveLength(1)
  })

  test.each([
    ['into a personal workspace', sandbox, acme, ['delete:task', undefined]],
    ['out of a personal workspace', other, sandbox, [undefined, 'create:task']],
    ['between organizations', other, acme, ['delete:task', 'create:task']],
  ] as const)(
    'a task that moves %s is a deletion or creation for the organizations',
    async (_, now, before, [fromAcme, toOther]) => {
      const [five, six] = [
        await addOrganizationWebhook(db, 5, { events }),
        await addOrganizationWebhook(db, 6, { events }),
      ]
      const task = taskRecord({ ...now, project_id: null })
      await hear(taskUpdated, { task, before_update: before })
      expect(await emitted()).toEqual([
        ...(fromAcme ? [[five, fromAcme]] : []),
        ...(toOther ? [[six, toOther]] : []),
      ])
    },
  )

  test('a moved job is a deletion for one organization and a creation for the other', async () => {
    const [five, own, six] = [
      await addOrganizationWebhook(db, 5, { events }),
      await addWebhook(db, { events: ofProjects }),
      await addOrganizationWebhook(db, 6, { events }),
    ]
    const job = jobRecord({ organization: 6 })
    await hear(jobUpdated, { job, before_update: { organization: 5 } })
    expect(await emitted()).toEqual([
      [five, 'delete:job'],
      [own, 'update:job'],
      [six, 'create:job'],
    ])
  })

  test('an organization webhook gets a move only if it subscribes to the resulting event', async () => {
    await addOrganizationWebhook(db, 5, { events: ['update:project', 'create:project'] })
    await addOrganizationWebhook(db, 6, { events: ['update:project', 'delete:project'] })
    await hear(projectUpdated, { project: projectRecord(other), before_update: acme })
    expect(await emitted()).toEqual([])
  })

  test('the organization of a project webhook changes when its project moves', async () => {
    await addWebhook(db)
    await hear(projectUpdated, { project: projectRecord(other), before_update: acme })
    const row = await db.selectFrom('projects').select('organization_id').executeTakeFirst()
    expect(row).toEqual({ organization_id: 6 })
  })
})
