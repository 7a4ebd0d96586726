import { type AnnotationsChange, annotationsChanged } from '@reticle/contracts/events/annotations'
import { type Context, DomainError } from '@reticle/kit'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { annotationsTag } from '../targets/etags.ts'
import { type JobRows, updateJobs } from '../targets/job-rows.ts'
import { notedOf, objectsIn } from '../targets/job-state.ts'
import type { Note } from '../targets/once.ts'
import type { Target } from '../targets/target.ts'
import { changesOf, eventsOf, type Ledger } from './ledger.ts'

/** What a write led to. */
export interface Outcome {
  etag: string
  /** Nothing when no object was touched. */
  event: { event_id: string; change: AnnotationsChange } | undefined
}

export interface Closing {
  action: AnnotationsChange['action']
  ledger: Ledger
  /** The jobs as they were when they were locked. */
  before: JobRows
  /** Revision of the labels that the objects of this write are complete for; null when it only removes. */
  labels_revision: number | null
  /** The same as far as readers were told; default: that revision, since a write is checked with today's labels. */
  labels_noted?: number
  /** The generation that takes the place of everything the jobs held before; null: that stays. */
  generation: number | null
  /** Multirange of the rows that are new to a job beside what stays there. */
  createdIds: (job: number) => string | null
  settings: Pick<Deps['settings'], 'historyDays'>
  /** Of the request in the background that it is part of. */
  rq_id?: string | undefined
  /** Its jobs do not begin with it. */
  keeps_state?: boolean | undefined
  /** Told the entity tag that the write led to. */
  note: Note | undefined
}

/**
 * The last step of a write, under the locks of its jobs: counts, revisions and the event. What touched nothing changes
 * nothing.
 */
export async function closeWrite(
  tx: Transaction<AnnotationsDb>,
  target: Target,
  closing: Closing,
  context: Context,
): Promise<Outcome> {
  const outcome = await close(tx, target, closing, context)
  await closing.note?.(tx, outcome.etag)
  return outcome
}

async function close(
  tx: Transaction<AnnotationsDb>,
  target: Target,
  closing: Closing,
  context: Context,
): Promise<Outcome> {
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

/** What is older than the rest of a job makes all of it older: it is completed once more. */
function labelsAfter(target: Target, closing: Closing, job: JobRow | undefined) {
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

const tellMs = 1000

/**
 * Calls projects-svc before the writer is answered, so that the next reader of the job sees its date and state. Where this
 * fails, which is only logged, the consumer of the event moves them.
 */
export async function tellProjects(
  { services, log }: Pick<Deps, 'services' | 'log'>,
  { event }: Outcome,
  context: Context,
): Promise<void> {
  if (!event) return
  const limit = AbortSignal.timeout(tellMs)
  const deadline = Math.min(context.deadline, Date.now() + tellMs)
  const signal = AbortSignal.any([context.signal, limit])
  const late = new Promise<never>((_, reject) => {
    limit.addEventListener('abort', () => reject(new DomainError('unavailable', 'too late')))
  })
  try {
    const told = services.tasks.annotationsChanged(
      { body: event },
      { ...context, deadline, signal },
    )
    await Promise.race([told, late])
  } catch (thrown) {
    log.debug({ err: thrown, event_id: event.event_id }, 'projects-svc will learn by event')
  }
}
