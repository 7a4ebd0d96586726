import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SdkWorld } from './world.ts'

/** Calls the operations of accounts, tokens, organizations and memberships, each once. */

const password = 'Blue-Kettle-42'

/**
 * Returns the newest mail to an address. A single process writes mails to files next to its data, after the call has
 * returned.
 */
async function mailTo(world: SdkWorld, address: string, text: RegExp): Promise<string> {
  const folder = join(world.dataDir, 'mail')
  const find = () =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFileSync(join(folder, name), 'utf8').replace(/=\r?\n/g, ''))
      .findLast((one) => one.includes(address) && text.test(one))
  await expect.poll(() => safely(find), { timeout: 60_000 }).toBeDefined()
  return safely(find) ?? ''
}

function safely<T>(find: () => T): T | undefined {
  try {
    return find()
  } catch {
    return undefined
  }
}

async function newPerson(world: SdkWorld, username: string) {
  const { anyone } = world
  const email = `${username}@example.org`
  const person = { username, email, password1: password, password2: password }
  await anyone.register({ body: person })
  const mail = await mailTo(world, email, /account-confirm-email\//)
  const [, key = ''] = /account-confirm-email\/([\w-]+)/.exec(mail) ?? []
  return { username, email, key, client: world.as({ basic: { username, password } }) }
}

export async function checkAccounts(world: SdkWorld): Promise<void> {
  const { anyone } = world
  const anna = await newPerson(world, 'anna-lind')
  expect((await anyone.followEmailLink({ key: anna.key })).status).toBe(302)
  await anyone.resendEmail({ body: { email: anna.email } }) // the answer is the same for every address
  const boris = await newPerson(world, 'boris')
  await anyone.verifyEmail({ body: { key: boris.key } })
  const { key } = await anyone.login({ body: { username: anna.username, password } })
  const byKey = world.as({ token: key })
  const self = await byKey.getSelf()
  expect(self.username).toBe(anna.username)
  expect((await byKey.listUsers({ search: 'anna' })).results[0]?.id).toBe(self.id)
  expect((await byKey.getUser({ id: self.id })).id).toBe(self.id)
  const named = await byKey.updateUser({ id: self.id, body: { first_name: 'Anna' } })
  expect(named).toMatchObject({ first_name: 'Anna' })
  await byKey.logout()

  const changed = 'Red-Kettle-43'
  const change = { old_password: password, new_password1: changed, new_password2: changed }
  await anna.client.changePassword({ body: change })
  await anyone.resetPassword({ body: { email: boris.email } })
  const mail = await mailTo(world, boris.email, /\?uid=/)
  const [, uid = '', token = ''] = /\?uid=(?:3D)?(\d+)&token=(?:3D)?(\w+)/.exec(mail) ?? []
  const fresh = { new_password1: changed, new_password2: changed }
  await anyone.confirmPasswordReset({ body: { uid, token, ...fresh } })
  const byNew = world.as({ basic: { username: 'boris', password: changed } })
  const { id } = await byNew.getSelf()
  await byNew.deleteUser({ id })
}

export async function checkTokens({ admin, as }: SdkWorld): Promise<void> {
  const made = await admin.createAccessToken({ body: { name: 'nightly', read_only: false } })
  const { id } = made
  expect((await admin.listAccessTokens({ id })).results[0]?.name).toBe('nightly')
  expect((await admin.getAccessToken({ id })).id).toBe(id)
  expect((await as({ token: made.value }).getCurrentAccessToken()).id).toBe(id)
  const etag = (await admin.respond('getAccessToken', { id })).headers.get('etag') ?? ''
  await admin.updateAccessToken({ id, if_match: etag, body: { name: 'weekly' } })
  await admin.deleteAccessToken({ id })
}

export async function checkOrganizations(world: SdkWorld): Promise<void> {
  const { admin } = world
  const { id, slug } = await admin.createOrganization({ body: { slug: 'acme' } })
  expect((await admin.listOrganizations({ slug })).count).toBe(1)
  expect((await admin.getOrganization({ id })).slug).toBe(slug)
  await admin.updateOrganization({ id, body: { name: 'Acme' } })
  const within = { organization: slug }
  const invite = async (email: string) =>
    (await admin.createInvitation({ body: { email, role: 'worker' } }, within)).key
  const emails = ['clara', 'david', 'elena'].map((name) => `${name}@example.org`)
  const [first = '', second = '', third = ''] = await Promise.all(emails.map(invite))
  const [clara, david] = [await newPerson(world, 'clara'), await newPerson(world, 'david')]
  for (const { key } of [clara, david]) await world.anyone.verifyEmail({ body: { key } })
  expect((await admin.listInvitations({}, within)).count).toBeGreaterThanOrEqual(3)
  await admin.getInvitation({ key: third })
  await admin.resendInvitation({ key: third })
  await admin.deleteInvitation({ key: third })
  expect(await clara.client.acceptInvitation({ key: first })).toEqual({ organization_slug: slug })
  await david.client.declineInvitation({ key: second })

  const { results } = await admin.listMemberships({ user: clara.username }, within)
  const [membership] = results
  if (!membership) throw new Error('clara is no member')
  await admin.getMembership({ id: membership.id })
  await admin.updateMembership({ id: membership.id, body: { role: 'maintainer' } })
  const { id: claraId } = await clara.client.getSelf()
  await admin.transferOrganization({ id, body: { user_id: claraId } })
  const self = await admin.getSelf()
  const own = await admin.listMemberships({ user: self.username }, within)
  for (const one of own.results) await admin.deleteMembership({ id: one.id })
  await clara.client.deleteOrganization({ id, objects: 'delete' })
}
