import { type Kysely, sql } from 'kysely'
import { DomainError } from '../../call/errors.ts'
import type { Logger } from '../../observe/log.ts'
import type { Clock } from '../../scheduling/clock.ts'
import type { BlobStore } from '../blob.ts'
import { namesOf, removeOrphans } from './orphans.ts'
import { findRemovable, findSwept, forgetObject, noteSwept, putOffRemoval } from './registry.ts'

export interface ObjectSweep<T> {
  db: Kysely<T>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix' | 'removeUnfinished' | 'list'>
  /** Schema of the registry; keys of its objects begin with this name. */
  schema: string
  clock: Clock
  log: Logger
  /**
   * Called before all objects below a dead prefix are removed. Returns the keys below it, of objects or prefixes, that
   * stay; each must have its own row by then.
   */
  release?: (prefix: string) => Promise<readonly string[]>
  /** Ends a sweep between two objects; the next sweep continues. */
  signal?: AbortSignal
}

const hourMs = 3_600_000
const weekMs = 7 * 24 * hourMs
/** Milliseconds after which an unfinished put counts as abandoned. */
const unfinishedMs = 24 * hourMs

/**
 * Removes dead objects and the leftovers of crashes in the object store. `first` runs before and marks objects as dead.
 * One process per schema sweeps at a time.
 * @returns false if another process is sweeping
 */
export function sweepObjects<T>(
  deps: ObjectSweep<T>,
  first: (now: Date) => Promise<void>,
): Promise<boolean> {
  return alone(deps, async () => {
    const now = deps.clock.now()
    await first(now)
    await removeDead(deps, now)
    await deps.blobs.removeUnfinished(new Date(now.getTime() - unfinishedMs))
    await sweepOrphans(deps, now)
  })
}

/** Runs under a lock of the session, which is released if the process dies. */
function alone<T>(
  { db, schema }: Pick<ObjectSweep<T>, 'db' | 'schema'>,
  run: () => Promise<void>,
): Promise<boolean> {
  const name = sql`hashtext(${`sweep.${schema}`})`
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

async function removeDead<T>(deps: ObjectSweep<T>, now: Date): Promise<void> {
  const { db, log, signal } = deps
  for (;;) {
    const found = await findRemovable(db, now)
    for (const key of found) {
      signal?.throwIfAborted()
      try {
        await removeBelow(deps, key)
        await forgetObject(db, key)
      } catch (thrown) {
        if (thrown instanceof DomainError) throw thrown // an unreachable store would fail for the other objects too
        log.warn({ err: thrown, key }, 'an object could not be removed; the next try is in an hour')
        await putOffRemoval(db, key, now)
      }
    }
    if (found.length === 0) return
  }
}

/** Removes an object, or all objects below a key that ends in "/". */
async function removeBelow<T>(
  { blobs, release }: Pick<ObjectSweep<T>, 'blobs' | 'release'>,
  key: string,
): Promise<void> {
  if (!key.endsWith('/')) return blobs.remove(key)
  const staying = new Set(await release?.(key))
  if (staying.size === 0) {
    await blobs.removePrefix(key)
    return
  }
  for await (const one of blobs.list(key))
    if (!namesOf(one).some((name) => staying.has(name))) await blobs.remove(one.key)
}

/** Removes orphans once a week, because it reads the complete list of objects. */
async function sweepOrphans<T>(deps: ObjectSweep<T>, now: Date): Promise<void> {
  const { db, log, schema, signal } = deps
  const last = await findSwept(db, 'orphans')
  if (last && now.getTime() - last.getTime() < weekMs) return
  const onOrphan = ({ key, size }: { key: string; size: number }) =>
    log.warn({ key, size }, 'an object that nobody knows is removed')
  await removeOrphans({ ...deps, prefix: `${schema}/` }, { now, onOrphan, signal })
  await noteSwept(db, 'orphans', now)
}
