import { keyOfAll } from '@reticle/kit/blob/spread'
import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow } from '../db/schema.ts'
import {
  dropUses,
  hasContents,
  lockContentsAt,
  lockContentsOf,
  type StoredContent,
} from './repo-contents.ts'
import { makeAllDead, registerAllLive } from './repo-objects.ts'

type Tx = Transaction<RequestsDb>

/**
 * Releases the contents of a dead upload. Contents without another use are deleted with it, others become separate
 * objects. Must be called before the objects below the upload are removed; may be repeated.
 *
 * @returns keys below the upload that stay, as in the registry of objects
 */
export async function releaseUpload(db: Kysely<RequestsDb>, prefix: string): Promise<string[]> {
  if (!(await hasContents(db, prefix))) return []
  return db.transaction().execute(async (tx) => {
    const kept = await release(tx, prefix, await lockContentsOf(tx, prefix))
    return kept.map(({ key }) => keyOfAll(key))
  })
}

/**
 * Drops the uses of an upload.
 *
 * @returns its own contents that others still use
 */
async function release(
  tx: Tx,
  prefix: string,
  locked: readonly StoredContent[],
): Promise<StoredContent[]> {
  const forgotten = await dropUses(tx, prefix, locked)
  const isForgotten = ({ content_id }: StoredContent) => forgotten.has(content_id)
  const kept = locked.filter((one) => !isForgotten(one) && one.home === prefix)
  await registerAllLive(
    tx,
    kept.map(({ key }) => keyOfAll(key)),
  )
  await makeAllDead(
    tx,
    locked.filter(isForgotten).map(({ key }) => keyOfAll(key)),
  )
  return kept
}

type DroppedFile = Pick<UploadedFileRow, 'key' | 'tail'>

/**
 * Releases files of an upload that are deleted. Requires that their rows are deleted.
 *
 * @param stillUsed keys of the other files of the upload
 * @returns keys of objects to remove, without contents that are used elsewhere or belong to other uploads
 */
export async function releaseFiles(
  tx: Tx,
  prefix: string,
  files: readonly DroppedFile[],
  stillUsed: ReadonlySet<string>,
): Promise<string[]> {
  const left = files.filter(({ key }) => !stillUsed.has(key))
  const locked = await lockContentsAt(
    tx,
    left.map(({ key }) => key),
  )
  const kept = new Set((await release(tx, prefix, locked)).map(({ key }) => key))
  const own = left.filter(({ key }) => key.startsWith(prefix) && !kept.has(key))
  return own.flatMap(({ key, tail }) => (tail === null ? [keyOfAll(key)] : [keyOfAll(key), tail]))
}
