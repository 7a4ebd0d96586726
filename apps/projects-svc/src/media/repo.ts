import {
  type Chapter,
  chapterList,
  type FrameSource,
  type ProjectDataMeta,
} from '@reticle/contracts/rest/media'
import { copyIn } from '@reticle/kit/db/copy'
import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import type { DataSetRow, DataSetsTable, FrameRow, ProjectsDb, TaskRow } from '../db/schema.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

export function findDataSet(db: Db, task_id: number): Promise<DataSetRow | undefined> {
  return db.selectFrom('data_sets').selectAll().where('task_id', '=', task_id).executeTakeFirst()
}

export async function insertDataSet(tx: Tx, row: Insertable<DataSetsTable>): Promise<void> {
  await tx.insertInto('data_sets').values(row).execute()
}

export async function insertChapters(
  tx: Tx,
  task_id: number,
  chapters: readonly Chapter[],
): Promise<void> {
  const row = { task_id, chapters: JSON.stringify(chapters) }
  await tx.insertInto('video_chapters').values(row).execute()
}

/** Finds the chapters of the whole task, ordered by their first frames. */
export async function findChapters(db: Db, task_id: number): Promise<Chapter[]> {
  const row = await db
    .selectFrom('video_chapters')
    .select('chapters')
    .where('task_id', '=', task_id)
    .executeTakeFirst()
  return row ? chapterList.parse(row).chapters : []
}

export async function setLastFrame(tx: Tx, task_id: number, stop_frame: number): Promise<void> {
  await tx.updateTable('data_sets').set({ stop_frame }).where('task_id', '=', task_id).execute()
}

/** Sets the cloud storage of a task's media, and invalidates cached images of it. */
export async function setSource(tx: Tx, task_id: number, cloud_storage_id: number): Promise<void> {
  await tx
    .updateTable('data_sets')
    .set((where) => ({
      cloud_storage_id,
      data_revision: where('data_revision', '+', 1),
      chunks_updated_date: sql<Date>`now()`,
    }))
    .where('task_id', '=', task_id)
    .execute()
}

/** Replaces the deleted frames of a task. @param frames ascending */
export async function setDeletedFrames(
  tx: Tx,
  task_id: number,
  frames: readonly number[],
): Promise<void> {
  await tx
    .updateTable('data_sets')
    .set({ deleted_frames: [...frames] })
    .where('task_id', '=', task_id)
    .execute()
}

/** Sums up the media of all tasks of a project. */
export async function sumMedia(db: Db, project_id: number): Promise<ProjectDataMeta> {
  const { rows } = await sql<ProjectDataMeta>`
    select coalesce(sum(tasks.size), 0)::int as size, count(*)::int as tasks,
      coalesce(sum(cardinality(data_sets.deleted_frames)), 0)::int as deleted_frames
    from tasks left join data_sets on data_sets.task_id = tasks.id
    where tasks.project_id = ${project_id}`.execute(db)
  return rows[0] ?? { size: 0, tasks: 0, deleted_frames: 0 }
}

const columns = [
  'task_id',
  'frame',
  'name',
  'width',
  'height',
  'key',
  'offset',
  'length',
  'packing',
  'media_type',
  'related',
] as const satisfies (keyof FrameRow)[]

/** Copies frames into the table in the given order, numbered from 0. Returns their number. */
export function copyFrames(
  tx: Tx,
  task_id: number,
  frames: AsyncIterable<readonly FrameSource[]>,
  signal: AbortSignal,
): Promise<number> {
  const rows = rowText(task_id, frames)
  return copyIn(tx, { table: 'frames', columns }, rows, { signal })
}

async function* rowText(
  task_id: number,
  frames: AsyncIterable<readonly FrameSource[]>,
): AsyncGenerator<Buffer> {
  let number = 0
  const lineOf = (source: FrameSource) => {
    const related = source.related ? JSON.stringify(source.related) : null
    const row = { task_id, frame: number++, ...source, related }
    return `${columns.map((column) => field(row[column])).join('\x02')}\n`
  }
  for await (const batch of frames) yield Buffer.from(batch.map(lineOf).join(''))
}

