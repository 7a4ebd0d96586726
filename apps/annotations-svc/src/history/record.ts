import type { RevisionAction } from '@reticle/contracts/rest/history'
import type { Cause } from '@reticle/kit/outbox/emit'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb, JobRow } from '../db/schema.ts'

type Tx = Transaction<AnnotationsDb>

/** What one write did to one job. */
export interface JobChange {
  /** Objects more, or less. */
  tags: number
  shapes: number
  tracks: number
  /** Set when everything in the job is complete for this revision of the labels. */
  labels_revision: number | null
  /** Set when everything in the job was replaced. */
  generation: number | null
  /** Objects by what was done to them. */
  counts: Counts
  /** Multirange of what came into the job beside what stayed there; nothing where all of it is new. */
  created_ids: string | null
}

interface Counts {
  created: number
  updated: number
  deleted: number
}

/** Why jobs changed, for their history. */
export interface Reason {
  action: RevisionAction
  cause: Pick<Cause, 'principal' | 'request_id'>
  /** Of the request in the background that the write is part of. */
  rq_id?: string | undefined
}

const columnsOfJob = [
  ...['job_id', 'task_id', 'project_id', 'organization_id', 'start_frame', 'stop_frame'],
  ...['revision', 'labels_revision', 'tags', 'shapes', 'tracks', 'updated_date', 'labels_changes'],
  'generation',
] as const satisfies readonly (keyof JobRow)[]
const jobColumns = sql.join(columnsOfJob.map((name) => sql.ref(name)))

/**
 * Counts and revisions after a write, in one statement however many jobs it touched; with a reason each revision is
 * recorded, without one there is no history.
 */
export async function updateJobs(
  tx: Tx,
  changes: ReadonlyMap<number, JobChange>,
  reason: Reason | undefined,
): Promise<JobRow[]> {
  const { rows } = await sql<JobRow>`
    with change as materialized (select * from unnest(${sql.join(arraysOf(changes))})
      as change (id, tags_more, shapes_more, tracks_more, complete_for, written, created, updated, deleted, created_ids)),
    before as materialized (select job_id as id, generation as was, tags + shapes + tracks as had
      from jobs where job_id in (select id from change)),
    changed as (
      update jobs set tags = tags + tags_more, shapes = shapes + shapes_more,
        tracks = tracks + tracks_more, revision = revision + 1, updated_date = now(),
        labels_revision = coalesce(complete_for, labels_revision),
        generation = coalesce(written, generation)
      from change join before using (id) where jobs.job_id = change.id
      returning jobs.*, change.*, before.was, before.had
    )${reason ? recorded(reason) : sql``}
    select ${jobColumns} from changed`.execute(tx)
  return rows
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
    of('bigint', (one) => one.generation),
    of('int', (one) => one.counts.created),
    of('int', (one) => one.counts.updated),
    of('int', (one) => one.counts.deleted),
    of('int8multirange', (one) => one.created_ids),
  ]
}

const recordColumns =
  sql.raw(`task_id, job_id, revision, generation, replaced_generation, labels_revision,
  created_ids, created_date, author_id, action, created, updated, deleted, request_id, rq_id, has_before`)

/** The clock is that of the moment, under the lock: dates of a job are in the order of its revisions. */
function recorded({ action, cause: { principal, request_id }, rq_id }: Reason) {
  const author = principal && {
    ...{ id: principal.user_id, username: principal.username },
    ...{ first_name: principal.first_name, last_name: principal.last_name },
  }
  const known = author
    ? sql`, known as (insert into authors (id, username, first_name, last_name)
        values (${sql.join(Object.values(author))}) on conflict (id) do nothing)`
    : sql``
  return sql`${known}, recorded as (
    insert into revisions (${recordColumns})
    select task_id, job_id, revision, generation, case when written is not null and had > 0 then was end,
      labels_revision, created_ids, clock_timestamp(), ${author?.id ?? null}::int, ${action},
      created, updated, deleted, ${rq_id === undefined ? request_id : null}::text,
      ${rq_id ?? null}::text, updated + deleted > 0
    from changed)`
}
