import { annotationsChanged } from '@reticle/contracts/events/annotations'
import type { labelsChanged } from '@reticle/contracts/events/labels'
import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { z } from 'zod'
import type { AnnotationsSettings } from '../config.ts'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import { keepRows, replacedTable } from '../history/keep.ts'
import { type JobChange, type Reason, updateJobs } from '../history/record.ts'
import { changesOf, eventsOf, kept, newLedger, noteGone } from '../writing/ledger.ts'
import { allowLong } from './repo.ts'

type Tx = Transaction<AnnotationsDb>
type LabelsChange = z.output<typeof labelsChanged.data>
type Replacement = LabelsChange['replaced_labels'][number]

/** Labels of a project or task changed; attributes that were added are completed by whoever reads. */
export async function followLabels(
  tx: Tx,
  change: LabelsChange,
  cause: Cause,
  { historyDays }: Pick<AnnotationsSettings, 'historyDays'>,
): Promise<void> {
  await allowLong(tx)
  const reason = historyDays > 0 ? { action: 'label_change' as const, cause } : undefined
  if (change.deleted_label_ids.length > 0) await removeLabels(tx, change, cause, reason)
  if (change.replaced_labels.length > 0) await replaceLabels(tx, change, reason)
}

/** Objects of deleted labels go; elements of deleted sublabels are left out by readers. */
async function removeLabels(
  tx: Tx,
  change: LabelsChange,
  cause: Cause,
  reason: Reason | undefined,
): Promise<void> {
  const jobs = await lockJobsOf(tx, change.task_ids)
  const ledger = newLedger()
  for (const kind of rowKinds) {
    const keeping = reason ? sql`, kept as (${keepRows(kind, sql`from stored`)})` : sql``
    const { rows } = await sql<{ job_id: number; count: number }>`
      with stored as (
        delete from ${sql.table(arrayOf[kind])} as live using jobs
        where live.task_id = any(${change.task_ids}::int[])
          and live.label_id = any(${change.deleted_label_ids}::int[])
          and jobs.job_id = live.job_id and jobs.generation = live.generation
        returning live.*)${keeping}
      select job_id, count(*)::int as count from stored group by job_id`.execute(tx)
    for (const { job_id, count } of rows) noteGone(ledger, kind, job_id, count)
  }
  const taskOf = new Map(jobs.map((job) => [job.job_id, job.task_id]))
  const changes = [...changesOf(ledger, kept)].filter(([job]) => taskOf.has(job))
  const changed = await updateJobs(tx, new Map(changes), reason)
  for (const task_id of new Set(changed.map((job) => job.task_id))) {
    const own = changed.filter((job) => job.task_id === task_id)
    const place = { task_id, project_id: change.project_id ?? undefined }
    const fact = { ...place, action: 'delete' as const, jobs: eventsOf(ledger, own, 'delete') }
    await emit(tx, annotationsChanged, fact, cause)
  }
}

/** Locks the jobs, and lets writes that were checked with the labels of before know (`assertSameLabels`). */
async function lockJobsOf(tx: Tx, task_ids: readonly number[]): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    select * from jobs where task_id = any(${task_ids}::int[]) order by job_id for update`.execute(
    tx,
  )
  await sql`
    update jobs set labels_changes = labels_changes + 1
    where task_id = any(${task_ids}::int[])`.execute(tx)
  return rows
}

/** Older than any: whatever is stored has to be completed for the labels of the new owner. */
const noRevision = -1

/**
 * A task that moved into a project has the labels of the project in place of its own, in its history as well: there they
 * are the same labels under new numbers.
 */
async function replaceLabels(
  tx: Tx,
  change: LabelsChange,
  reason: Reason | undefined,
): Promise<void> {
  const { task_ids } = change
  const jobs = await lockJobsOf(tx, task_ids)
  for (const kind of rowKinds) {
    await exchangeLabels(tx, kind, sql.table(arrayOf[kind]), change)
    await exchangeLabels(tx, kind, replacedTable(kind), change)
  }
  await sql`
    update revisions set labels_revision = ${noRevision}
    where task_id = any(${task_ids}::int[])`.execute(tx)
  const changes = jobs.flatMap((job): [number, JobChange][] => {
    const updated = job.tags + job.shapes + job.tracks
    if (updated === 0) return []
    const same = { tags: 0, shapes: 0, tracks: 0, generation: null, created_ids: null }
    const counts = { created: 0, updated, deleted: 0 }
    return [[job.job_id, { ...same, labels_revision: noRevision, counts }]]
  })
  await updateJobs(tx, new Map(changes), reason)
}

async function exchangeLabels(
  tx: Tx,
  kind: RowKind,
  table: RawBuilder<unknown>,
  { task_ids, replaced_labels, replaced_specs }: LabelsChange,
): Promise<void> {
  const labels = (column: string) => replaced(column, 'label_id', replaced_labels)
  const specs = (text: RawBuilder<unknown>) => replaced(text, 'spec_id', replaced_specs)
  const texts = { tag: [], shape: ['elements'], track: ['elements', 'shapes'] }[kind]
  const sets = texts.map((name) => sql`${sql.id(name)} = ${specs(labels(name))}`)
  await sql`
    update ${table} set ${sql.join([
      sql`label_id = other.to_id`,
      sql`attributes = ${specs(sql.id('attributes'))}`,
      ...sets,
    ])}
    from unnest(${replaced_labels.map((one) => one.from)}::int[],
      ${replaced_labels.map((one) => one.to)}::int[]) as other (from_id, to_id)
    where task_id = any(${task_ids}::int[]) and label_id = other.from_id`.execute(tx)
}

/**
 * JSON text in which ids of one kind are exchanged. We wrote that text, so a member looks like `"spec_id":90,` and nothing
 * inside a string does, where quotes are escaped. New ids are never old ones of the same task.
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
