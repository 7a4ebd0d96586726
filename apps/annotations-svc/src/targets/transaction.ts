import type { Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { locked } from './job-rows.ts'
import type { Target } from './target.ts'

export interface Run<R> {
  target: Target
  /** Whether nothing of what is to be written is on its way any more. */
  isWhole: boolean
  write: (tx: Transaction<AnnotationsDb>) => Promise<R>
}

/**
 * Runs a write. One that is all here is short: it takes a connection of the short ones, so that it waits for nobody who reads
 * or sends slowly, and takes it when its turn has come, since who waits for the lock of a job holds one.
 *
 * @throws DomainError conflict `annotations_locked` when other writes of its jobs in this process take too long
 */
export async function inTransaction<R>(deps: Deps, { target, isWhole, write }: Run<R>): Promise<R> {
  if (!isWhole) return deps.bulk.transaction().execute(write)
  const ends: (() => void)[] = []
  try {
    for (const { id } of target.jobs) ends.push(await takeTurn(deps, id)) // in id order, as the locks
    return await deps.db.transaction().execute(write)
  } finally {
    for (const end of ends) end()
  }
}

/** Resolves, when the turn has come, to what ends it. */
function takeTurn({ turns, settings }: Deps, job: number): Promise<() => void> {
  const patience = { ms: settings.lockWaitMs, late: locked }
  return new Promise((resolve, reject) => {
    turns(String(job), () => new Promise<void>(resolve), patience).catch(reject)
  })
}
