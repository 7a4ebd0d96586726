import type { OrganizationRole } from '@reticle/contracts/rest/principal'
import { recordTag } from '@reticle/kit/call/etag'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { testOrganizations } from '../../testing/organizations.ts'
import { attachFrames } from '../../testing/workspace.ts'

/** Calls on memberships and their permissions. */

const { db, over, addUser, addMember, addOrganization, as, takeEvents } = await testOrganizations()
const admin = await addUser('admin')
const stranger = await addUser()
const forbidden = { kind: 'forbidden' }
const roles = ['owner', 'maintainer', 'supervisor', 'worker'] as const

/** Adds an organization with a member of each role and one invited user. */
async function company() {
  const { id, owner } = await addOrganization()
  const [membership] = (await over('in-process').organizations.listMemberships({}, await as(owner)))
    .results
  const people = {
    owner: { ...owner, call: owner.call, membership_id: membership?.id ?? 0 },
    maintainer: await addMember(id, 'maintainer'),
    supervisor: await addMember(id, 'supervisor'),
    worker: await addMember(id, 'worker'),
    asked: await addMember(id, 'worker', 'user', false),
  }
  return { id, people }
}

const verdict = (attempt: Promise<unknown>) =>
  attempt.then(
    () => true,
    ({ kind }) => (kind === 'forbidden' ? false : kind),
  )

describe.each(transports)('over %s', (transport) => {
  const { organizations } = over(transport)

  test('a changed role emits the old one; the same role changes nothing', async () => {
    const { id, people } = await company()
    const call = await as(people.owner)
    const { membership_id } = people.worker
    await takeEvents()
    const body = { role: 'supervisor' as const }
    const changed = await organizations.updateMembership({ id: membership_id, body }, call)
    expect(changed).toMatchObject({ id: membership_id, organization: id, role: 'supervisor' })
    expect(await takeEvents()).toMatchObject([
      {
        type: 'update:membership',
        key: `org:${id}`,
        data: { membership: changed, before_update: { role: 'worker' } },
      },
    ])
    expect(await organizations.updateMembership({ id: membership_id, body }, call)).toEqual(changed)
    expect(await organizations.updateMembership({ id: membership_id, body: {} }, call)).toEqual(
      changed,
    )
    expect(await takeEvents()).toEqual([])
  })

  test('a change or deletion with a stale If-Match is rejected', async () => {
    const { people } = await company()
    const call = await as(people.owner)
    const id = people.worker.membership_id
    const if_match = recordTag(await organizations.getMembership({ id }, call))
    const body = { role: 'supervisor' as const }
    const changed = await organizations.updateMembership({ id, body, if_match }, call)
    const late = { kind: 'precondition', more: { etag: recordTag(changed) } }
    const again = organizations.updateMembership({ id, body: { role: 'worker' }, if_match }, call)
    await expect(again).rejects.toMatchObject(late)
    await expect(organizations.deleteMembership({ id, if_match }, call)).rejects.toMatchObject(late)
    await organizations.deleteMembership({ id, if_match: recordTag(changed) }, call)
  })

  test('the role of a pending membership can be changed', async () => {
    const { people } = await company()
    const body = { role: 'supervisor' as const }
    const target = { id: people.asked.membership_id, body }
    const changed = await organizations.updateMembership(target, await as(people.owner))
    expect(changed).toMatchObject({ is_active: false, joined_date: null, role: 'supervisor' })
  })

  test('a removed member loses access but keeps owned and assigned objects', async () => {
    const { projects } = over(transport)
    const { id, people } = await company()
    const body = { name: 'p', assignee_id: people.worker.id }
    const project = await projects.createProject({ body }, await as(people.owner, id))
    await takeEvents()
    await organizations.deleteMembership(
      { id: people.worker.membership_id },
      await as(people.owner),
    )
    expect(await takeEvents()).toMatchObject([
      {
        type: 'delete:membership',
        key: `org:${id}`,
        data: { membership: { user: { id: people.worker.id }, role: 'worker' } },
      },
    ])
    const seen = projects.getProject({ id: project.id }, await as(people.worker))
    await expect(seen).rejects.toMatchObject(forbidden)
    const kept = await projects.getProject({ id: project.id }, await as(people.owner))
    expect(kept.assignee).toMatchObject({ id: people.worker.id })
  })

  test('a removal can also end the assignments of the member, with an event for each', async () => {
    const services = over(transport)
    const { projects, tasks, jobs, issues } = services
    const { id, people } = await company()
    const assignee_id = people.worker.id
    const inside = await as(people.owner, id)
    const project = await projects.createProject({ body: { name: 'p', assignee_id } }, inside)
    const within = { name: 't', assignee_id, project_id: project.id }
    const task = await tasks.createTask({ body: within }, inside)
    await attachFrames(services, task.id, 1, people.owner)
    const [job] = (await jobs.listJobs({ task_id: task.id }, inside)).results
    await jobs.updateJob({ id: job?.id ?? 0, body: { assignee_id } }, inside)
    const elsewhere = await tasks.createTask(
      { body: { name: 'own', assignee_id } },
      people.worker.call,
    )
    await takeEvents()

    const pinned = { job: job?.id ?? 0, frame: 0, position: [1, 2], message: 'x' }
    const issue = await issues.createIssue({ body: { ...pinned, assignee: assignee_id } }, inside)
    await takeEvents()
    const target = { id: people.worker.membership_id, unassign: true }
    await organizations.deleteMembership(target, await as(people.owner))
    expect(await projects.getProject({ id: project.id }, inside)).toMatchObject({ assignee: null })
    expect(await tasks.getTask({ id: task.id }, inside)).toMatchObject({ assignee: null })
    expect(await jobs.getJob({ id: job?.id ?? 0 }, inside)).toMatchObject({ assignee: null })
    expect(await issues.getIssue({ id: issue.id }, inside)).toMatchObject({ assignee: null })
    const own = await tasks.getTask({ id: elsewhere.id }, people.worker.call)
    expect(own.assignee).toMatchObject({ id: assignee_id })
    const types = (await takeEvents()).map(({ type }) => type)
    expect(types).toEqual(
      expect.arrayContaining([
        ...['update:project', 'update:task', 'update:job', 'update:issue'],
        'delete:membership',
      ]),
    )
  })

  test('deleting a pending membership deletes its invitation, and the user can be invited again', async () => {
    const { id, people } = await company()
    const call = await as(people.owner, id)
    const body = { email: `again-${transport}@example.org`, role: 'worker' as const }
    const invitation = await organizations.createInvitation({ body }, call)
    const { results } = await organizations.listMemberships({ user: body.email }, call)
    expect(results).toMatchObject([{ is_active: false, invitation: invitation.key }])
    await takeEvents()
    await organizations.deleteMembership({ id: results[0]?.id ?? 0 }, call)
    expect(await takeEvents()).toMatchObject([
      { type: 'delete:invitation', data: { reason: 'revoked' } },
    ])
    const read = organizations.getInvitation({ key: invitation.key }, call)
    await expect(read).rejects.toMatchObject({ kind: 'not_found' })
    await organizations.createInvitation({ body }, call)
  })

  test('missing memberships are not found', async () => {
    const { call } = admin
    for (const attempt of [
      () => organizations.getMembership({ id: 99_999 }, call),
      () => organizations.updateMembership({ id: 99_999, body: {} }, call),
      () => organizations.deleteMembership({ id: 99_999 }, call),
    ])
      await expect(attempt()).rejects.toMatchObject({ kind: 'not_found' })
  })
})

