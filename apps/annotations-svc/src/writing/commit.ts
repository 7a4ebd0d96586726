import { type AnnotationsChange, annotationsChanged } from '@reticle/contracts/events/annotations'
import { type CallContext, DomainError } from '@reticle/kit'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { annotationsTag } from '../targets/etags.ts'
import { notedOf, objectsIn } from '../targets/job-state.ts'
import type { Note } from '../targets/once.ts'
import { type JobRows, updateJobs } from '../targets/repo.ts'
import type { AnnotationTarget } from '../targets/target.ts'
import { type ChangeLedger, changesOf, eventsOf } from './change-ledger.ts'

/** Result of a write. */
export interface WriteOutcome {
  etag: string
  /** Undefined when no object was changed. */
  event: { event_id: string; change: AnnotationsChange } | undefined
}

export interface Closing {
  action: AnnotationsChange['action']
  ledger: ChangeLedger
  /** Rows of the jobs at the time of the lock. */
  before: JobRows
  /** Labels revision that the objects of this write are complete for; null when it only deletes. */
  labels_revision: number | null
  /**
   * Labels revision that is recorded as known to readers; default: `labels_revision`, because a write is checked with
   * the current labels.
   */
  labels_noted?: number
  /** New generation that replaces all objects of the jobs; null: existing objects stay. */
  generation: number | null
  /** Returns the multirange of rows that are new to a job beside existing ones. */
  createdIds: (job: number) => string | null
  settings: Pick<Deps['settings'], 'historyDays'>
  /** Id of the background request that the write is part of. */
  rq_id?: string | undefined
  /** Whether the jobs keep their state instead of being started. */
  keeps_state?: boolean | undefined
  /** Called with the resulting entity tag. */
  note: Note | undefined
}

/**
 * Ends a write while its jobs are locked: updates counts and revisions and emits the event. A write without changes
 * has no effect.
 */
export async function closeWrite(
  tx: Transaction<AnnotationsDb>,
  target: AnnotationTarget,
  closing: Closing,
  context: CallContext,
): Promise<WriteOutcome> {
  const outcome = await close(tx, target, closing, context)
  await closing.note?.(tx, outcome.etag)
  return outcome
}

async function close(
  tx: Transaction<AnnotationsDb>,
  target: AnnotationTarget,
  closing: Closing,
  context: CallContext,
): Promise<WriteOutcome> {
  const { action, ledger, before, rq_id, keeps_state } = closing
  if (ledger.touched === 0) return { etag: annotationsTag(target, before), event: undefined }
  const ofJob = (job: number) => ({
    ...labelsAfter(target, closing, before.get(job)),
    generation: closing.generation,
    created_ids: closing.createdIds(job),
  })
  const isKept = closing.settings.historyDays > 0
  const reason = isKept ? { action, cause: context, rq_id } : undefined
  const rows = await updateJobs(tx, changesOf(ledger, ofJob), reason)
  const after = new Map(before)
  for (const row of rows) after.set(row.job_id, row)
  const sorted = rows.sort((a, b) => a.job_id - b.job_id)
  const place = { task_id: target.task_id, project_id: target.project_id ?? undefined }
  const kept = keeps_state ? { keeps_state } : {}
  const change = { ...place, action, ...kept, jobs: eventsOf(ledger, sorted, action) }
  const cause = { ...context, organization_id: target.organization_id }
  const event_id = await emit(tx, annotationsChanged, change, cause)
  return { etag: annotationsTag(target, after), event: { event_id, change } }
}

/**
 * When new objects are complete for an older revision than the rest of the job, the whole job is marked as older and
 * completed again.
 */
function labelsAfter(
  target: AnnotationTarget,
  closing: Closing,
  job: AnnotationSetRow | undefined,
) {
  const { labels_revision, labels_noted = labels_revision, generation } = closing
  if (labels_revision === null) {
    const noted = job ? Math.max(notedOf(job), target.labels_revision) : null
    return { labels_revision, labels_noted: noted }
  }
  const isAll = generation !== null || !job || objectsIn(job) === 0
  const isOlder = job !== undefined && labels_revision < job.labels_revision
  return {
    labels_revision: isAll || isOlder ? labels_revision : null,
    labels_noted,
  }
}

const notifyMs = 1000

/**
 * Calls projects-svc before the response is sent, so that the next reader of the job sees its date and state. A
 * failure is only logged, because the consumer of the event updates them as well.
 */
export async function notifyProjects(
  { services, log }: Pick<Deps, 'services' | 'log'>,
  { event }: WriteOutcome,
  context: CallContext,
): Promise<void> {
  if (!event) return
  const limit = AbortSignal.timeout(notifyMs)
  const deadline = Math.min(context.deadline, Date.now() + notifyMs)
  const signal = AbortSignal.any([context.signal, limit])
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new DomainError('unavailable', 'too late')))
  })
  try {
    const notifications = services.tasks.annotationsChanged(
      { body: event },
      { ...context, deadline, signal },
    )
    await Promise.race([notifications, late])
  } catch (thrown) {
    log.debug({ err: thrown, event_id: event.event_id }, 'projects-svc will learn by event')
  }
}
