import { type CallContext, signedIn } from '@reticle/kit'
import { unauthenticated } from '@reticle/kit/call/errors'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../db/schema.ts'
import { findUser } from './repo.ts'

export const userDeleted = () => unauthenticated('User inactive or deleted.')

/**
 * Returns the user of the call.
 *
 * @throws DomainError unauthenticated without a user, or when the user was deleted
 */
export async function selfOf(db: Kysely<ProjectsDb>, context: CallContext): Promise<UserRow> {
  const self = await findUser(db, signedIn(context).user_id)
  if (!self) throw userDeleted()
  return self
}