/** A membership that the caller may not see is not found. */
const refusal = (role: OrganizationRole, target: string) =>
  target === 'asked' && role !== 'owner' && role !== 'maintainer' ? 'not_found' : false

describe('the permission to', () => {
  const { organizations } = over('in-process')
  type Target = OrganizationRole | 'asked'
  const targets: Target[] = [...roles, 'asked']

  /** Roles whose memberships each role may change and delete. Apart from leaving, own memberships are excluded. */
  const below: Record<OrganizationRole, Target[]> = {
    owner: ['maintainer', 'supervisor', 'worker', 'asked'],
    maintainer: ['supervisor', 'worker', 'asked'],
    supervisor: [],
    worker: [],
  }

  test.each(roles)('change roles of others as %s', async (role) => {
    for (const target of targets) {
      const { people } = await company()
      const id = people[target].membership_id
      const body = { role: target === 'supervisor' ? 'worker' : 'supervisor' } as const
      const done = await verdict(
        organizations.updateMembership({ id, body }, await as(people[role])),
      )
      expect([target, done]).toEqual([
        target,
        below[role].includes(target) || refusal(role, target),
      ])
    }
  })

  test.each(roles)('delete memberships of others as %s', async (role) => {
    for (const target of targets) {
      const { people } = await company()
      const id = people[target].membership_id
      const leaves = target === role && role !== 'owner'
      const done = await verdict(organizations.deleteMembership({ id }, await as(people[role])))
      const isPermitted = leaves || below[role].includes(target)
      expect([target, done]).toEqual([target, isPermitted || refusal(role, target)])
    }
  })

  test.each(roles)('view memberships as %s', async (role) => {
    const { id: organization, people } = await company()
    const call = await as(people[role])
    const leads = role === 'owner' || role === 'maintainer'
    for (const target of targets) {
      const id = people[target].membership_id
      const seen = await verdict(organizations.getMembership({ id }, call))
      expect([target, seen]).toEqual([target, leads || target !== 'asked' || 'not_found'])
    }
    const listed = await organizations.listMemberships({}, await as(people[role], organization))
    expect(listed.count).toBe(leads ? 5 : 4)
  })

  test('make a member a maintainer is granted only to the owner', async () => {
    const { people } = await company()
    const target = { id: people.worker.membership_id, body: { role: 'maintainer' as const } }
    const byMaintainer = organizations.updateMembership(target, await as(people.maintainer))
    await expect(byMaintainer).rejects.toMatchObject(forbidden)
    await organizations.updateMembership(target, await as(people.owner))
  })

  test('lead is denied to global workers, but every member may leave', async () => {
    const { id, people } = await company()
    const leader = await addMember(id, 'maintainer', 'worker')
    const call = await as(leader)
    const body = { role: 'supervisor' as const }
    const target = { id: people.worker.membership_id }
    expect(await verdict(organizations.updateMembership({ ...target, body }, call))).toBe(false)
    expect(await verdict(organizations.deleteMembership(target, call))).toBe(false)
    expect(await verdict(organizations.getMembership(target, call))).toBe(true)
    const asked = { id: people.asked.membership_id }
    expect(await verdict(organizations.getMembership(asked, call))).toBe('not_found')
    await organizations.deleteMembership({ id: leader.membership_id }, call)
  })

  test('view or change memberships from outside is denied as not found', async () => {
    const { people } = await company()
    for (const user of [stranger, people.asked]) {
      const call = await as(user)
      for (const target of targets) {
        const id = people[target].membership_id
        const attempts = [
          () => organizations.getMembership({ id }, call),
          () => organizations.updateMembership({ id, body: {} }, call),
          () => organizations.updateMembership({ id, body: { role: 'worker' } }, call),
          () => organizations.deleteMembership({ id }, call),
          () => organizations.deleteMembership({ id, unassign: true, if_match: '"0-0"' }, call),
        ]
        const absent = organizations.getMembership({ id: 2_000_000_000 }, call)
        const unknown = await absent.catch((thrown) => thrown)
        for (const attempt of attempts) await expect(attempt()).rejects.toEqual(unknown)
      }
    }
  })

  test('remove the owner is denied even to administrators', async () => {
    const { people } = await company()
    const { call } = admin
    const id = people.owner.membership_id
    const body = { role: 'worker' as const }
    await expect(organizations.deleteMembership({ id }, call)).rejects.toMatchObject(forbidden)
    await expect(organizations.updateMembership({ id, body }, call)).rejects.toMatchObject(
      forbidden,
    )
    const other = { id: people.maintainer.membership_id }
    await organizations.updateMembership({ ...other, body }, call)
    await organizations.deleteMembership(other, call)
  })
})

