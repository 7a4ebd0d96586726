import type { labelsChanged } from '@reticle/contracts/events/labels'
import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { EarlyEvent } from '@reticle/kit/bus/bus'
import type { EventCause } from '@reticle/kit/outbox/emit'
import { listUnhandled } from '@reticle/kit/outbox/inbox'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import { group } from '../deps.ts'
import { keepDeletedLabels } from '../history/deleted-labels.ts'
import { keepRows, replacedTable } from '../history/keep.ts'
import { liveRows } from '../reading/live.ts'
import { deleteFrom, partitionsOf } from '../reading/partitions.ts'
import { changeByLabels, type JobChange, nothingMore } from '../targets/job-rows.ts'
import { notedOf, objectsIn } from '../targets/job-state.ts'
import type { ChangeReason } from '../targets/record.ts'
import { emitRemovedObjects } from '../upkeep/emit-removed.ts'
import {
  type ChangeLedger,
  changesOf,
  createChangeLedger,
  recordDeletions,
  unreplaced,
} from '../writing/change-ledger.ts'
import { allowLong } from './repo.ts'

type Tx = Transaction<AnnotationsDb>
type LabelsChange = z.output<typeof labelsChanged.data>
type Replacement = LabelsChange['replaced_labels'][number]

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
  await keep(tx, change.labels_revision, having('untouched'))
}

/** Events of different keys may arrive in another order than they were emitted. */
async function assertInOrder(tx: Tx, { follows = [] }: LabelsChange): Promise<void> {
  if (follows.length === 0) return
  const [missing] = await listUnhandled(tx, group, follows, false)
  if (missing) throw new EarlyEvent(`the change of labels ${missing} has to be handled first`)
}

/** State of the jobs that was read before they were locked. */
interface Seen {
  revisions: ReadonlyMap<number, number>
  /** Jobs with objects of the affected labels; undefined: any job may have some. */
  holders: ReadonlySet<number> | undefined
}

async function findHolders(
  tx: Tx,
  { task_ids, affected_label_ids: affected }: LabelsChange,
): Promise<Seen> {
  const { rows } = await sql<AnnotationSetRow>`
    select job_id, revision from jobs where task_id = any(${task_ids}::int[])`.execute(tx)
  const revisions = new Map(rows.map((row) => [row.job_id, row.revision]))
  if (!affected) return { revisions, holders: undefined }
  const holders = new Set<number>()
  const jobsOf = arrayOfJobs(rows)
  for (const kind of affected.length > 0 ? rowKinds : []) {
    const found = await sql<{ job_id: number }>`
      select distinct job_id from ${sql.raw(liveRows(kind, jobsOf))}
      where label_id = any(${affected}::int[])`.execute(tx)
    for (const { job_id } of found.rows) holders.add(job_id)
  }
  return { revisions, holders }
}

const arrayOfJobs = (jobs: readonly Pick<AnnotationSetRow, 'job_id'>[]) =>
  `array[${jobs.map((job) => job.job_id).join()}]::int[]`

/**
 * Effect of the change on a job. `outdated`: reads now return something else. `known`: the job is empty, or a read
 * has already recorded the change.
 */
type Fate = 'outdated' | 'untouched' | 'known'

function fateOf(
  job: AnnotationSetRow,
  labels_revision: number,
  { revisions, holders }: Seen,
): Fate {
  const noted = notedOf(job)
  if (objectsIn(job) === 0) return 'known'
  const isSure = holders && revisions.get(job.job_id) === job.revision
  if (isSure && !holders.has(job.job_id) && noted >= labels_revision - 1) return 'untouched'
  return noted < labels_revision ? 'outdated' : 'known'
}

/** Marks jobs that the change does not affect as complete for the new labels revision. */
async function keep(
  tx: Tx,
  labels_revision: number,
  jobs: readonly AnnotationSetRow[],
): Promise<void> {
  const ids = jobs.map((one) => one.job_id)
  await sql`update jobs set labels_noted = greatest(labels_noted, ${labels_revision}),
      labels_revision = labels_revision + (labels_revision = ${labels_revision} - 1)::int
    where job_id = any(${ids}::int[])`.execute(tx)
}

