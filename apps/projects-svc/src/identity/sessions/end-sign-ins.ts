import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { deleteKeys } from '../mail/repo.ts'
import { deleteLegacyTokens } from '../repo.ts'
import { deleteSessions } from './repo.ts'

/**
 * Ends what a user has signed in with by password: every session, but one that is to stay, and every legacy token; and the
 * keys that were mailed to choose another one. Access tokens are made to outlive that.
 */
export async function endSignIns(
  db: Kysely<ProjectsDb>,
  user_id: number,
  butSession?: number,
): Promise<void> {
  await deleteSessions(db, user_id, butSession)
  await deleteLegacyTokens(db, user_id)
  await deleteKeys(db, user_id, 'password')
}
