import { type Kysely, sql, type Transaction } from 'kysely'
import type { AnnotationSetRow, AnnotationsDb } from '../db/schema.ts'

type Tx = Transaction<AnnotationsDb>

/** Jobs with objects under older labels than the recorded ones, or under those of a former owner. */
const isStale = sql<boolean>`labels_revision < greatest(labels_noted, 0)
  and tags + shapes + tracks > 0`

export type StaleJob = Pick<AnnotationSetRow, 'job_id' | 'task_id' | 'labels_changes'>

export async function findStale(
  db: Kysely<AnnotationsDb>,
  after: number,
): Promise<StaleJob | undefined> {
  const { rows } = await sql<StaleJob>`
    select job_id, task_id, labels_changes from jobs where ${isStale} and job_id > ${after}
    order by job_id limit 1`.execute(db)
  return rows[0]
}

/** Locks a job unless it is locked, no longer stale, or its labels changed since it was found. */
export async function lockStale(
  tx: Tx,
  { job_id, labels_changes }: StaleJob,
  labels_revision: number,
): Promise<AnnotationSetRow | undefined> {
  const { rows } = await sql<AnnotationSetRow>`
    select * from jobs where job_id = ${job_id} and ${isStale}
      and labels_changes = ${labels_changes} and labels_noted <= ${labels_revision}
    for update skip locked`.execute(tx)
  return rows[0]
}

/** @param progress `labels_sweep` null: the job is finished */
export async function updateProgress(
  tx: Tx,
  job_id: number,
  { labels_sweep, labels_revision }: { labels_sweep: object | null; labels_revision: number },
): Promise<void> {
  await sql`update jobs set labels_sweep = ${labels_sweep && JSON.stringify(labels_sweep)}::jsonb,
      labels_revision = ${labels_revision}
    where job_id = ${job_id}`.execute(tx)
}

/** Adds to the counts of a job and returns its row. */
export async function updateCounts(
  tx: Tx,
  job_id: number,
  { tags, shapes, tracks }: { tags: number; shapes: number; tracks: number },
): Promise<AnnotationSetRow[]> {
  const { rows } = await sql<AnnotationSetRow>`
    update jobs set tags = tags + ${tags}, shapes = shapes + ${shapes}, tracks = tracks + ${tracks}
    where job_id = ${job_id} returning *`.execute(tx)
  return rows
}
