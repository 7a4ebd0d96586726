import { expect, test } from 'vitest'
import { type ApiClient, createApiClient } from '../../support/client.ts'
import { rectangle, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory, password, statusOf } from '../../support/people.ts'
import { useTestServer } from '../../support/test-server.ts'
import { begin, sendChunk } from '../../support/tus.ts'

/** Membership needs a verified address or the key of the invitation, and removal ends all access. */

const reticle = useTestServer()
const { newPerson, newOrganization, newMember, invite } = createUserFactory(() => reticle)
let count = 0
const newAddress = () => `unproved${process.pid}x${++count}@corp.test`

async function register(email: string): Promise<ApiClient> {
  const username = `s${process.pid}x${++count}`
  const json = { username, email, password1: password, password2: password }
  const made = await createApiClient(`${reticle.url}/api`).call('POST', '/auth/register', { json })
  expect(made.status, made.text).toBe(201)
  return createApiClient(`${reticle.url}/api`, `Token ${made.body.key}`)
}

/** Tries each call by which an account could become a member; returns the status of a read of the organization. */
async function triesToJoin(api: ApiClient, slug: string): Promise<number> {
  const { results } = await api.done('GET', '/invitations')
  for (const { key } of results) await api.call('POST', `/invitations/${key}/accept`)
  for (const { id } of (await api.done('GET', '/memberships')).results)
    await api.call('PATCH', `/memberships/${id}`, { json: { is_active: true } })
  return statusOf(api, 'GET', `/projects?org=${slug}`)
}

test.each([
  ['the invited address', (email: string) => email],
  ['the address in capital letters', (email: string) => email.toUpperCase()],
  ['the address with a capital domain', (email: string) => email.replace('corp', 'CORP')],
])('an account that registered %s before the invitation is not a member', async (_what, form) => {
  const { owner, slug } = await newOrganization()
  const email = newAddress()
  const stranger = await register(form(email))
  await invite(owner.api, slug, email, 'maintainer')
  expect([403, 404]).toContain(await triesToJoin(stranger, slug))
})

test('an account that registers an invited address is not a member', async () => {
  const { owner, slug } = await newOrganization()
  const email = newAddress()
  await invite(owner.api, slug, email, 'maintainer')
  const stranger = await register(email)
  expect([403, 404]).toContain(await triesToJoin(stranger, slug))
})

test('an account that changes its address to an invited one is not a member', async () => {
  const { owner, slug } = await newOrganization()
  const email = newAddress()
  const stranger = await register(newAddress())
  await invite(owner.api, slug, email, 'maintainer')
  await stranger.call('PATCH', '/users/self', { json: { email } })
  const { id } = await stranger.done('GET', '/users/self')
  await stranger.call('PATCH', `/users/${id}`, { json: { email } })
  expect([403, 404]).toContain(await triesToJoin(stranger, slug))
})

test('the key of an invitation makes the invited account a member', async () => {
  const { owner, slug } = await newOrganization()
  const email = newAddress()
  const stranger = await register(email)
  const sent = await invite(owner.api, slug, email, 'worker')
  expect(await statusOf(stranger, 'POST', `/invitations/${sent.body.key}/accept`, {})).toBe(200)
  expect(await statusOf(stranger, 'GET', `/projects?org=${slug}`)).toBe(200)
})

test('invitations of a removed member are withdrawn', async () => {
  const organization = await newOrganization()
  const { owner, slug } = organization
  const leader = await newMember(organization, 'maintainer')
  const email = newAddress()
  const sent = await invite(leader.api, slug, email, 'worker')
  await owner.api.done('DELETE', `/memberships/${leader.membership}`)
  const late = await newPerson()
  expect(await statusOf(late.api, 'POST', `/invitations/${sent.body.key}/accept`, {})).toBe(404)
  const open = await owner.api.done('GET', `/invitations?org=${slug}`)
  expect(open.results.map(({ key }: { key: string }) => key)).not.toContain(sent.body.key)
})

test('a removed member can no longer use anything that they started, created or were assigned', async () => {
  const organization = await newOrganization()
  const { owner, slug } = organization
  const lead = await newMember(organization, 'maintainer')
  const inOrganization = (path: string) => `${path}?org=${slug}`
  const task = await taskWithMedia(owner.api, { org: slug })
  const exported = await lead.api.finished(
    await lead.api.done('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`),
  )
  const backup = await lead.api.finished(
    await lead.api.done('POST', `/tasks/${task.id}/backup/export`),
  )
  const upload = await begin(lead.api, `/tasks/${task.id}/annotations/?format=COCO%201.0`, {
    name: 'a.json',
    length: 2,
  })
  const webhook = await lead.api.done('POST', inOrganization('/webhooks'), {
    json: {
      target_url: 'https://example.org/hook',
      type: 'organization',
      events: ['update:project'],
    },
  })
  const [job] = (await owner.api.done('GET', `/jobs?task_id=${task.id}`)).results
  await owner.api.done('PATCH', `/jobs/${job.id}`, { json: { assignee: lead.id } })
  expect((await lead.api.bytes(exported.result_url)).status).toBe(200)

  const [label] = (await owner.api.done('GET', `/labels?task_id=${task.id}`)).results
  await owner.api.done('DELETE', `/memberships/${lead.membership}`)

  const shapes = [rectangle(label.id)]
  const calls: [method: string, path: string, json?: object][] = [
    ['GET', exported.result_url],
    ['HEAD', exported.result_url],
    ['GET', backup.result_url],
    ['GET', exported.result_url.replace('/api/', '/as/cvat/api/')],
    ['POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`],
    ['GET', `/tasks/${task.id}`],
    ['GET', `/jobs/${job.id}`],
    ['GET', `/jobs/${job.id}/data?type=frame&number=0&quality=original`],
    ['PATCH', `/jobs/${job.id}/annotations?action=create`, { shapes }],
    ['GET', `/webhooks/${webhook.id}`],
    ['GET', `/webhooks/${webhook.id}/deliveries`],
    ['PATCH', `/webhooks/${webhook.id}`, { is_active: false }],
    ['POST', `/webhooks/${webhook.id}/ping`],
    ['GET', inOrganization('/projects')],
  ]
  for (const [method, path, json] of calls)
    expect([403, 404], `${method} ${path}`).toContain(await statusOf(lead.api, method, path, json))
  const location = upload.headers.get('location') ?? ''
  const sent = await sendChunk(lead.api, location, 0, Buffer.from('{}'))
  expect([403, 404]).toContain(sent.status)
})

test('owners can list the webhooks that a removed member created', async () => {
  const organization = await newOrganization()
  const { owner, slug } = organization
  const lead = await newMember(organization, 'maintainer')
  const json = {
    target_url: 'https://example.org/hook',
    type: 'organization',
    events: ['update:project'],
  }
  const left = await lead.api.done('POST', `/webhooks?org=${slug}`, { json })
  const kept = await owner.api.done('POST', `/webhooks?org=${slug}`, { json })
  await owner.api.done('DELETE', `/memberships/${lead.membership}`)
  const leftDateOf = async (id: number) =>
    (await owner.api.done('GET', `/webhooks/${id}`)).owner_left_date
  await expect.poll(() => leftDateOf(left.id)).toEqual(expect.any(String))
  expect(await leftDateOf(kept.id)).toBeUndefined()
})
