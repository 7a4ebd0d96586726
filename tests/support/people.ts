import { addPerson } from '@reticle/standalone/administrator'
import { type Client, client } from './client.ts'
import type { Served } from './served.ts'

export const password = 'Blue-Kettle-42'
export const basicOf = (username: string, word = password) =>
  `Basic ${Buffer.from(`${username}:${word}`).toString('base64')}`

export interface Person {
  id: number
  username: string
  email: string
  api: Client
}

export interface Organization {
  id: number
  slug: string
  owner: Person
}

/** Creates users and organizations with unique names, also if several files run on one system. */
export function people(reticle: () => Served) {
  const as = (authorization?: string) => client(`${reticle().url}/api`, authorization)
  let count = 0
  const newName = () => `p${process.pid}x${Date.now() % 100_000}x${++count}`

  /** Creates a user without a registration. */
  async function newPerson(): Promise<Person> {
    const { people: database, admin } = reticle()
    const username = newName()
    const email = `${username}@example.org`
    const rights = { role: 'user', is_email_verified: true } as const
    await addPerson(await database(), { username, email, password, ...rights })
    const [{ id }] = (await admin.done('GET', `/users?username=${username}`)).results
    return { id, username, email, api: as(basicOf(username)) }
  }

  async function newOrganization(): Promise<Organization> {
    const owner = await newPerson()
    const slug = `o${++count}x${Date.now() % 100_000}`
    const { id } = await owner.api.done('POST', '/organizations', { json: { slug } })
    return { id, slug, owner }
  }

  const invite = (api: Client, slug: string, email: string, role = 'worker') =>
    api.call('POST', `/invitations?org=${slug}`, { json: { email, role } })

  /** Creates a user who is a member at once; returns them with the id of the membership. */
  async function newMember({ slug, owner }: Organization, role: string) {
    const person = await newPerson()
    await invite(owner.api, slug, person.email, role)
    return { ...person, membership: await membershipOf(owner.api, slug, person) }
  }

  async function membershipOf(
    api: Client,
    slug: string,
    { username }: Pick<Person, 'username'>,
  ): Promise<number> {
    const found = await api.done('GET', `/memberships?org=${slug}&user=${username}`)
    return found.results[0].id
  }

  return { as, newPerson, newOrganization, newMember, invite, membershipOf }
}

/** Returns the status of a call. */
export const statusOf = async (api: Client, method: string, url: string, json?: object) =>
  (await api.call(method, url, { json })).status
