import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type CompiledQuery, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import { foldsOf, isFolded } from '../layout/folds.ts'
import { sharedEdges, type TrackPairs } from '../layout/tracks.ts'
import { type Asked, everything } from '../queries/asked.ts'
import { conditionsOn, jobsAt } from '../queries/conditions.ts'
import { isSequence, type Target } from '../targets/target.ts'

type Db = Kysely<AnnotationsDb> // a transaction fits here too

/** Expressions of the columns of a row line, so that a line of `COPY` is one (`row-lines.ts`). */
export const lineOf: Record<RowKind, readonly string[]> = {
  tag: ["'tag'", 'frame', 'label_id', 'id', '"group"', 'source', 'attributes'],
  shape: [
    ...["'shape'", 'frame', 'label_id', 'id', '"group"', 'z_order', 'rotation', 'score', 'type'],
    ...['source', 'occluded', 'outside', "nullif(points, '')", 'attributes', 'elements'],
  ],
  track: [
    ...["'track'", 'start_frame', 'label_id', 'id', '"group"', 'source', 'attributes'],
    ...["nullif(shapes, '')", 'elements'],
  ],
}

/** The tables, as far as their rows are there to be read. */
export const liveRows: Record<RowKind, string> = arrayOf

/** What the pieces of a track share: the id of the first of them, or its own. */
export const originOf = 'coalesce(origin, id)'

/** `frame` is the order of row lines; `id` is how answers of REST have their tracks. */
export type TrackOrder = 'frame' | 'id'

/** Ground truth and replicas are made after the jobs that share out the frames: they have the higher ids. */
const lastJobOf = ({ jobs }: Target) => jobs.at(-1)?.id ?? 0

/** The rows of a target, or of some jobs of it. */
function isOf(target: Target, jobs?: readonly number[]): RawBuilder<SqlBool> {
  const { task_id, kind, id } = target
  const among = jobs ? sql`job_id = any(${jobs})` : sql`job_id <= ${lastJobOf(target)}`
  return sql`task_id = ${task_id} and ${kind === 'job' ? sql`job_id = ${id}` : among}`
}

/** Whether every row of a kind is an object of its own, so that what `COPY` hands out is the answer. */
export const isPlain = (kind: RowKind, target: Target) =>
  kind === 'track' ? !isFolded(target) : isSequence(target)

/** The statement of a bulk read of what `isPlain`. In the order of the primary key it is a walk of it, unsorted. */
export function selectRows(
  db: Db,
  kind: RowKind,
  target: Target,
  order: TrackOrder,
  asked: Asked = everything,
): CompiledQuery {
  const inFrames = kind === 'track' ? 'start_frame, id' : 'task_id, job_id, frame, id'
  const by = kind === 'track' && order === 'id' ? 'task_id, job_id, id' : inFrames
  return sql`
    ${linesFrom(kind)} where ${isAsked(kind, target, asked)} order by ${sql.raw(by)}`.compile(db)
}

/** Of a task whose frames are asked for, only the jobs that have one are walked. */
function isAsked(kind: RowKind, target: Target, asked: Asked): RawBuilder<SqlBool> {
  const { frames } = asked
  const jobs = frames && kind !== 'track' ? jobsAt(target, frames) : undefined
  const conditions = [isOf(target, jobs), ...conditionsOn(kind, target, asked)]
  return sql`${sql.join(conditions, sql` and `)}`
}

const linesFrom = (kind: RowKind) =>
  sql`select ${sql.raw(lineOf[kind].join(', '))} from ${sql.raw(liveRows[kind])}`

/**
 * The statement of a bulk read of tags or shapes of which several may be one: frame by frame, with their jobs. Whole frames
 * and labels may be chosen, since all that makes one object shares them; a filter is for objects, once they are whole.
 */