/** Deletes objects of deleted labels. Objects of deleted sublabels are elements, which the sweep removes. */
async function removeObjects(
  tx: Tx,
  change: LabelsChange,
  jobs: readonly AnnotationSetRow[],
  reason: ChangeReason | undefined,
): Promise<ChangeLedger> {
  await noteRemoval(tx, change.task_ids)
  const ledger = createChangeLedger()
  const jobsOf = arrayOfJobs(jobs)
  for (const kind of rowKinds) {
    const keeping = reason ? sql`, kept as (${sql.raw(keepRows(kind, 'from stored'))})` : sql``
    for (const part of await partitionsOf(tx, kind, change.task_ids)) {
      const rowIds = `select stored.ctid from ${liveRows(kind, jobsOf, { from: part })}
        where label_id = any(array[${change.deleted_label_ids}]::int[])`
      const { rows } = await sql<{ job_id: number; count: number }>`
        with stored as (${sql.raw(deleteFrom(part, rowIds))} returning *)${keeping}
        select job_id, count(*)::int as count from stored group by job_id`.execute(tx)
      for (const { job_id, count } of rows) recordDeletions(ledger, kind, job_id, count)
    }
  }
  return ledger
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

async function lockJobsOf(tx: Tx, task_ids: readonly number[]): Promise<AnnotationSetRow[]> {
  const { rows } = await sql<AnnotationSetRow>`
    select * from jobs where task_id = any(${task_ids}::int[]) order by job_id for update`.execute(
    tx,
  )
  return rows
}

/** Makes writes that were checked with the old labels fail (`assertSameLabels`). */
async function noteRemoval(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await sql`update jobs set labels_changes = labels_changes + 1
    where task_id = any(${task_ids}::int[])`.execute(tx)
}

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
  await noteRemoval(tx, task_ids)
  for (const kind of rowKinds) {
    await exchangeLabels(tx, kind, sql.table(arrayOf[kind]), change)
    await exchangeLabels(tx, kind, replacedTable(kind), change)
  }
  await sql`
    update revisions set labels_revision = ${noRevision}
    where task_id = any(${task_ids}::int[])`.execute(tx)
  const filled = jobs.filter((job) => objectsIn(job) > 0)
  const changes = filled.map((job): [number, JobChange] => {
    const counts = { created: 0, updated: objectsIn(job), deleted: 0 }
    const labels = { labels_revision: noRevision, labels_noted: labels_revision }
    return [job.job_id, { ...nothingMore, ...labels, counts }]
  })
  await changeByLabels(tx, new Map(changes), reason)
}

async function exchangeLabels(
  tx: Tx,
  kind: RowKind,
  table: RawBuilder<unknown>,
  { task_ids, replaced_labels, replaced_specs }: LabelsChange,
): Promise<void> {
  const labels = (column: string) => replaced(column, 'label_id', replaced_labels)
  const specs = (text: RawBuilder<unknown>) => replaced(text, 'spec_id', replaced_specs)
  const from = replaced_labels.map((one) => one.from)
  const map = Object.fromEntries(replaced_labels.map((one) => [one.from, one.to]))
  const idsTo = sql`${JSON.stringify(map)}::jsonb` // for lookups by key
  const texts = { tag: [], shape: ['elements'], track: ['elements', 'shapes'] }[kind]
  const sets = texts.map((name) => sql`${sql.id(name)} = ${specs(labels(name))}`)
  await sql`
    update ${table} set ${sql.join([
      sql`label_id = (${idsTo} ->> label_id::text)::int`,
      sql`attributes = ${specs(sql.id('attributes'))}`,
      ...sets,
    ])}
    where task_id = any(${task_ids}::int[]) and label_id = any(${from}::int[])`.execute(tx)
}

/**
 * Replaces ids in JSON text. The text was written by this service, so a member looks like `"spec_id":90,`, which no
 * string value can contain because its quotes are escaped. New ids never equal old ids of the same task.
 */
function replaced(
  text: string | RawBuilder<unknown>,
  member: 'label_id' | 'spec_id',
  ids: readonly Replacement[],
): RawBuilder<unknown> {
  const start = typeof text === 'string' ? sql`${sql.id(text)}` : text
  return ids.reduce<RawBuilder<unknown>>(
    (inner, { from, to }) =>
      sql`replace(${inner}, ${`"${member}":${from},`}::text, ${`"${member}":${to},`}::text)`,
    start,
  )
}
