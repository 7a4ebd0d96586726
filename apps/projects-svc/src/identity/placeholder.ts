import { invalid } from '@reticle/kit/call/errors'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb, UserRow } from '../db/schema.ts'
import { findUser, findUserByEmail, insertPlaceholder } from './repo.ts'

/** Account of an address, with the fields that organizations need. */
export interface Account {
  id: number
  /** False: the account was created by an invitation and has no password. */
  is_registered: boolean
  /** Whether the user has confirmed the address, or an administrator has. */
  is_email_verified: boolean
}

/**
 * Returns the account of an e-mail address, without regard to case. If none exists it creates one, with the address
 * as user name and without a password; registering with that address completes it
 * (`docs/spec/access.md#invitations`).
 *
 * @throws DomainError invalid naming the field when the address is the user name of another account
 */
export async function accountOf(tx: Transaction<ProjectsDb>, address: string): Promise<Account> {
  const email = address.toLowerCase()
  const known = await findUserByEmail(tx, email)
  if (known) return accountIn(known)
  await insertPlaceholder(tx, email)
  const made = await findUserByEmail(tx, email)
  if (!made) throw invalid({ email: 'This address is the user name of another account.' })
  return accountIn(made)
}

/** Recipient of a mail about an invitation. */
export type Invitee = {
  /** Empty: no address. */
  email: string
  username: string
  is_registered: boolean
}

/** Returns the recipient; undefined when the user was deleted. */
export async function inviteeOf(db: Kysely<ProjectsDb>, id: number): Promise<Invitee | undefined> {
  const user = await findUser(db, id)
  if (!user) return undefined
  const { email, username, password_hash } = user
  return { email, username, is_registered: password_hash !== '' }
}

const accountIn = ({
  id,
  password_hash,
  is_email_verified,
}: Pick<UserRow, 'id' | 'password_hash' | 'is_email_verified'>): Account => ({
  id,
  is_registered: password_hash !== '',
  is_email_verified,
})
