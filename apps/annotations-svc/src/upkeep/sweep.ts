import { randomUUID } from 'node:crypto'
import { type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type CallContext, DomainError } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { notedOf } from '../targets/job-state.ts'
import { labelsOf } from '../targets/labels.ts'
import { changeByLabels, nothingMore } from '../targets/repo.ts'
import { byLabels, type ChangeReason } from '../targets/repo-revisions.ts'
import type { LabelIndex } from '../validation/labels.ts'
import { createChangeLedger, recordDeletions } from '../writing/change-ledger.ts'
import { emitRemovedObjects } from './emit-removed.ts'
import { findStale, lockStale, type StaleJob, updateCounts, updateProgress } from './repo.ts'
import { sweepBatch } from './store/batch.ts'

type Tx = Transaction<AnnotationsDb>
export type LabelSweepDeps = Pick<Deps, 'db' | 'services' | 'log' | 'settings'>

/**
 * Rewrites rows that were stored under older labels, job by job, so that reads can return them unchanged. Rows are
 * completed as readers complete them, so results and revisions do not change.
 *
 * @returns whether some jobs have to wait, because they were locked or their labels changed again
 */
export async function sweepLabels(deps: LabelSweepDeps, signal: AbortSignal): Promise<boolean> {
  let isMore = false
  for (let after = 0; !signal.aborted; ) {
    const job = await findStale(deps.db, after)
    if (!job) return isMore
    after = job.job_id
    try {
      if (!(await sweepJob(deps, job, signal))) isMore = true
    } catch (thrown) {
      // Rows of a deleted task are deleted by a pending event.
      if (thrown instanceof DomainError && thrown.kind === 'not_found') continue
      if (thrown instanceof DomainError) throw thrown
      deps.log.error({ err: thrown, job_id: job.job_id }, 'annotations were not rewritten')
    }
  }
  return isMore
}

/** Progress in a job, stored in its row, so that replicas share the work and a new process continues it. */
const position = z.object({
  revision: z.int(),
  kind: z.enum(rowKinds),
  frame: z.int(),
  id: z.int(),
})
type Position = z.infer<typeof position>

const startOf = (revision: number, kind: RowKind): Position => ({
  revision,
  kind,
  frame: -1,
  id: 0,
})

/** Resolves to whether the job is finished. */
async function sweepJob(
  deps: LabelSweepDeps,
  job: StaleJob,
  signal: AbortSignal,
): Promise<boolean> {
  const labels = await labelsOf(deps, job, contextOf(signal))
  const sum = { rewritten: 0, removed: 0 }
  while (!signal.aborted) {
    const step = await deps.db.transaction().execute((tx) => takeStep(tx, deps, job, labels))
    if (!step) return false
    sum.rewritten += step.rewritten
    sum.removed += step.removed
    if (!step.isDone) continue
    const about = { ...job, labels_revision: labels.labels_revision, ...sum }
    deps.log.info(about, 'annotations were rewritten for changed labels')
    return true
  }
  return false
}

const callMs = 10_000

function contextOf(signal: AbortSignal): CallContext {
  const deadline = Date.now() + callMs
  return { principal: null, request_id: randomUUID(), deadline, signal }
}

interface Step {
  isDone: boolean
  rewritten: number
  removed: number
}

/**
 * Processes one batch while the job is locked, without waiting for the lock; undefined when it is locked or its
 * labels changed.
 */
async function takeStep(
  tx: Tx,
  { settings }: Pick<LabelSweepDeps, 'settings'>,
  stale: StaleJob,
  labels: LabelIndex,
): Promise<Step | undefined> {
  const job = await lockStale(tx, stale, labels.labels_revision)
  if (!job) return undefined
  await noteLabels(tx, job, labels, byLabels(settings))
  const { kind, ...after } = positionOf(job, labels)
  const { last, rewritten, removed } = await sweepBatch(tx, kind, job, after, labels)
  const next = nextOf(kind, last, labels)
  const labels_revision = next ? job.labels_revision : labels.labels_revision
  await updateProgress(tx, job.job_id, { labels_sweep: next, labels_revision })
  if (removed > 0) await countRemoved(tx, job, kind, removed)
  return { isDone: !next, rewritten, removed }
}

/** Labels may have changed before their event arrived. */
async function noteLabels(
  tx: Tx,
  job: AnnotationSetRow,
  { labels_revision }: LabelIndex,
  reason: ChangeReason | undefined,
): Promise<void> {
  if (notedOf(job) >= labels_revision) return
  const change = { ...nothingMore, labels_revision: null, labels_noted: labels_revision }
  await changeByLabels(tx, new Map([[job.job_id, change]]), reason)
}

function positionOf({ labels_sweep }: AnnotationSetRow, { labels_revision }: LabelIndex): Position {
  const left = position.safeParse(labels_sweep).data
  return left?.revision === labels_revision ? left : startOf(labels_revision, rowKinds[0])
}

function nextOf(
  kind: RowKind,
  last: { frame: number; id: number } | undefined,
  { labels_revision }: LabelIndex,
): Position | null {
  if (last) return { revision: labels_revision, kind, ...last }
  const following = rowKinds[rowKinds.indexOf(kind) + 1]
  return following ? startOf(labels_revision, following) : null
}

/** Readers no longer see these objects, so counts change but revisions do not. */
async function countRemoved(
  tx: Tx,
  { job_id }: AnnotationSetRow,
  kind: RowKind,
  count: number,
): Promise<void> {
  const ledger = createChangeLedger()
  recordDeletions(ledger, kind, job_id, count)
  const changed = await updateCounts(tx, job_id, ledger.jobs.get(job_id)?.delta ?? nothingMore)
  const cause = { principal: null, request_id: randomUUID() }
  await emitRemovedObjects(tx, ledger, changed, { project_id: null, cause })
}
