import type { Kysely } from 'kysely'
import type { MailedKeyRow, ProjectsDb, UserRow } from '../../db/schema.ts'
import { hashOf, newMailedKey } from '../secrets.ts'
import { deleteKeys, insertKey } from './repo.ts'

/** Lifetime of a mailed key: three days. */
const lifeMs = 3 * 86_400_000

/** Issues a key that works once, for three days. It replaces an earlier key of the user for the same purpose. */
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
