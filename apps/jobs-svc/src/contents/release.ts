import { keyOfAll } from '@reticle/kit/blob/spread'
import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb, UploadedFileRow } from '../db/schema.ts'
import { makeAllDead, registerAllLive } from '../objects/repo.ts'
import { type Content, dropUses, hasContents, lockContentsAt, lockContentsOf } from './repo.ts'

type Tx = Transaction<RequestsDb>

/**
 * An upload that is dead uses nothing any more. What nobody else uses dies with it, what others use gets a life of its own.
 * To be called before the objects below it are removed, any number of times.
 *
 * @returns keys below it that stay, as they stand in the registry of objects
 */
export async function releaseUpload(db: Kysely<RequestsDb>, prefix: string): Promise<string[]> {
  if (!(await hasContents(db, prefix))) return []
  return db.transaction().execute(async (tx) => {
    const kept = await release(tx, prefix, await lockContentsOf(tx, prefix))
    return kept.map(({ key }) => keyOfAll(key))
  })
}

/** @returns those that stay though the upload that brought them does not need them any more */
async function release(tx: Tx, prefix: string, locked: readonly Content[]): Promise<Content[]> {
  const forgotten = await dropUses(tx, prefix, locked)
  const isForgotten = ({ content_id }: Content) => forgotten.has(content_id)
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
 * Files of an upload that are not wanted any more, to be called when they are known no more.
 *
 * @param stillUsed keys of the other files of the upload
 * @returns keys of objects that may be removed: not those that others use, nor those that others brought
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
