import { DomainError } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Clock } from '@reticle/kit/clock'
import type { Logger } from '@reticle/kit/log'
import { forgetOld } from '@reticle/kit/outbox/inbox'
import { type Kysely, sql } from 'kysely'
import type { RequestsDb } from './db/schema.ts'
import { removeOrphans } from './objects/orphans.ts'
import {
  deleteBlob,
  dropUnusedResult,
  findRemovable,
  findSwept,
  giveUpPending,
  noteSwept,
  putOffRemoval,
} from './objects/repo.ts'
import { deleteExpired, expireResults } from './requests/repo.ts'

export interface SweepDeps {
  db: Kysely<RequestsDb>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix' | 'removeUnfinished' | 'list'>
  clock: Clock
  log: Logger
  uploadTtlHours: number
  /** Ends a sweep between two objects; the next one goes on. */
  signal?: AbortSignal
}

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
/** No put lasts so long. */
const unfinishedMs = 24 * hourMs

/**
 * Removes what nobody needs any more: files of requests whose life is over, uploads and results that were never referred
 * to, media of deleted tasks, what crashes left in the object store, and what the outbox's tables remember for too long
 * (`reliability.md` 16.1). One process sweeps at a time.
 *
 * @returns false when another one is at it
 */
export function sweep(deps: SweepDeps): Promise<boolean> {
  return alone(deps.db, async () => {
    const { db, blobs, clock, uploadTtlHours } = deps
    const now = clock.now()
    for (const key of await expireResults(db, now)) await dropUnusedResult(db, key)
    await deleteExpired(db, now)
    await giveUpPending(db, now, uploadTtlHours)
    await forgetOld(db, now) // before the object store, which may be away
    await removeDead(deps, now)
    await blobs.removeUnfinished(new Date(now.getTime() - unfinishedMs))
    await sweepOrphans(deps, now)
  })
}

/** The lock belongs to a session, so that it ends with the process that holds it. */
function alone(db: Kysely<RequestsDb>, run: () => Promise<void>): Promise<boolean> {
  const name = sql`hashtext('sweep.requests')`
  return db.connection().execute(async (session) => {
    const { rows } = await sql<{ is_mine: boolean }>`
      select pg_try_advisory_lock(${name}) as is_mine`.execute(session)
    if (!rows[0]?.is_mine) return false
    try {
      await run()
    } finally {
      await sql`select pg_advisory_unlock(${name})`.execute(session)
    }
    return true
  })
}

async function removeDead({ db, blobs, log, signal }: SweepDeps, now: Date): Promise<void> {
  for (;;) {
    const found = await findRemovable(db, now)
    for (const { key } of found) {
      signal?.throwIfAborted()
      try {
        await removeObjects(blobs, key)
        await deleteBlob(db, key)
      } catch (thrown) {
        if (thrown instanceof DomainError) throw thrown // the store is away: so it is for the others
        log.warn({ err: thrown, key }, 'an object could not be removed; the next try is in an hour')
        await putOffRemoval(db, key, now)
      }
    }
    if (found.length === 0) return
  }
}

/** A key that ends in "/" stands for everything below it. */
async function removeObjects(blobs: SweepDeps['blobs'], key: string): Promise<void> {
  if (key.endsWith('/')) await blobs.removePrefix(key)
  else await blobs.remove(key)
}

/** Once a week, because it reads the whole list. */
async function sweepOrphans({ db, blobs, log, signal }: SweepDeps, now: Date): Promise<void> {
  const last = await findSwept(db, 'orphans')
  if (last && now.getTime() - last.getTime() < weekMs) return
  const onOrphan = ({ key, size }: { key: string; size: number }) =>
    log.warn({ key, size }, 'an object that nobody knows is removed')
  await removeOrphans({ db, blobs }, { now, onOrphan, signal })
  await noteSwept(db, 'orphans', now)
}
