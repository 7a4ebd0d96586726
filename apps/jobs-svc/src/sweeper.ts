import { type ObjectSweep, sweepObjects } from '@reticle/kit/objects/sweep'
import { forgetOld } from '@reticle/kit/outbox/inbox'
import { dropUnusedChunks } from './chunks/repo.ts'
import { releaseUpload } from './contents/release.ts'
import type { RequestsDb } from './db/schema.ts'
import { dropUnusedResult, giveUpPending } from './objects/repo.ts'
import { deleteExpired, expireResults } from './requests/repo.ts'

export interface SweepDeps extends Omit<ObjectSweep<RequestsDb>, 'schema' | 'release'> {
  uploadTtlHours: number
  /** Of chunks that nobody asked for. */
  chunkTtlHours: number
}

const hourMs = 3_600_000

/**
 * Removes what nobody needs any more: files of requests whose life is over, uploads and results that were never referred
 * to, chunks that nobody asks for, media of deleted tasks, what crashes left in the object store, and what the outbox's tables remember for too long
 * (`reliability.md` 16.1). One process sweeps at a time.
 *
 * @returns false when another one is at it
 */
export function sweep({ uploadTtlHours, chunkTtlHours, ...deps }: SweepDeps): Promise<boolean> {
  const { db } = deps
  const release = (prefix: string) => releaseUpload(db, prefix)
  return sweepObjects({ ...deps, schema: 'requests', release }, async (now) => {
    for (const key of await expireResults(db, now)) await dropUnusedResult(db, key)
    await deleteExpired(db, now)
    await dropUnusedChunks(db, new Date(now.getTime() - chunkTtlHours * hourMs))
    await giveUpPending(db, now, uploadTtlHours)
    await forgetOld(db, now) // before the object store, which may be away
  })
}
