import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { type Listener, startListener } from '../../support/listener.ts'
import {
  createPayloadCheck,
  type PayloadCheck,
  type RecordEvent,
  senderOf,
} from '../../support/payload-check.ts'
import { createUserFactory, password, type TestOrganization } from '../../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Events of an organization, its members and invitations. Payloads equal the records that GET returns, but without the
 * key of an invitation, which would let the receiver join.
 */

const { as, newOrganization, newPerson, newMember, membershipOf } = createUserFactory(() => reticle)
let reticle: ServerUnderTest
let listener: Listener
let api: ApiClient
let acme: TestOrganization
let checkPayloads: PayloadCheck
const names = ['organization']

beforeAll(async () => {
  listener = await startListener()
  reticle = await shareReticle()
  acme = await newOrganization()
  api = acme.owner.api
  checkPayloads = createPayloadCheck({ listener, api, sender: await senderOf(api, acme.owner.id) })
  await listener.ofOrganization(api, 'organization', acme)
}, 60_000)
afterAll(async () => {
  await listener.close()
})

const ofOrganization = (): RecordEvent => ['update:organization', `/organizations/${acme.id}`]
const invite = (email: string, role = 'worker'): Promise<AnyJson> =>
  api.done('POST', `/invitations?org=${acme.slug}`, { json: { email, role } })

describe('events of the organization', () => {
  test.each<[string, object]>([
    ['name', { name: 'Acme' }],
    ['description', { description: 'pictures' }],
    ['contact', { contact: { email: 'a@example.org', more: [1, { two: null }] } }],
    ['slug', { slug: `s${process.pid}x${Date.now() % 100_000}` }],
  ])('a change (%s) is sent with the previous values of the changed fields', async (key, json) => {
    const { payloads, answer } = await checkPayloads({ names, facts: [ofOrganization()] }, () =>
      api.done('PATCH', `/organizations/${acme.id}`, { json }),
    )
    expect(Object.keys(payloads[0].before_update).sort()).toEqual([key, 'updated_date'].sort())
    acme = { ...acme, slug: answer.slug }
  })

  test('an update without a change sends no event', async () => {
    const { name, contact } = await api.done('GET', `/organizations/${acme.id}`)
    await api.done('PATCH', `/organizations/${acme.id}`, { json: { name, contact } })
    const { payloads } = await checkPayloads({ names, facts: [ofOrganization()] }, () =>
      api.done('PATCH', `/organizations/${acme.id}`, { json: { name: 'fence' } }),
    )
    expect(payloads[0].before_update).toMatchObject({ name: 'Acme' })
  })

  test('a transfer sends events for the organization and the roles of both owners', async () => {
    const heir = await newMember(acme, 'maintainer')
    await listener.take('organization', 3)
    const own = await membershipOf(api, acme.slug, acme.owner)
    const roles = [own, heir.membership].map(
      (id): RecordEvent => ['update:membership', `/memberships/${id}`],
    )
    const given = { names, facts: [ofOrganization(), ...roles] }
    const transfer = (user_id: number) => ({ json: { user_id } })
    const url = `/organizations/${acme.id}/transfer`
    const { payloads } = await checkPayloads(given, () => api.done('POST', url, transfer(heir.id)))
    const updated = payloads.find(({ event }) => event === 'update:organization')
    expect(updated.before_update.owner).toMatchObject({ id: acme.owner.id })
    const sender = await senderOf(heir.api, heir.id)
    await checkPayloads({ ...given, sender }, () =>
      heir.api.done('POST', url, transfer(acme.owner.id)),
    )
  })
})

