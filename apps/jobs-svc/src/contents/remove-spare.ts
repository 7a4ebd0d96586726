import type { BlobStore } from '@reticle/kit/blob/blob'
import { keyOfAll } from '@reticle/kit/blob/spread'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { mapInBatches } from '../media/map-in-batches.ts'
import { forgetDead } from '../objects/repo.ts'

export interface SpareDeps {
  db: Kysely<RequestsDb>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix'>
}

/** Removes duplicate files at once, as no reader uses them. After a failure, the sweeper removes the rest. */
export async function removeSpare(
  { db, blobs }: SpareDeps,
  spare: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const keys = [...new Set(spare.map(keyOfAll))]
  const remove = async (key: string) => {
    if (key.endsWith('/')) await blobs.removePrefix(key)
    else await blobs.remove(key)
  }
  for await (const _ of mapInBatches(keys, remove, signal));
  await forgetDead(db, keys)
}
