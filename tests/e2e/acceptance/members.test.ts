import { beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { longAgo } from '../../support/past.ts'
import { createUserFactory, password, type RegisteredUser, statusOf } from '../../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Memberships, invitations and ownership of organizations. */

let reticle: ServerUnderTest
let admin: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
})

const { as, newPerson, newOrganization, newMember, invite, membershipOf } = createUserFactory(
  () => reticle,
)

describe('memberships', () => {
  test('the roles of the caller and of the member decide which role changes are allowed', async () => {
    const organization = await newOrganization()
    const { owner, slug } = organization
    const actors: Record<string, RegisteredUser> = { owner }
    const targets: Record<string, number> = { owner: await membershipOf(owner.api, slug, owner) }
    for (const role of ['maintainer', 'supervisor', 'worker']) {
      actors[role] = await newMember(organization, role)
      targets[role] = (await newMember(organization, role)).membership
    }
    const mayChange: Record<string, string[]> = {
      owner: ['maintainer', 'supervisor', 'worker'],
      maintainer: ['supervisor', 'worker'],
      supervisor: [],
      worker: [],
    }
    const pairs = Object.keys(actors).flatMap((actor) =>
      Object.keys(targets).map((target) => [actor, target] as const),
    )
    for (const [actor, target] of pairs) {
      const url = `/memberships/${targets[target]}`
      const role = target === 'worker' ? 'supervisor' : 'worker'
      const { api } = actors[actor] ?? owner
      const expected = mayChange[actor]?.includes(target) ? 200 : 403
      expect([actor, target, await statusOf(api, 'PATCH', url, { role })]).toEqual([
        actor,
        target,
        expected,
      ])
      if (expected === 200) await owner.api.done('PATCH', url, { json: { role: target } })
    }
  }, 60_000)

  test('members cannot change their own role, appoint an owner, or grant more than they may', async () => {
    const organization = await newOrganization()
    const { owner, slug } = organization
    const leader = await newMember(organization, 'maintainer')
    const worker = await newMember(organization, 'worker')
    const change = (api: ApiClient, id: number, json: AnyJson) =>
      statusOf(api, 'PATCH', `/memberships/${id}`, json)
    expect(await change(leader.api, leader.membership, { role: 'worker' })).toBe(403)
    const own = await membershipOf(owner.api, slug, owner)
    expect(await change(owner.api, own, { role: 'worker' })).toBe(403)
    expect(await change(owner.api, worker.membership, { role: 'owner' })).toBe(400)
    expect(await change(leader.api, worker.membership, { role: 'maintainer' })).toBe(403)
    expect(await change(owner.api, worker.membership, { is_active: false })).toBe(400)
    expect(await statusOf(admin, 'POST', '/memberships', {})).toBe(405)
  })

  test('every member but the owner may leave, and others are removed under the rules for changes', async () => {
    const organization = await newOrganization()
    const { owner, slug } = organization
    const leave = (api: ApiClient, id: number) => statusOf(api, 'DELETE', `/memberships/${id}`)
    expect(await leave(owner.api, await membershipOf(owner.api, slug, owner))).toBe(403)
    const worker = await newMember(organization, 'worker')
    const supervisor = await newMember(organization, 'supervisor')
    const maintainer = await newMember(organization, 'maintainer')
    expect(await leave(supervisor.api, worker.membership)).toBe(403)
    expect(await leave(worker.api, worker.membership)).toBe(204)
    expect(await leave(maintainer.api, supervisor.membership)).toBe(204)
    expect(await leave(maintainer.api, maintainer.membership)).toBe(204)
    const left = await owner.api.done('GET', `/memberships?org=${slug}`)
    expect(left.results.map((one: AnyJson) => one.role)).toEqual(['owner'])
  })
})