describe('events of memberships', () => {
  /** Creates a member and consumes the events of that. */
  async function known(role = 'worker') {
    const member = await newMember(acme, role)
    await listener.take('organization', 3)
    return { ...member, url: `/memberships/${member.membership}` }
  }

  test('an invited user with an account sends events for the invitation and the membership', async () => {
    const person = await newPerson()
    const { key, ...invitation } = await invite(person.email)
    const payloads = await listener.take('organization', 3)
    const member = await membershipOf(api, acme.slug, person)
    const record = await api.done('GET', `/memberships/${member}`)
    const pendingInvitation = { ...invitation, accepted: false }
    expect(
      payloads.map(({ event, ...one }) => [event, one.membership ?? one.invitation, one.reason]),
    ).toEqual([
      ['create:invitation', pendingInvitation, undefined],
      ['create:membership', record, undefined],
      ['delete:invitation', pendingInvitation, 'accepted'],
    ])
  })

  test('a changed role and a removal send events', async () => {
    const { url } = await known()
    const promote = () => api.done('PATCH', url, { json: { role: 'supervisor' } })
    const { payloads } = await checkPayloads(
      { names, facts: [['update:membership', url]] },
      promote,
    )
    expect(payloads[0].before_update).toEqual({ role: 'worker' })
    await promote()
    await checkPayloads({ names, facts: [['delete:membership', url]] }, () =>
      api.done('DELETE', url),
    )
  })

  test('members who leave or delete their account are the senders of the event', async () => {
    const [leaver, deleted] = [await known(), await known('maintainer')]
    const senders = [await senderOf(leaver.api, leaver.id), await senderOf(deleted.api, deleted.id)]
    await checkPayloads(
      { names, facts: [['delete:membership', leaver.url]], sender: senders[0] },
      () => leaver.api.done('DELETE', leaver.url),
    )
    await checkPayloads(
      { names, facts: [['delete:membership', deleted.url]], sender: senders[1] },
      () => deleted.api.done('DELETE', `/users/${deleted.id}`),
    )
  })

  test('assignments that end with a membership send updates', async () => {
    const { id, url } = await known()
    const json = { name: 'assigned', assignee_id: id }
    const [project, task] = [
      await api.done('POST', `/projects?org=${acme.slug}`, { json }),
      await api.done('POST', `/tasks?org=${acme.slug}`, { json }),
    ]
    await listener.take('organization', 2)
    const facts: RecordEvent[] = [
      ['delete:membership', url],
      ['update:project', `/projects/${project.id}`],
      ['update:task', `/tasks/${task.id}`],
    ]
    await checkPayloads({ names, facts }, () => api.done('DELETE', `${url}?unassign=true`))
  })
})

describe('events of invitations', () => {
  const created: RecordEvent = ['create:invitation', ({ key }) => `/invitations/${key}`]
  let count = 0

  /** Invites an address whose user registers afterwards. */
  async function invited() {
    const username = `i${process.pid}x${Date.now() % 100_000}x${++count}`
    const email = `${username}@example.org`
    const { answer } = await checkPayloads({ names, facts: [created] }, () => invite(email))
    const json = { username, email, password1: password, password2: password }
    const { key } = await as().done('POST', '/auth/register', { json })
    const invitee = as(`Token ${key}`)
    return { url: `/invitations/${answer.key}`, invitee, id: answer.user.id, key: answer.key }
  }

  test('a revoked invitation sends an event', async () => {
    const { answer } = await checkPayloads({ names, facts: [created] }, () =>
      invite(`nobody-${process.pid}-${Date.now()}@example.org`),
    )
    const url = `/invitations/${answer.key}`
    const { payloads } = await checkPayloads({ names, facts: [['delete:invitation', url]] }, () =>
      api.done('DELETE', url),
    )
    expect(payloads[0].reason).toBe('revoked')
  })

  test('a declined invitation sends an event', async () => {
    const { url, invitee, id } = await invited()
    const sender = await senderOf(invitee, id)
    const { payloads } = await checkPayloads(
      { names, facts: [['delete:invitation', url]], sender },
      () => invitee.done('POST', `${url}/decline`),
    )
    expect(payloads[0].reason).toBe('declined')
  })

  test('an accepted invitation sends an event', async () => {
    const { url, invitee, id, key } = await invited()
    const sender = await senderOf(invitee, id)
    const joined = async () => (await invitee.done('GET', '/memberships')).results[0].id
    const facts: RecordEvent[] = [
      ['delete:invitation', url],
      ['create:membership', async () => `/memberships/${await joined()}`],
    ]
    const { payloads } = await checkPayloads({ names, facts, sender }, () =>
      invitee.done('POST', `${url}/accept`),
    )
    expect(payloads.find(({ invitation }) => invitation).reason).toBe('accepted')
    const payloadTexts = payloads.map((one) => JSON.stringify(one.invitation))
    expect(payloadTexts.filter((text) => text?.includes(key))).toEqual([])
  })
})
