import { type CallContext, conflict } from '@reticle/kit'
import { isLockTimeout } from '@reticle/kit/db/errors'
import { queryRows } from '@reticle/kit/db/prepared'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { hasNewerLabels } from './job-state.ts'
import { type ChangeReason, recordRevisions } from './repo-revisions.ts'
import { type AnnotationTarget, findTarget } from './target.ts'

type Db = Kysely<AnnotationsDb> // also accepts a transaction
type Tx = Transaction<AnnotationsDb>

export type JobRows = ReadonlyMap<number, AnnotationSetRow>

/** Effect of one write on one job. */
export interface JobChange {
  /** Difference of the object counts. */
  tags: number
  shapes: number
  tracks: number
  /** New labels revision that all objects of the job are complete for; null: unchanged. */
  labels_revision: number | null
  /** Labels revision that the new revision is about; null: unchanged. */
  labels_noted: number | null
  /** New generation when everything in the job was replaced; null: unchanged. */
  generation: number | null
  /** Numbers of created, updated and deleted objects. */
  counts: { created: number; updated: number; deleted: number }
  /** Multirange of rows that were added beside existing ones; null when all rows are new. */
  created_ids: string | null
}

export async function findJobRows(
  db: Db,
  { jobs }: { jobs: readonly { id: number }[] },
): Promise<JobRows> {
  const ids = jobs.map((one) => one.id)
  return byId(await queryRows<AnnotationSetRow>(db, jobsById, [ids]))
}

/**
 * Timeouts of a transaction that writes: long enough for a million rows, two minutes for the next chunk of the body
 * (the gateway disconnects an idle client after one), and `lockWaitMs` for other writes to the job.
 */
const settingsOf = ({ lockWaitMs }: Pick<Deps['settings'], 'lockWaitMs'>) =>
  sql`set local lock_timeout = ${sql.lit(lockWaitMs)}; set local statement_timeout = '10min';
    set local idle_in_transaction_session_timeout = '2min'`

/** Sets the timeouts of a write that reads its body before it locks anything; its first statement. */
export async function openWrite(tx: Tx, settings: Deps['settings']): Promise<void> {
  await settingsOf(settings).execute(tx)
}

/**
 * Locks the jobs of a target in id order, so that two writers cannot deadlock. Settings, begin and lock are one round
 * trip. Missing rows of jobs whose events have not arrived are inserted. The target is then checked again: rows are
 * also missing when the target was deleted while the body arrived, and inserted rows would never be deleted.
 *
 * @throws DomainError conflict `annotations_locked` after `lockWaitMs`; not_found for a deleted target
 */
export async function lockJobs(
  tx: Tx,
  deps: Pick<Deps, 'services' | 'settings'>,
  target: AnnotationTarget,
  context: CallContext,
): Promise<JobRows> {
  try {
    const rows = await selectForUpdate(tx, deps, target)
    if (rows.length === target.jobs.length) return byId(rows)
    await insertJobs(tx, target)
    // Only now: from here on, events of these jobs wait for this transaction.
    await findTarget(deps, { target: target.kind, id: target.id }, 'annotations:write', context)
    return byId(await selectForUpdate(tx, deps, target))
  } catch (thrown) {
    if (isLockTimeout(thrown)) throw locked()
    throw thrown
  }
}

export const locked = () =>
  conflict('The annotations are being changed by someone else.', {
    code: 'annotations_locked',
    retry_after: 2,
  })

/** Without parameters, so that all statements go out in one message. */
async function selectForUpdate(
  tx: Tx,
  { settings }: Pick<Deps, 'settings'>,
  { jobs }: AnnotationTarget,
): Promise<AnnotationSetRow[]> {
  const ids = sql.lit(`{${jobs.map((one) => one.id).join()}}`)
  const { rows } = await sql<AnnotationSetRow>`${settingsOf(settings)};
    select * from jobs where job_id = any(${ids}::int[]) order by job_id for update`.execute(tx)
  return rows
}

async function insertJobs(tx: Tx, target: AnnotationTarget): Promise<void> {
  const { task_id, labels_revision } = target
  const rows = target.jobs.map(({ id }) => ({ job_id: id, task_id, labels_revision }))
  await tx
    .insertInto('jobs')
    .values(rows)
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute()
}

/** Time that a reader waits for the handler of a label event, which takes milliseconds. */
const noteWaitMs = 200

/**
 * Records labels that a reader sees before the event of their change: raises the revision of the jobs that they may
 * affect. When a job stays locked for longer than a moment, nothing is recorded, and the reader gets a temporary
 * entity tag (`annotationsTag`).
 */