describe('invitations', () => {
  test('an invited user who has an account is a member at once', async () => {
    const organization = await newOrganization()
    const { owner, slug } = organization
    const person = await newPerson()
    const answer = await invite(owner.api, slug, person.email.toUpperCase())
    expect([answer.status, answer.body.accepted, answer.text.includes(person.email)]).toEqual([
      201,
      true,
      false,
    ])
    await expect
      .poll(async () => (await person.api.call('GET', `/users?org=${slug}`)).body.count, {
        timeout: 60_000,
      })
      .toBe(2)
    const again = await invite(owner.api, slug, person.email)
    expect([again.status, again.body]).toEqual([
      400,
      ['The user is a member of the organization already.'],
    ])
  })

  test('an invitee who registers joins only with the key of the invitation', async () => {
    const { owner, slug } = await newOrganization()
    const email = `newcomer-${owner.username}@example.org`
    const { body } = await invite(owner.api, slug, email, 'supervisor')
    expect(body).toMatchObject({ accepted: false, expired: false, user: { username: email } })
    const username = `newcomer-${owner.username}`
    const json = { username, email, password1: password, password2: password }
    const { key } = await as().done('POST', '/auth/register', { json })
    const api = as(`Token ${key}`)
    expect((await api.done('GET', '/users/self')).id).toBe(body.user.id)
    expect((await api.done('GET', '/invitations')).results).toEqual([])
    expect((await api.done('GET', '/memberships')).results).toEqual([])
    const accepted = await api.done('POST', `/invitations/${body.key}/accept`)
    expect(accepted).toEqual({ organization_slug: slug })
    expect(await statusOf(api, 'POST', `/invitations/${body.key}/accept`)).toBe(400)
    const [membership] = (await api.done('GET', '/memberships')).results
    expect(membership).toMatchObject({ role: 'supervisor', is_active: true })
    expect(await statusOf(as(), 'POST', '/auth/register', json)).toBe(400)
  })

  test('an expired invitation is not accepted until it is sent again', async () => {
    const { owner, slug } = await newOrganization()
    const { api, key } = await registeredInvitee(owner, slug)
    const statement = `update invitations set sent_date = now() - interval '7 days' where key = $1`
    await longAgo(await reticle.people(), statement, [key])
    expect((await api.done('GET', `/invitations/${key}`)).expired).toBe(true)
    expect(await statusOf(api, 'POST', `/invitations/${key}/accept`)).toBe(400)
    expect(await statusOf(owner.api, 'POST', `/invitations/${key}/resend`)).toBe(204)
    expect(await statusOf(api, 'POST', `/invitations/${key}/accept`)).toBe(200)
    expect(await statusOf(owner.api, 'POST', `/invitations/${key}/resend`)).toBe(400)
  })

  test('only the invitee may decline an invitation, which ends it', async () => {
    const { owner, slug } = await newOrganization()
    const { api, key } = await registeredInvitee(owner, slug)
    expect(await statusOf(owner.api, 'POST', `/invitations/${key}/decline`)).toBe(403)
    expect(await statusOf(api, 'POST', `/invitations/${key}/decline`)).toBe(204)
    expect(await statusOf(owner.api, 'GET', `/invitations/${key}`)).toBe(404)
    expect((await owner.api.done('GET', `/memberships?org=${slug}`)).count).toBe(1)
  })

  test('a revoked invitation frees the address for another one', async () => {
    const { owner, slug } = await newOrganization()
    const email = `free-${owner.username}@example.org`
    const first = await invite(owner.api, slug, email)
    expect((await invite(owner.api, slug, email)).status).toBe(400)
    expect(await statusOf(owner.api, 'DELETE', `/invitations/${first.body.key}`)).toBe(204)
    const second = await invite(owner.api, slug, email, 'maintainer')
    expect([second.status, second.body.role]).toEqual([201, 'maintainer'])
  })

  test('an invitation cannot be resent a sixth time within an hour', async () => {
    const { owner, slug } = await newOrganization()
    const email = `often-${owner.username}@example.org`
    const { key } = (await invite(owner.api, slug, email)).body
    const statuses: number[] = []
    for (let sent = 0; sent < 6; sent++)
      statuses.push(await statusOf(owner.api, 'POST', `/invitations/${key}/resend`))
    expect(statuses).toEqual([204, 204, 204, 204, 204, 429])
  })

  /** An invitee who has registered since. */
  async function registeredInvitee(owner: RegisteredUser, slug: string) {
    const username = `invitee-${owner.username}`
    const email = `${username}@example.org`
    const { key } = (await invite(owner.api, slug, email)).body
    const json = { username, email, password1: password, password2: password }
    const registered = await as().done('POST', '/auth/register', { json })
    return { key, api: as(`Token ${registered.key}`) }
  }
})

describe('ownership of organizations', () => {
  test('a transfer makes another member the owner, and the former owner a maintainer', async () => {
    const organization = await newOrganization()
    const { id, slug, owner } = organization
    const heir = await newMember(organization, 'worker')
    const stranger = await newPerson()
    const transfer = `/organizations/${id}/transfer`
    expect(await statusOf(heir.api, 'POST', transfer, { user_id: heir.id })).toBe(403)
    expect(await statusOf(owner.api, 'POST', transfer, { user_id: stranger.id })).toBe(400)
    const answer = await owner.api.done('POST', transfer, { json: { user_id: heir.id } })
    expect(answer.owner.id).toBe(heir.id)
    const { results } = await heir.api.done('GET', `/memberships?org=${slug}`)
    const roles = results.map((one: AnyJson) => [one.user.id, one.role])
    expect(roles).toEqual(
      expect.arrayContaining([
        [heir.id, 'owner'],
        [owner.id, 'maintainer'],
      ]),
    )
  })

  test('an account that owns an organization cannot be deleted before a transfer or deletion', async () => {
    const { id, slug, owner } = await newOrganization()
    const refused = await owner.api.call('DELETE', `/users/${owner.id}`)
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(slug)])
    await owner.api.done('DELETE', `/organizations/${id}`)
    expect(await statusOf(owner.api, 'DELETE', `/users/${owner.id}`)).toBe(204)
  })

  test('projects of a deleted organization stay with their owners', async () => {
    const organization = await newOrganization()
    const { id, slug, owner } = organization
    const worker = await newMember(organization, 'worker')
    const json = { name: 'kept', assignee_id: worker.id }
    const project = await owner.api.done('POST', `/projects?org=${slug}`, { json })
    expect(project.organization).toBe(id)
    expect(await statusOf(worker.api, 'DELETE', `/organizations/${id}`)).toBe(403)
    expect(await statusOf(owner.api, 'DELETE', `/organizations/${id}`)).toBe(204)
    expect(await owner.api.done('GET', `/projects/${project.id}`)).toMatchObject({
      organization: null,
      owner: { id: owner.id },
      assignee: { id: worker.id },
    })
    expect(await statusOf(owner.api, 'GET', `/organizations/${id}`)).toBe(404)
    expect(await statusOf(owner.api, 'GET', `/projects?org=${slug}`)).toBe(404)
  })
})