describe('lists of memberships', () => {
  const { organizations } = over('in-process')

  test("without an organization contain the caller's active memberships", async () => {
    const { id, people } = await company()
    const other = await addOrganization()
    await db
      .insertInto('memberships')
      .values([
        { organization_id: other.id, user_id: people.worker.id, role: 'worker', is_active: false },
      ])
      .execute()
    for (const scope of [undefined, null]) {
      const call = await as(people.worker, scope)
      const { results } = await organizations.listMemberships({}, call)
      expect(results).toMatchObject([{ organization: id, user: { id: people.worker.id } }])
    }
  })

  test('of an organization are visible only to its members and administrators', async () => {
    const { id } = await company()
    expect((await organizations.listMemberships({}, await as(stranger, id))).count).toBe(0)
    expect((await organizations.listMemberships({}, await as(admin, id))).count).toBe(5)
    expect((await organizations.listMemberships({}, await as(admin, null))).count).toBe(0)
    expect((await organizations.listMemberships({}, await as(admin))).count).toBeGreaterThan(5)
  })

  test('are filtered by id, user and role', async () => {
    const { id, people } = await company()
    const call = await as(people.owner, id)
    const { membership_id, username } = people.supervisor
    for (const query of [
      { id: membership_id },
      { user: username },
      { role: 'supervisor' as const },
    ]) {
      const { results } = await organizations.listMemberships(query, call)
      expect(results.map((one) => one.id)).toEqual([membership_id])
    }
    const byRole = await organizations.listMemberships({ sort: '-role' }, call)
    expect(byRole.results[0]?.role).toBe('worker')
  })

  test('need as many statements for many rows as for few', async () => {
    const counted = async (page_size: string) => {
      const { db: watched, statements } = countStatements(db)
      const query = { page_size }
      await over('in-process', watched).organizations.listMemberships(query, admin.call)
      return statements()
    }
    expect(await counted('100')).toBe(await counted('1'))
  })
})

test('a user cannot belong to more organizations than a call can carry', async () => {
  const many = await addUser()
  const rows = Array.from({ length: 1000 }, (_, index) => ({ slug: `m${index}`, name: 'm' }))
  const made = await db.insertInto('organizations').values(rows).returning('id').execute()
  const member = { user_id: many.id, role: 'worker' as const, is_active: true }
  await db
    .insertInto('memberships')
    .values(made.map(({ id }) => ({ ...member, organization_id: id })))
    .execute()
  const { organizations } = over('grpc')
  const attempt = organizations.createOrganization({ body: { slug: 'toomany' } }, await as(many))
  await expect(attempt).rejects.toMatchObject({
    body: ['A user can belong to 1000 organizations at most.'],
  })
})
