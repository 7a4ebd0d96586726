import { type ObjectSweep, sweepObjects } from '@reticle/kit/objects/sweep'
import { forgetOld } from '@reticle/kit/outbox/inbox'
import type { RequestsDb } from './db/schema.ts'
import { dropUnusedResult, giveUpPending } from './objects/repo.ts'
import { deleteExpired, expireResults } from './requests/repo.ts'

export interface SweepDeps extends Omit<ObjectSweep<RequestsDb>, 'schema'> {
  uploadTtlHours: number
}

/**
 * Removes what nobody needs any more: files of requests whose life is over, uploads and results that were never referred
 * to, media of deleted tasks, what crashes left in the object store, and what the outbox's tables remember for too long
 * (`reliability.md` 16.1). One process sweeps at a time.
 *
 * @returns false when another one is at it
 */
export function sweep({ uploadTtlHours, ...deps }: SweepDeps): Promise<boolean> {
  const { db } = deps
  return sweepObjects({ ...deps, schema: 'requests' }, async (now) => {
    for (const key of await expireResults(db, now)) await dropUnusedResult(db, key)
    await deleteExpired(db, now)
    await giveUpPending(db, now, uploadTtlHours)
    await forgetOld(db, now) // before the object store, which may be away
  })
}
