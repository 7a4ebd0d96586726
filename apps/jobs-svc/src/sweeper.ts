import { type ObjectSweep, sweepObjects } from '@reticle/kit/blob/objects/sweep'
import { deleteExpiredRows } from '@reticle/kit/outbox/inbox'
import type { RequestsDb } from './db/schema.ts'
import { deleteExpired, expireResults } from './requests/repo.ts'
import { releaseUpload } from './storage/release-contents.ts'
import { dropUnusedChunks } from './storage/repo-chunks.ts'
import { dropUnusedResult, giveUpPending } from './storage/repo-objects.ts'

export interface StorageSweepDeps extends Omit<ObjectSweep<RequestsDb>, 'schema' | 'release'> {
  uploadTtlHours: number
  /** Lifetime of unused chunks. */
  chunkTtlHours: number
}

const hourMs = 3_600_000

/**
 * Removes unneeded rows and objects: files of expired requests, unreferenced uploads and results, unused chunks, media
 * of deleted tasks, leftovers of crashes in the object store, and old rows of the outbox tables. One process sweeps at
 * a time. Rules: docs/spec/reliability.md#uploads-and-archives
 *
 * @returns false when another process is sweeping
 */
export function sweepStorage({
  uploadTtlHours,
  chunkTtlHours,
  ...deps
}: StorageSweepDeps): Promise<boolean> {
  const { db } = deps
  const release = (prefix: string) => releaseUpload(db, prefix)
  return sweepObjects({ ...deps, schema: 'requests', release }, async (now) => {
    for (const key of await expireResults(db, now)) await dropUnusedResult(db, key)
    await deleteExpired(db, now)
    await dropUnusedChunks(db, new Date(now.getTime() - chunkTtlHours * hourMs))
    await giveUpPending(db, now, uploadTtlHours)
    await deleteExpiredRows(db, now) // before the object store, which may be unreachable
  })
}
