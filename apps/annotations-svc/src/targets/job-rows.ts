import { type Context, conflict } from '@reticle/kit'
import { runPrepared } from '@reticle/kit/db/prepared'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'
import type { Deps } from '../deps.ts'
import { hasNewerLabels } from './job-state.ts'
import { type Reason, recorded } from './record.ts'
import { openTarget, type Target } from './target.ts'

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

export async function findJobRows(db: Db, { jobs }: Target): Promise<JobRows> {
  const ids = jobs.map((one) => one.id)
  const { rows } = await sql<JobRow>`
    select * from jobs where job_id = any(${ids}::int[])`.execute(db)
  return byId(rows)
}

/**
 * The first statement of a write: it may be about a million rows, wait a minute for the next piece of its body, and
 * `lockWaitMs` for another write of the same job.
 */
export async function openWrite(
  tx: Tx,
  { lockWaitMs }: Pick<Deps['settings'], 'lockWaitMs'>,
): Promise<void> {
  await sql`select set_config('lock_timeout', ${String(lockWaitMs)}, true),
    set_config('statement_timeout', '10min', true),
    set_config('idle_in_transaction_session_timeout', '1min', true)`.execute(tx)
}

/**
 * Locks the jobs of a target for writing, in id order, so that two writers never wait for each other. Rows that
 * the events of projects-svc have not brought yet are made from what it says about the target; it is asked once more for
 * them, since they are also missing when the target was deleted while its body was on the way, and nothing would ever
 * clean up after it.
 *
 * @throws DomainError conflict `annotations_locked` after the wait of `openWrite`; not_found for a target that is gone
 */
export async function lockJobs(
  tx: Tx,
  deps: Pick<Deps, 'services'>,
  target: Target,
  context: Context,
): Promise<JobRows> {
  try {
    const rows = await selectForUpdate(tx, target)
    if (rows.length === target.jobs.length) return byId(rows)
    await insertJobs(tx, target)
    // Not earlier: from here on the events of these jobs wait for this transaction.
    await openTarget(deps, { target: target.kind, id: target.id }, 'annotations:write', context)
    return byId(await selectForUpdate(tx, target))
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

const isLockTimeout = (thrown: unknown) =>
  thrown instanceof Error && Reflect.get(thrown, 'code') === '55P03'

async function selectForUpdate(tx: Tx, { jobs }: Target): Promise<JobRow[]> {
  const ids = jobs.map((one) => one.id)
  const { rows } = await sql<JobRow>`
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
  const author = reason?.cause.principal ? '_by' : ''
  const name = `update_jobs${reason ? '_kept' : ''}${author}`
  const update = sql<JobRow>`
    with change as materialized (select * from unnest(${sql.join(arraysOf(changes))})
      as change (id, tags_more, shapes_more, tracks_more, complete_for, noted_for, written,
        created, updated, deleted, created_ids)),
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
    )${reason ? recorded(reason) : sql``}
    select ${jobColumns} from changed`
  return runPrepared(tx, name, update)
}

function arraysOf(changes: ReadonlyMap<number, JobChange>) {
  const list = [...changes.values()]
  const of = (type: string, read: (change: JobChange) => unknown) =>
    sql`${list.map(read)}::${sql.raw(type)}[]`
  return [
    sql`${[...changes.keys()]}::int[]`,
    of('int', (one) => one.tags),
    of('int', (one) => one.shapes),
    of('int', (one) => one.tracks),
    of('int', (one) => one.labels_revision),
    of('int', (one) => one.labels_noted),
    of('bigint', (one) => one.generation),
    of('int', (one) => one.counts.created),
    of('int', (one) => one.counts.updated),
    of('int', (one) => one.counts.deleted),
    of('int8multirange', (one) => one.created_ids),
  ]
}

const columnsOfJob = [
  ...['job_id', 'task_id', 'project_id', 'organization_id', 'start_frame', 'stop_frame'],
  ...['revision', 'labels_revision', 'tags', 'shapes', 'tracks', 'updated_date'],
  ...['labels_changes', 'labels_noted', 'labels_sweep', 'generation'],
] as const
const jobColumns = sql.join(columnsOfJob.map((name) => sql.ref(name)))

const byId = (rows: JobRow[]): JobRows => new Map(rows.map((row) => [row.job_id, row]))
