import type { Kysely } from 'kysely'
import type { MailedKeyRow, ProjectsDb, UserRow } from '../../db/schema.ts'
import { hashOf, newMailedKey } from '../secrets.ts'
import { deleteKeys, insertKey } from './repo.ts'

/** Three days: `spec/api-workspace.md` 2.2. */
const lifeMs = 3 * 86_400_000

/** A key that is good once, for three days; one that was mailed before for the same purpose no longer is. */
export async function issueKey(
  tx: Kysely<ProjectsDb>,
  { id }: Pick<UserRow, 'id'>,
  purpose: MailedKeyRow['purpose'],
  now: Date,
): Promise<string> {
  const key = newMailedKey()
  await deleteKeys(tx, id, purpose)
  const expiry_date = new Date(now.getTime() + lifeMs)
  await insertKey(tx, { user_id: id, purpose, key_hash: hashOf(key), expiry_date })
  return key
}
