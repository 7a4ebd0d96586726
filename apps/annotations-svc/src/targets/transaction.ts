import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { locked } from './repo.ts'
import type { AnnotationTarget } from './target.ts'

export interface TargetWrite<R> {
  target: AnnotationTarget
  /** Whether the whole body has already arrived. */
  isWhole: boolean
  write: (tx: Transaction<AnnotationsDb>) => Promise<R>
}

/**
 * Runs a write. A write whose body has arrived is short: it uses the pool for short statements, so that it does not
 * wait for slow streams, and takes a connection only when its turn comes, so that writers waiting for a job lock hold
 * none.
 *
 * @throws DomainError conflict `annotations_locked` when other writes of the jobs in this process take too long
 */
export async function inTransaction<R>(
  deps: Deps,
  { target, isWhole, write }: TargetWrite<R>,
): Promise<R> {
  if (!isWhole) return deps.bulk.transaction().execute(write)
  const ends: (() => void)[] = []
  try {
    for (const { id } of target.jobs) ends.push(await takeTurn(deps, id)) // in id order, like the locks
    return await deps.db.transaction().execute(write)
  } finally {
    for (const end of ends) end()
  }
}

/** Resolves when the turn comes, to the function that ends it. */
function takeTurn({ turns, settings }: Deps, job: number): Promise<() => void> {
  const patience = { ms: settings.lockWaitMs, late: locked }
  return new Promise((resolve, reject) => {
    turns(String(job), () => new Promise<void>(resolve), patience).catch(reject)
  })
}
