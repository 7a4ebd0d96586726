import type { labelsChanged } from '@reticle/contracts/events/labels'
import { type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import type { AnnotationSetRow, AnnotationsDb } from '../../db/schema.ts'
import { buildHistoryCopy } from '../../history/store/keep.ts'
import { liveRows } from '../../reading/store/live.ts'
import { deleteFrom, partitionsOf } from '../../reading/store/partitions.ts'
import type { ChangeReason } from '../../targets/repo-revisions.ts'
import {
  type ChangeLedger,
  createChangeLedger,
  recordDeletions,
} from '../../writing/change-ledger.ts'

type Tx = Transaction<AnnotationsDb>
type LabelsChange = z.output<typeof labelsChanged.data>
type Replacement = LabelsChange['replaced_labels'][number]

/** State of the jobs that was read before they were locked, because the read may scan millions of rows. */
export interface LabelHolders {
  /** Revision of each job at that time. A job whose revision has changed since may have other objects. */
  revisions: ReadonlyMap<number, number>
  /** Jobs with objects of the affected labels; undefined: any job may have some. */
  holders: ReadonlySet<number> | undefined
}

export async function findHolders(
  tx: Tx,
  { task_ids, affected_label_ids: affected }: LabelsChange,
): Promise<LabelHolders> {
  const { rows } = await sql<AnnotationSetRow>`
    select job_id, revision from jobs where task_id = any(${task_ids}::int[])`.execute(tx)
  const revisions = new Map(rows.map((row) => [row.job_id, row.revision]))
  if (!affected) return { revisions, holders: undefined }
  const holders = new Set<number>()
  const jobIds = arrayOfJobs(rows)
  for (const kind of affected.length > 0 ? rowKinds : []) {
    const found = await sql<{ job_id: number }>`
      select distinct job_id from ${sql.raw(liveRows(kind, jobIds))}
      where label_id = any(${affected}::int[])`.execute(tx)
    for (const { job_id } of found.rows) holders.add(job_id)
  }
  return { revisions, holders }
}

/** Returns SQL of an array of job ids. */
const arrayOfJobs = (jobs: readonly Pick<AnnotationSetRow, 'job_id'>[]) =>
  `array[${jobs.map((job) => job.job_id).join()}]::int[]`

/**
 * Records a labels revision for jobs whose objects it does not affect. Rows that were stored under the revision before
 * count as stored under the new one, so the label sweep does not rewrite them.
 */
export async function recordLabelsRevision(
  tx: Tx,
  labels_revision: number,
  jobs: readonly AnnotationSetRow[],
): Promise<void> {
  const ids = jobs.map((one) => one.job_id)
  await sql`update jobs set labels_noted = greatest(labels_noted, ${labels_revision}),
      labels_revision = labels_revision + (labels_revision = ${labels_revision} - 1)::int
    where job_id = any(${ids}::int[])`.execute(tx)
}

/**
 * Deletes objects of deleted labels. Objects of deleted sublabels are elements, which the label sweep removes
 * (`upkeep/sweep.ts`).
 */
export async function removeObjects(
  tx: Tx,
  change: LabelsChange,
  jobs: readonly AnnotationSetRow[],
  reason: ChangeReason | undefined,
): Promise<ChangeLedger> {
  await invalidateLabelChecks(tx, change.task_ids)
  const ledger = createChangeLedger()
  const jobIds = arrayOfJobs(jobs)
  for (const kind of rowKinds) {
    const historyCopy = reason
      ? sql`, copied as (${sql.raw(buildHistoryCopy(kind, 'from stored'))})`
      : sql``
    for (const part of await partitionsOf(tx, kind, change.task_ids)) {
      const rowIds = `select stored.ctid from ${liveRows(kind, jobIds, { from: part })}
        where label_id = any(array[${change.deleted_label_ids}]::int[])`
      const { rows } = await sql<{ job_id: number; count: number }>`
        with stored as (${sql.raw(deleteFrom(part, rowIds))} returning *)${historyCopy}
        select job_id, count(*)::int as count from stored group by job_id`.execute(tx)
      for (const { job_id, count } of rows) recordDeletions(ledger, kind, job_id, count)
    }
  }
  return ledger
}

export async function lockJobsOf(tx: Tx, task_ids: readonly number[]): Promise<AnnotationSetRow[]> {
  const { rows } = await sql<AnnotationSetRow>`
    select * from jobs where task_id = any(${task_ids}::int[]) order by job_id for update`.execute(
    tx,
  )
  return rows
}

/** Makes writes fail whose objects were checked against the old labels (`assertSameLabels` in `targets/labels.ts`). */
export async function invalidateLabelChecks(tx: Tx, task_ids: readonly number[]): Promise<void> {
  await sql`update jobs set labels_changes = labels_changes + 1
    where task_id = any(${task_ids}::int[])`.execute(tx)
}

/** Replaces label and attribute ids in rows of tasks that moved into a project, which has the same labels. */
export async function replaceLabelIds(
  tx: Tx,
  kind: RowKind,
  table: RawBuilder<unknown>,
  { task_ids, replaced_labels, replaced_specs }: LabelsChange,
): Promise<void> {
  const withLabels = (column: string) => replaceIds(column, 'label_id', replaced_labels)
  const withSpecs = (text: RawBuilder<unknown>) => replaceIds(text, 'spec_id', replaced_specs)
  const from = replaced_labels.map((one) => one.from)
  const map = Object.fromEntries(replaced_labels.map((one) => [one.from, one.to]))
  const newIds = sql`${JSON.stringify(map)}::jsonb` // for lookups by key
  const jsonColumns = { tag: [], shape: ['elements'], track: ['elements', 'shapes'] }[kind]
  const sets = jsonColumns.map((name) => sql`${sql.id(name)} = ${withSpecs(withLabels(name))}`)
  await sql`
    update ${table} set ${sql.join([
      sql`label_id = (${newIds} ->> label_id::text)::int`,
      sql`attributes = ${withSpecs(sql.id('attributes'))}`,
      ...sets,
    ])}
    where task_id = any(${task_ids}::int[]) and label_id = any(${from}::int[])`.execute(tx)
}

/**
 * Replaces ids in JSON text. The text was written by this service, so a member looks like `"spec_id":90,`, which no
 * string value can contain because its quotes are escaped. New ids never equal old ids of the same task.
 */
function replaceIds(
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

/** Sets the labels revision of all revisions of tasks. */
export async function updateRevisions(
  tx: Tx,
  task_ids: readonly number[],
  labels_revision: number,
): Promise<void> {
  await sql`
    update revisions set labels_revision = ${labels_revision}
    where task_id = any(${task_ids}::int[])`.execute(tx)
}
