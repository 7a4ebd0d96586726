import { annotationsChanged } from '@reticle/contracts/events/annotations'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import { type ChangeLedger, eventsOf } from '../writing/change-ledger.ts'

/**
 * Emits an event per task about objects that were deleted because of their labels.
 *
 * @param jobs current rows; those without deletions are skipped
 */
export async function emitRemovedObjects(
  tx: Transaction<AnnotationsDb>,
  ledger: ChangeLedger,
  jobs: readonly AnnotationSetRow[],
  { project_id, cause }: { project_id: number | null; cause: EventCause },
): Promise<void> {
  const poorer = jobs.filter((job) => ledger.jobs.has(job.job_id))
  for (const task_id of new Set(poorer.map((job) => job.task_id))) {
    const own = poorer.filter((job) => job.task_id === task_id)
    const place = { task_id, project_id: project_id ?? undefined }
    const fact = { ...place, action: 'delete' as const, jobs: eventsOf(ledger, own, 'delete') }
    await emit(tx, annotationsChanged, fact, cause)
  }
}
