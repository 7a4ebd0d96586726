import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { deleteKeys } from '../mail/repo.ts'
import { deleteLegacyTokens } from '../repo.ts'
import { deleteSessions } from './repo.ts'

/**
 * Ends the sign-ins by password of a user: every session except `butSession`, every legacy token, and mailed keys for
 * a new password. Access tokens remain valid.
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
