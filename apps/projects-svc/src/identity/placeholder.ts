import { invalid } from '@reticle/kit/errors'
import type { Kysely, Transaction } from 'kysely'
import type { ProjectsDb, UserRow } from '../db/schema.ts'
import { findUser, findUserByEmail, insertPlaceholder } from './repo.ts'

/** The account of an address, as organizations need to know it. */
export interface Account {
  id: number
  /** False: a placeholder of an invitation, which no password opens. */
  is_registered: boolean
  /** The person has proved that the address is theirs, or an administrator vouched for it. */
  is_email_verified: boolean
}

/**
 * The account of an e-mail address, in any case. Where there is none one is made, called like the address and without a
 * password: registering with that address completes it (`spec/api-workspace.md` 3.3).
 *
 * @throws DomainError invalid naming the field when somebody is called like that address, who has another one
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

/** Whom a mail about an invitation is for. */
export type Invitee = {
  /** Empty: none. */
  email: string
  username: string
  is_registered: boolean
}

/** @returns nothing when they are gone */
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
