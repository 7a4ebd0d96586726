import { sql } from 'kysely'
import type { testOrganizations } from './organizations.ts'
import type { TestUser } from './workspace.ts'

type Given = Awaited<ReturnType<typeof testOrganizations>>

/** Builds functions that invite users into the organizations of a test workspace. */
export function createInviter({ db, over, addUser, addOrganization, as }: Given) {
  let count = 0
  const newAddress = () => `person${++count}@example.org`

  /** Adds a registered account with an address, verified by default. */
  const addRegistered = async ({
    email = newAddress(),
    is_email_verified = true,
  } = {}): Promise<TestUser & { email: string }> => {
    const user = await addUser()
    await db
      .updateTable('users')
      .set({ email, password_hash: 'hash', is_email_verified })
      .where('id', '=', user.id)
      .execute()
    return { ...user, call: user.call, email }
  }

  /** Registers the account that an invitation created. */
  const register = async (email: string, is_email_verified = true): Promise<TestUser> => {
    const { call } = await addUser()
    const { id, username } = await db
      .updateTable('users')
      .set({ password_hash: 'hash', is_email_verified })
      .where('email', '=', email)
      .returning(['id', 'username'])
      .executeTakeFirstOrThrow()
    const { principal } = call
    return {
      id,
      username,
      call: { ...call, principal: principal && { ...principal, user_id: id } },
    }
  }

  /** Adds a pending invitation of a new address, sent by the owner of a new organization. */
  const invite = async (role: 'worker' | 'supervisor' | 'maintainer' = 'worker') => {
    const organization = await addOrganization()
    const email = newAddress()
    const { organizations } = over('in-process')
    const call = await as(organization.owner, organization.id)
    const invitation = await organizations.createInvitation({ body: { email, role } }, call)
    return { organization, email, invitation, key: invitation.key }
  }

  /** Sets the sending of an invitation to seven days ago. */
  const expire = (key: string) =>
    db
      .updateTable('invitations')
      .set({ sent_date: sql<Date>`now() - interval '7 days'` })
      .where('key', '=', key)
      .execute()

  return { newAddress, addRegistered, register, invite, expire }
}
