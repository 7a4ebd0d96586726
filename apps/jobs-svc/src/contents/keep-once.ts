import type { Kysely } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { lockHeld } from '../leases/lease.ts'
import { registerLive } from '../objects/repo.ts'
import { mediaPrefix } from '../operations/result-key.ts'
import { type HashedFile, insertContents, shareContents, useContents } from './repo.ts'

type KeptFor = Pick<RequestRow, 'request_uuid' | 'lease_token' | 'tenant' | 'input_key'>

/**
 * Makes the files of a request that runs known to its tenant. Those that the tenant has already are used where they are.
 * In three statements, however many they are.
 *
 * @returns where each of them is kept, by its own key; undefined when the lease is lost
 */
export function keepOnce(
  db: Kysely<RequestsDb>,
  row: KeptFor,
  files: readonly HashedFile[],
): Promise<Map<string, string> | undefined> {
  const { tenant, input_key: prefix } = row
  if (prefix === null) throw new Error('a request for media has a place for its files')
  return db.transaction().execute(async (tx) => {
    // Nothing is made known once the request is over: its files may be replaced from then on.
    if (!(await lockHeld(tx, row))) return undefined
    const keeper = { tenant, prefix }
    await insertContents(tx, keeper, files)
    const found = await useContents(tx, keeper, files)
    const missed = files.filter(({ key }) => !found.has(key))
    if (missed.length === 0) return found
    // They were known, and came to their end meanwhile.
    await insertContents(tx, keeper, missed)
    return new Map([...found, ...(await useContents(tx, keeper, missed))])
  })
}

/**
 * The media of a task is in files of a request that runs: they stay for as long as there is the task, whatever becomes of what was
 * uploaded. What the task has is known under its key (`mediaPrefix`), with whatever is made of these files below it.
 *
 * @returns false when the lease is lost
 */
export function keepForTask(
  db: Kysely<RequestsDb>,
  row: KeptFor & Pick<RequestRow, 'org_id'>,
  task_id: number,
): Promise<boolean> {
  const { input_key, org_id: organization_id } = row
  if (input_key === null) throw new Error('a request for media has a place for its files')
  return db.transaction().execute(async (tx) => {
    if (!(await lockHeld(tx, row))) return false
    const key = mediaPrefix(row, task_id)
    await registerLive(tx, { key, kind: 'media', task_id, organization_id })
    await shareContents(tx, input_key, key)
    return true
  })
}
