import type { labelsChanged } from '@reticle/contracts/events/labels'
import { arrayOf, rowKinds } from '@reticle/contracts/row-lines'
import { EarlyEvent } from '@reticle/kit/bus/bus'
import type { EventCause } from '@reticle/kit/outbox/emit'
import { listUnhandled } from '@reticle/kit/outbox/inbox'
import { sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import { group } from '../deps.ts'
import { keepDeletedLabels } from '../history/store/deleted-labels.ts'
import { replacedTable } from '../history/store/keep.ts'
import { notedOf, objectsIn } from '../targets/job-state.ts'
import { changeByLabels, type JobChange, nothingMore } from '../targets/repo.ts'
import type { ChangeReason } from '../targets/repo-revisions.ts'
import { emitRemovedObjects } from '../upkeep/emit-removed.ts'
import {
  type ChangeLedger,
  changesOf,
  createChangeLedger,
  unreplaced,
} from '../writing/change-ledger.ts'
import { allowLong } from './repo.ts'
import {
  findHolders,
  invalidateLabelChecks,
  type LabelHolders,
  lockJobsOf,
  recordLabelsRevision,
  removeObjects,
  replaceLabelIds,
  updateRevisions,
} from './store/label-rows.ts'

type Tx = Transaction<AnnotationsDb>
type LabelsChange = z.output<typeof labelsChanged.data>

/**
 * Applies a change of labels in a project or task. Deletes objects of deleted labels. Raises the revision of jobs
 * whose objects change otherwise; `upkeep/sweep.ts` rewrites them later.
 */
export async function followLabels(
  tx: Tx,
  change: LabelsChange,
  reason: ChangeReason | undefined,
  cause: EventCause,
): Promise<void> {
  await assertInOrder(tx, change)
  await allowLong(tx)
  if (reason) await keepDeletedLabels(tx, change.deleted_labels ?? [])
  if (change.replaced_labels.length > 0) return replaceLabels(tx, change, reason)
  const seen = await findHolders(tx, change) // read without a lock, because it may scan millions of rows
  const jobs = await lockJobsOf(tx, change.task_ids)
  const fates = new Map(jobs.map((job) => [job.job_id, fateOf(job, change.labels_revision, seen)]))
  const having = (fate: Fate) => jobs.filter((job) => fates.get(job.job_id) === fate)
  const removed =
    change.deleted_label_ids.length > 0
      ? await removeObjects(tx, change, jobs, reason)
      : createChangeLedger()
  await raise(tx, change, removed, { jobs, outdated: having('outdated'), reason }, cause)
  await recordLabelsRevision(tx, change.labels_revision, having('untouched'))
}

/** Events of different keys may arrive in another order than they were emitted. */
async function assertInOrder(tx: Tx, { follows = [] }: LabelsChange): Promise<void> {
  if (follows.length === 0) return
  const [missing] = await listUnhandled(tx, group, follows, false)
  if (missing) throw new EarlyEvent(`the change of labels ${missing} has to be handled first`)
}

/**
 * Effect of the change on a job. `outdated`: reads now return something else. `known`: the job is empty, or a read
 * has already recorded the change.
 */
type Fate = 'outdated' | 'untouched' | 'known'

function fateOf(
  job: AnnotationSetRow,
  labels_revision: number,
  { revisions, holders }: LabelHolders,
): Fate {
  const noted = notedOf(job)
  if (objectsIn(job) === 0) return 'known'
  const isSure = holders && revisions.get(job.job_id) === job.revision
  if (isSure && !holders.has(job.job_id) && noted >= labels_revision - 1) return 'untouched'
  return noted < labels_revision ? 'outdated' : 'known'
}

interface Raised {
  reason: ChangeReason | undefined
  jobs: readonly AnnotationSetRow[]
  outdated: readonly AnnotationSetRow[]
}

/** Raises the revision of each job once, for deleted objects, changed reads or both. */
async function raise(
  tx: Tx,
  { project_id, labels_revision }: LabelsChange,
  ledger: ChangeLedger,
  { jobs, outdated, reason }: Raised,
  cause: EventCause,
): Promise<void> {
  const rowOf = new Map(jobs.map((job) => [job.job_id, job]))
  const ofJob = (id: number) => {
    const job = rowOf.get(id)
    return {
      ...unreplaced,
      labels_revision: null,
      labels_noted: Math.max(labels_revision, job ? notedOf(job) : 0),
    }
  }
  const changes = new Map<number, JobChange>(
    outdated.map(({ job_id }) => [job_id, { ...nothingMore, ...ofJob(job_id) }]),
  )
  for (const [id, change] of changesOf(ledger, ofJob)) if (rowOf.has(id)) changes.set(id, change)
  const changed = await changeByLabels(tx, changes, reason)
  await emitRemovedObjects(tx, ledger, changed, { project_id, cause })
}

/** Older than any revision, so that all stored objects are completed for the labels of the new owner. */
const noRevision = -1

/**
 * Replaces the labels of a task that moved into a project by the labels of the project, also in its history, where
 * they are the same labels under new ids.
 */
async function replaceLabels(
  tx: Tx,
  change: LabelsChange,
  reason: ChangeReason | undefined,
): Promise<void> {
  const { task_ids, labels_revision } = change
  const jobs = await lockJobsOf(tx, task_ids)
  await invalidateLabelChecks(tx, task_ids)
  for (const kind of rowKinds) {
    await replaceLabelIds(tx, kind, sql.table(arrayOf[kind]), change)
    await replaceLabelIds(tx, kind, replacedTable(kind), change)
  }
  await updateRevisions(tx, task_ids, noRevision)
  const filled = jobs.filter((job) => objectsIn(job) > 0)
  const changes = filled.map((job): [number, JobChange] => {
    const counts = { created: 0, updated: objectsIn(job), deleted: 0 }
    const labels = { labels_revision: noRevision, labels_noted: labels_revision }
    return [job.job_id, { ...nothingMore, ...labels, counts }]
  })
  await changeByLabels(tx, new Map(changes), reason)
}