export async function noteLabels(
  db: Db,
  target: AnnotationTarget,
  reason: ChangeReason | undefined,
): Promise<void> {
  const note = async (tx: Tx) => {
    await sql`select set_config('lock_timeout', ${String(noteWaitMs)}, true)`.execute(tx)
    const ids = target.jobs.map((one) => one.id)
    const { rows } = await sql<AnnotationSetRow>`
      select * from jobs where job_id = any(${ids}::int[])
        and greatest(labels_noted, labels_revision) < ${target.labels_revision}
      order by job_id for update`.execute(tx)
    const outdated = rows.filter((row) => hasNewerLabels(target, row))
    const change = { ...nothingMore, labels_revision: null, labels_noted: target.labels_revision }
    await changeByLabels(tx, new Map(outdated.map((row) => [row.job_id, change])), reason)
  }
  await db
    .transaction()
    .execute(note)
    .catch((thrown: unknown) => {
      if (!isLockTimeout(thrown)) throw thrown
    })
}

export const nothingMore = {
  tags: 0,
  shapes: 0,
  tracks: 0,
  generation: null,
  created_ids: null,
  counts: { created: 0, updated: 0, deleted: 0 },
}

/** Changes jobs because of label changes; the only way in which labels raise revisions. */
export async function changeByLabels(
  tx: Tx,
  changes: ReadonlyMap<number, JobChange>,
  reason: ChangeReason | undefined,
): Promise<AnnotationSetRow[]> {
  return changes.size > 0 ? updateJobs(tx, changes, reason) : []
}

/**
 * Updates counts and revisions after a write, in one statement for any number of jobs. Restarts the sweep of a job if
 * it may have passed the new rows: rows for older labels than the recorded ones, or for those of another owner. With
 * a reason each revision is recorded; without one there is no history.
 */
export async function updateJobs(
  tx: Tx,
  changes: ReadonlyMap<number, JobChange>,
  reason: ChangeReason | undefined,
): Promise<AnnotationSetRow[]> {
  const record = reason && recordRevisions(reason, changeColumns.length + 1)
  const name = ['update_jobs', record && 'kept', reason?.cause.principal && 'by']
  const text = `
    with change as materialized (select * from unnest(${changeColumns.map(({ type }, index) => `$${index + 1}::${type}[]`)})
      as change (${changeColumns.map((column) => column.name)})),
    before as materialized (select job_id as id, generation as was, tags + shapes + tracks as had
      from jobs where job_id in (select id from change)),
    changed as (
      update jobs set tags = tags + tags_more, shapes = shapes + shapes_more,
        tracks = tracks + tracks_more, revision = revision + 1, updated_date = now(),
        labels_revision = coalesce(complete_for, labels_revision),
        labels_noted = coalesce(noted_for, labels_noted),
        labels_sweep = case when complete_for is null and (noted_for is null
          or noted_for = greatest(labels_noted, labels_revision)) then labels_sweep end,
        generation = coalesce(written, generation)
      from change join before using (id) where jobs.job_id = change.id
      returning jobs.*, change.*, before.was, before.had
    )${record ? `, ${record.text}` : ''}
    select ${columnsOfJob.join(', ')} from changed`
  const list = [...changes]
  const values = changeColumns.map(({ of }) => list.map(of))
  const statement = { name: name.filter(Boolean).join('_'), text }
  return queryRows(tx, statement, [...values, ...(record?.values ?? [])])
}

type ChangeColumn = { name: string; type: string; of: (entry: [number, JobChange]) => unknown }
const changeColumns: readonly ChangeColumn[] = [
  { name: 'id', type: 'int', of: ([job]) => job },
  { name: 'tags_more', type: 'int', of: ([, one]) => one.tags },
  { name: 'shapes_more', type: 'int', of: ([, one]) => one.shapes },
  { name: 'tracks_more', type: 'int', of: ([, one]) => one.tracks },
  { name: 'complete_for', type: 'int', of: ([, one]) => one.labels_revision },
  { name: 'noted_for', type: 'int', of: ([, one]) => one.labels_noted },
  { name: 'written', type: 'bigint', of: ([, one]) => one.generation },
  { name: 'created', type: 'int', of: ([, one]) => one.counts.created },
  { name: 'updated', type: 'int', of: ([, one]) => one.counts.updated },
  { name: 'deleted', type: 'int', of: ([, one]) => one.counts.deleted },
  { name: 'created_ids', type: 'int8multirange', of: ([, one]) => one.created_ids },
]

const columnsOfJob = [
  'job_id',
  'task_id',
  'project_id',
  'organization_id',
  'start_frame',
  'stop_frame',
  'revision',
  'labels_revision',
  'tags',
  'shapes',
  'tracks',
  'updated_date',
  'labels_changes',
  'labels_noted',
  'labels_sweep',
  'generation',
] as const
const jobsById = {
  name: 'jobs_by_id',
  text: `select ${columnsOfJob.join(', ')} from jobs where job_id = any($1::int[])`,
}

const byId = (rows: AnnotationSetRow[]): JobRows => new Map(rows.map((row) => [row.job_id, row]))