/** Formats a field of COPY: text is quoted, and quotes in it are doubled. An empty field is null. */
function field(value: string | number | null): string {
  if (value === null) return ''
  return typeof value === 'number'
    ? String(value)
    : `\x01${value.replaceAll('\x01', '\x01\x01')}\x01`
}

const page = 2000

/**
 * Reads frames of a task from `start` to `stop` (inclusive) in order, a page at a time, so that a slow reader holds
 * no connection. Attached frames never change; deleting the task ends the list early.
 */
export async function* readFrames(
  db: Db,
  task_id: number,
  start: number,
  stop: number,
): AsyncGenerator<FrameRow> {
  for (let from = start; from <= stop; from += page) {
    const rows = await listFrames(db, task_id, from, Math.min(from + page - 1, stop))
    yield* rows
  }
}

/** Lists frames of a task from `start` to `stop` (inclusive), in order. */
export function listFrames(db: Db, task_id: number, start: number, stop: number) {
  return db
    .selectFrom('frames')
    .selectAll()
    .where('task_id', '=', task_id)
    .where('frame', '>=', start)
    .where('frame', '<=', stop)
    .orderBy('frame')
    .execute()
}

/** Finds one frame with the settings of its media. */
export function findFrame(db: Db, task_id: number, frame: number) {
  return db
    .selectFrom('frames')
    .innerJoin('data_sets', 'data_sets.task_id', 'frames.task_id')
    .selectAll('frames')
    .select([
      'data_sets.image_quality',
      'data_sets.data_revision',
      'data_sets.storage',
      'data_sets.cloud_storage_id',
    ])
    .where('frames.task_id', '=', task_id)
    .where('frames.frame', '=', frame)
    .executeTakeFirst()
}

/** Lists runs of consecutive frames of equal size, in frame order. */
export async function listSizeRuns(db: Db, task_id: number) {
  const { rows } = await sql<{ count: number; width: number; height: number }>`
    select count(*)::int as count, width, height
    from (
      select frame, width, height,
        frame - row_number() over (partition by width, height order by frame) as run
      from frames where task_id = ${task_id}) numbered
    group by width, height, run
    order by min(frame)`.execute(db)
  return rows
}

/** Inserts one job for each range, in that order. */
export async function insertJobs(
  tx: Tx,
  task_id: number,
  ranges: readonly { start_frame: number; stop_frame: number }[],
): Promise<void> {
  const starts = ranges.map((range) => range.start_frame)
  const stops = ranges.map((range) => range.stop_frame)
  await sql`
    insert into jobs (task_id, start_frame, stop_frame)
    select ${task_id}, start_frame, stop_frame
    from unnest(${starts}::int[], ${stops}::int[]) with ordinality as range (start_frame, stop_frame, place)
    order by place`.execute(tx)
}

/** Inserts the consensus replicas of every annotation job of a task, in the order of the jobs. */
export async function insertReplicas(
  tx: Tx,
  { id, consensus_replicas }: Pick<TaskRow, 'id' | 'consensus_replicas'>,
): Promise<void> {
  if (consensus_replicas === 0) return
  await sql`
    insert into jobs (task_id, type, parent_job_id, start_frame, stop_frame)
    select task_id, 'consensus_replica', id, start_frame, stop_frame
    from jobs, generate_series(1, ${consensus_replicas}::int)
    where task_id = ${id} and type = 'annotation'
    order by id`.execute(tx)
}

/** Finds the newest task of a project, which provides the preview of the project. */
export function findNewestTask(db: Db, project_id: number) {
  return db
    .selectFrom('tasks')
    .select(['id', 'size'])
    .where('project_id', '=', project_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}
