import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Clock } from '@reticle/kit/clock'
import { forgetOld } from '@reticle/kit/outbox/inbox'
import type { Kysely } from 'kysely'
import type { RequestsDb } from './db/schema.ts'
import { deleteBlob, dropUnusedResult, findRemovable, giveUpPending } from './objects/repo.ts'
import { deleteExpired, expireResults } from './requests/repo.ts'

export interface SweepDeps {
  db: Kysely<RequestsDb>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix'>
  clock: Clock
  upload_ttl_hours: number
}

/**
 * Removes what nobody needs any more: files of requests whose life is over, uploads and results that were never referred
 * to, media of deleted tasks, and what the outbox's tables remember for too long (`reliability.md` 16.1). Several may run
 * at once.
 */
export async function sweep({ db, blobs, clock, upload_ttl_hours }: SweepDeps): Promise<void> {
  const now = clock.now()
  for (const key of await expireResults(db, now)) await dropUnusedResult(db, key)
  await deleteExpired(db, now)
  await giveUpPending(db, now, upload_ttl_hours)
  for (;;) {
    const found = await findRemovable(db, now)
    for (const { key } of found) {
      await removeObjects(blobs, key)
      await deleteBlob(db, key)
    }
    if (found.length === 0) break
  }
  await forgetOld(db, now)
}

/** A key that ends in "/" stands for everything below it. */
async function removeObjects(blobs: SweepDeps['blobs'], key: string): Promise<void> {
  if (key.endsWith('/')) await blobs.removePrefix(key)
  else await blobs.remove(key)
}

const hourMs = 3_600_000

/** Sweeps now and then every hour. */
export function startSweeper(
  deps: SweepDeps,
  onError: (thrown: unknown) => void,
): { stop: () => Promise<void> } {
  const run = () => sweep(deps).catch(onError)
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, hourMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