export function selectFrames(
  db: Db,
  kind: 'tag' | 'shape',
  target: Target,
  { frames, label_id }: Asked,
): CompiledQuery {
  const columns = sql.raw([...lineOf[kind], 'job_id'].join(', '))
  const asked = { label_id, ...(frames && { frames }) }
  return sql`
    select ${columns} from ${sql.raw(liveRows[kind])} where ${isAsked(kind, target, asked)}
    order by frame, job_id, id`.compile(db)
}

/**
 * The statement of a bulk read of a task's tracks: the pieces of one follow each other, those of earlier jobs first, each
 * with the id of the first, its job and the last frame it has.
 */
export function selectPieces(
  db: Db,
  target: Target,
  order: TrackOrder,
  pairs: TrackPairs,
): CompiledQuery {
  const columns = sql.raw([...lineOf.track, 'leader', 'job_id', 'stop_frame'].join(', '))
  const tracks = sql.raw(liveRows.track)
  const by = sql.raw(order === 'frame' ? 'start, leader, job_id' : 'leader, job_id')
  return sql`
    with piece as (
      select id, first_value(id) over (partition by object order by job_id, id) as leader,
        min(start_frame) over (partition by object) as start
      from (
        select id, job_id, start_frame, coalesce(object, ${sql.raw(originOf)}) as object
        from ${tracks} left join ${pairRows(pairs)} on pair_origin = ${sql.raw(originOf)}
        where ${isOf(target)}
      ) one
    )
    select ${columns} from ${tracks} join piece using (id) where ${isOf(target)}
    order by ${by}`.compile(db)
}

/** Origins, and the objects that they are pieces of, as a table. */
const pairRows = (pairs: TrackPairs) =>
  sql`unnest(${[...pairs.keys()]}::bigint[], ${[...pairs.values()]}::bigint[]) as pair (pair_origin, object)`

/**
 * The statement that reads again what one request created, in its order: a walk of the index of ids. Of tags and shapes
 * that lie in several jobs it is the row in the first of them.
 */
export function selectCreated(db: Db, kind: RowKind, target: Target, ids: string): CompiledQuery {
  const isCreated = sql`task_id = ${target.task_id} and id >= lower(${ids}::int8multirange)
      and id < upper(${ids}::int8multirange) and id <@ ${ids}::int8multirange`
  if (isPlain(kind, target))
    return sql`${linesFrom(kind)} where ${isCreated} order by id`.compile(db)
  if (kind === 'track') {
    const columns = [...lineOf.track, `${originOf} as leader`, 'job_id', 'stop_frame']
    return sql`
      select ${sql.raw(columns.join(', '))} from ${sql.raw(liveRows.track)} where ${isCreated}
      order by leader, job_id`.compile(db)
  }
  const folds = foldsOf(target)
  return sql`
    ${linesFrom(kind)} join unnest(${folds.map((one) => one.job.id)}::int[],
        ${folds.map((one) => one.before)}::int[]) as fold (job, before)
      on job = job_id and frame > before
    where ${isCreated} order by id`.compile(db)
}

/**
 * The statement that reads the tracks of a task on frames that jobs share, job by job, each with its origin, its job and
 * all jobs that have pieces of it.
 */
export function selectShared(db: Db, target: Target): CompiledQuery {
  const tracks = sql.raw(liveRows.track)
  const origin = sql.raw(originOf)
  const edges = sharedEdges(target)
  return sql`
    with cut as (
      select ${origin} as object, string_agg(job_id::text, ' ' order by job_id) as jobs
      from ${tracks} where ${isOf(target)} group by 1 having count(*) > 1
    )
    select ${sql.raw(lineOf.track.join(', '))}, ${origin}, job_id, coalesce(jobs, job_id::text)
    from ${tracks} join unnest(${edges.map((one) => one.job_id)}::int[],
        ${edges.map((one) => one.head)}::int[], ${edges.map((one) => one.tail)}::int[])
        as edge (job, head, tail) on job = job_id
      left join cut on object = ${origin}
    where ${isOf(target)} and (start_frame <= head or stop_frame >= tail)
    order by job_id, id`.compile(db)
}
