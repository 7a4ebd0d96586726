import { jobUpdated } from '@reticle/contracts/events/tasks'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { fieldsBefore } from '../bodies/changes.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecord } from './records.ts'
import { findJob, updateJobs } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/** Moves the date of a locked job and emits an update, because a child of the job changed. */
export function touchJob(tx: Tx, id: number, cause: EventCause): Promise<void> {
  return emitJobChange(tx, id, () => updateJobs(tx, [id], {}), cause)
}

/** Emits the update that `change` makes to a locked job. */
export async function emitJobChange(
  tx: Tx,
  id: number,
  change: () => Promise<unknown>,
  cause: EventCause,
): Promise<void> {
  const record = async () => {
    const row = await findJob(tx, id)
    if (!row) throw new Error(`the locked job ${id} does not exist`)
    return jobRecord(tx, row)
  }
  const before = await record()
  await change()
  const job = await record()
  await emit(tx, jobUpdated, { job, before_update: fieldsBefore(before, job) }, cause)
}
