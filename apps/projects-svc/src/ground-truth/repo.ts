import { type Kysely, sql, type Transaction } from 'kysely'
import type { ProjectsDb, ValidationFrameRow } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export interface NewGroundTruth {
  task_id: number
  /** Number of frames of the task. */
  size: number
  /** Frames of the job. */
  frames: readonly number[]
  assignee_id: number | null
}

/**
 * Inserts the ground-truth job of a locked task that has none. Its range spans all frames of the task; it contains
 * only `frames`.
 */
export async function insertGroundTruth(
  tx: Tx,
  { task_id, size, frames, assignee_id }: NewGroundTruth,
): Promise<number> {
  const { id } = await tx
    .insertInto('jobs')
    .values({
      task_id,
      type: 'ground_truth',
      start_frame: 0,
      stop_frame: size - 1,
      frame_count: frames.length,
      assignee_id,
      assignee_updated_date: assignee_id === null ? null : new Date(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await sql`
    insert into validation_frames (job_id, frame)
    select ${id}, frame from unnest(${frames}::int[]) as chosen (frame)`.execute(tx)
  return id
}

/** Lists the validation frames of a task, ascending; empty without ground truth. */
export function listValidationFrames(db: Db, task_id: number): Promise<ValidationFrameRow[]> {
  return db
    .selectFrom('validation_frames')
    .innerJoin('jobs', 'jobs.id', 'validation_frames.job_id')
    .selectAll('validation_frames')
    .where('jobs.task_id', '=', task_id)
    .orderBy('frame')
    .execute()
}

/** Returns whether a ground-truth job contains this frame. */
export async function hasValidationFrame(db: Db, job_id: number, frame: number): Promise<boolean> {
  const row = await db
    .selectFrom('validation_frames')
    .select('frame')
    .where('job_id', '=', job_id)
    .where('frame', '=', frame)
    .executeTakeFirst()
  return row !== undefined
}

/** Lists the disabled frames of a ground-truth job, ascending. */
export async function listDisabledFrames(db: Db, job_id: number): Promise<number[]> {
  const rows = await db
    .selectFrom('validation_frames')
    .select('frame')
    .where('job_id', '=', job_id)
    .where('is_disabled', '=', true)
    .orderBy('frame')
    .execute()
  return rows.map(({ frame }) => frame)
}

/** Disables exactly these frames of the job and enables all others. */
export async function setDisabledFrames(
  tx: Tx,
  job_id: number,
  frames: readonly number[],
): Promise<void> {
  await sql`
    update validation_frames set is_disabled = not is_disabled
    where job_id = ${job_id} and is_disabled <> (frame = any(${frames}::int[]))`.execute(tx)
}

/** Lists the frame ranges of the annotation jobs of a task, in id order. */
export function listAnnotationRanges(db: Db, task_id: number) {
  return db
    .selectFrom('jobs')
    .select(['start_frame', 'stop_frame'])
    .where('task_id', '=', task_id)
    .where('type', '=', 'annotation')
    .orderBy('id')
    .execute()
}

/** Lists the frames of a task whose files have one of these names, ascending. */
export function listFramesNamed(db: Db, task_id: number, names: readonly string[]) {
  return db
    .selectFrom('frames')
    .select(['frame', 'name'])
    .where('task_id', '=', task_id)
    .where((where) => where('name', '=', where.fn.any(where.val([...names]))))
    .orderBy('frame')
    .execute()
}
