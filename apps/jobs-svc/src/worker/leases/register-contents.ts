import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../../db/schema.ts'
import {
  type HashedFile,
  insertContents,
  shareContents,
  useContents,
} from '../../storage/repo-contents.ts'
import { registerLive } from '../../storage/repo-objects.ts'
import { mediaPrefix } from '../../work/result-key.ts'
import { lockHeld } from './repo-leases.ts'

type ContentRequest = Pick<RequestRow, 'request_uuid' | 'lease_token' | 'tenant' | 'input_key'>

/**
 * Registers the files of a running request as contents of its tenant. Existing contents are used instead. Takes three
 * statements for any number of files.
 *
 * @returns the key of each content, by the key of the file; undefined when the lease is lost
 */
export function registerContents(
  db: Kysely<RequestsDb>,
  row: ContentRequest,
  files: readonly HashedFile[],
): Promise<Map<string, string> | undefined> {
  const { tenant, input_key: prefix } = row
  if (prefix === null) throw new Error('a request for media must have an input_key')
  return db.transaction().execute(async (tx) => {
    // After the end of a request its files may be replaced, so nothing is registered.
    if (!(await lockHeld(tx, row))) return undefined
    const keeper = { tenant, prefix }
    await insertContents(tx, keeper, files)
    const found = await useContents(tx, keeper, files)
    const missed = files.filter(({ key }) => !found.has(key))
    if (missed.length === 0) return found
    // These contents existed, but were deleted meanwhile.
    await insertContents(tx, keeper, missed)
    return new Map([...found, ...(await useContents(tx, keeper, missed))])
  })
}

/**
 * Keeps the files of a running request as media of a task for as long as the task exists, independently of the upload.
 * The uses are registered under the key prefix of the task (`mediaPrefix`), together with generated files.
 *
 * @returns false when the lease is lost
 */
export function shareWithTask(
  db: Kysely<RequestsDb>,
  row: ContentRequest & Pick<RequestRow, 'org_id'>,
  task_id: number,
): Promise<boolean> {
  const { input_key, org_id: organization_id } = row
  if (input_key === null) throw new Error('a request for media must have an input_key')
  return db.transaction().execute(async (tx) => {
    if (!(await lockHeld(tx, row))) return false
    const key = mediaPrefix(row, task_id)
    await registerLive(tx, { key, kind: 'media', task_id, organization_id })
    await shareContents(tx, input_key, key)
    return true
  })
}
