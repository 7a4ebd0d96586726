import { addPerson } from '@reticle/standalone/administrator'
import { type ApiClient, createApiClient } from './client.ts'
import type { ServerUnderTest } from './reticle.ts'

export const password = 'Blue-Kettle-42'
export const basicOf = (username: string, word = password) =>
  `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`

export interface RegisteredUser {
  id: number
  username: string
  email: string
  api: ApiClient
}

export interface TestOrganization {
  id: number
  slug: string
  owner: RegisteredUser
}

/** Creates users and organizations with unique names, also if several files run on one system. */
export function createUserFactory(reticle: () => ServerUnderTest) {
  const as = (authorization?: string) => createApiClient(`${reticle().url}/api`, authorization)
  let count = 0
  const newName = () => `p${process.pid}x${Date.now() % 100_000}x${++count}`

  /** Creates a user without a registration. */
  async function newPerson(): Promise<RegisteredUser> {
    const { people: database, admin } = reticle()
    const username = newName()
    const email = `${username}@example.org`
    const rights = { role: 'user', is_email_verified: true } as const
    await addPerson(await database(), { username, email, password, ...rights })
    const [{ id }] = (await admin.done('GET', `/users?username=${username}`)).results
    return { id, username, email, api: as(basicOf(username)) }
  }

  async function newOrganization(): Promise<TestOrganization> {
    const owner = await newPerson()
    const slug = `o${++count}x${Date.now() % 100_000}`
    const { id } = await owner.api.done('POST', '/organizations', { json: { slug } })
    return { id, slug, owner }
  }

  const invite = (api: ApiClient, slug: string, email: string, role = 'worker') =>
    api.call('POST', `/invitations?org=${slug}`, { json: { email, role } })

  /** Creates a user who is a member at once; returns them with the id of the membership. */
  async function newMember({ slug, owner }: TestOrganization, role: string) {
    const person = await newPerson()
    await invite(owner.api, slug, person.email, role)
    return { ...person, membership: await membershipOf(owner.api, slug, person) }
  }

  async function membershipOf(
    api: ApiClient,
    slug: string,
    { username }: Pick<RegisteredUser, 'username'>,
  ): Promise<number> {
    const found = await api.done('GET', `/memberships?org=${slug}&user=${username}`)
    return found.results[0].id
  }

  return { as, newPerson, newOrganization, newMember, invite, membershipOf }
}

/** Returns the status of a call. */
export const statusOf = async (api: ApiClient, method: string, url: string, json?: object) =>
  (await api.call(method, url, { json })).status
