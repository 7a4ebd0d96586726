import { type Context, conflict } from '@reticle/kit'
import { isLockTimeout } from '@reticle/kit/db/errors'
import { queryRows } from '@reticle/kit/db/prepared'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { hasNewerLabels } from './job-state.ts'
import { type Reason, recorded } from './record.ts'
import { findTarget, type Target } from './target.ts'

type Db = Kysely<AnnotationsDb> // a transaction fits here too
type Tx = Transaction<AnnotationsDb>

export type JobRows = ReadonlyMap<number, JobRow>

/** What one write did to one job. */
export interface JobChange {
  /** Objects more, or less. */
  tags: number
  shapes: number
  tracks: number
  /** Set when this becomes the revision of the labels that everything in the job is complete for. */
  labels_revision: number | null
  /** The revision of the labels that the new revision is about; null: that of before. */
  labels_noted: number | null
  /** Set when everything in the job was replaced. */
  generation: number | null
  /** Objects by what was done to them. */
  counts: { created: number; updated: number; deleted: number }
  /** Multirange of what came into the job beside what stayed there; nothing where all of it is new. */
  created_ids: string | null
}

export async function findJobRows(
  db: Db,
  { jobs }: { jobs: readonly { id: number }[] },
): Promise<JobRows> {
  const ids = jobs.map((one) => one.id)
  return byId(await queryRows<JobRow>(db, jobsById, [ids]))
}

/**
 * Settings of a transaction that writes: it may be about a million rows, wait two minutes for the next piece of its body (the
 * gateway cuts a silent client after one), and `lockWaitMs` for another write of the same job.
 */
const settingsOf = ({ lockWaitMs }: Pick<Deps['settings'], 'lockWaitMs'>) =>
  sql`set local lock_timeout = ${sql.lit(lockWaitMs)}; set local statement_timeout = '10min';
    set local idle_in_transaction_session_timeout = '2min'`

/** The first statement of a write that waits for its body before it locks anything. */
export async function openWrite(tx: Tx, settings: Deps['settings']): Promise<void> {
  await settingsOf(settings).execute(tx)
}

/**
 * Locks the jobs of a target for writing, in id order, so that two writers never wait for each other; with the settings of
 * a write, and the beginning of its transaction, it is one round trip. Rows that
 * the events of projects-svc have not brought yet are made from what it says about the target; it is asked once more for
 * them, since they are also missing when the target was deleted while its body was on the way, and nothing would ever
 * clean up after it.
 *
 * @throws DomainError conflict `annotations_locked` after `lockWaitMs`; not_found for a target that is gone
 */
export async function lockJobs(
  tx: Tx,
  deps: Pick<Deps, 'services' | 'settings'>,
  target: Target,
  context: Context,
): Promise<JobRows> {
  try {
    const rows = await selectForUpdate(tx, deps, target)
    if (rows.length === target.jobs.length) return byId(rows)
    await insertJobs(tx, target)
    // Not earlier: from here on the events of these jobs wait for this transaction.
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

/** Without parameters, so that all of it is one message. */
async function selectForUpdate(
  tx: Tx,
  { settings }: Pick<Deps, 'settings'>,
  { jobs }: Target,
): Promise<JobRow[]> {
  const ids = sql.lit(`{${jobs.map((one) => one.id).join()}}`)
  const { rows } = await sql<JobRow>`${settingsOf(settings)};
    select * from jobs where job_id = any(${ids}::int[]) order by job_id for update`.execute(tx)
  return rows
}

async function insertJobs(tx: Tx, target: Target): Promise<void> {
  const { task_id, labels_revision } = target
  const rows = target.jobs.map(({ id }) => ({ job_id: id, task_id, labels_revision }))
  await tx
    .insertInto('jobs')
    .values(rows)
    .onConflict((conflict) => conflict.column('job_id').doNothing())
    .execute()
}

/** So long a reader waits for who handles the event of new labels, which is done in milliseconds. */
const noteWaitMs = 200

/**
 * Notes labels that a reader sees before the event of their change has come: of jobs whose content they may change the
 * revision is raised. Where one of them is being written for longer than a moment nothing is noted; its reader has a tag of
 * its own (`annotationsTag`).
 */
export async function noteLabels(
  db: Db,
  target: Target,
  reason: Reason | undefined,
): Promise<void> {
  const note = async (tx: Tx) => {
    await sql`select set_config('lock_timeout', ${String(noteWaitMs)}, true)`.execute(tx)
    const ids = target.jobs.map((one) => one.id)
    const { rows } = await sql<JobRow>`
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
  ...{ tags: 0, shapes: 0, tracks: 0, generation: null, created_ids: null },
  counts: { created: 0, updated: 0, deleted: 0 },
}

/** Changes jobs because of their labels, not because of a write: the one way by which that raises revisions. */
export async function changeByLabels(
  tx: Tx,
  changes: ReadonlyMap<number, JobChange>,
  reason: Reason | undefined,
): Promise<JobRow[]> {
  return changes.size > 0 ? updateJobs(tx, changes, reason) : []
}

/**
 * Counts and revisions after a write, in one statement however many jobs it touched. A sweep begins anew where it may have
 * passed what came in: rows under older labels than those that were noted, or under those of another owner. With a reason
 * each revision is recorded, without one there is no history.
 */
export async function updateJobs(
  tx: Tx,
  changes: ReadonlyMap<number, JobChange>,
  reason: Reason | undefined,
): Promise<JobRow[]> {
  const record = reason && recorded(reason, changeColumns.length + 1)
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
  ...['job_id', 'task_id', 'project_id', 'organization_id', 'start_frame', 'stop_frame'],
  ...['revision', 'labels_revision', 'tags', 'shapes', 'tracks', 'updated_date'],
  ...['labels_changes', 'labels_noted', 'labels_sweep', 'generation'],
] as const
const jobsById = {
  name: 'jobs_by_id',
  text: `select ${columnsOfJob.join(', ')} from jobs where job_id = any($1::int[])`,
}

const byId = (rows: JobRow[]): JobRows => new Map(rows.map((row) => [row.job_id, row]))
