import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import { foldsOf, isFolded } from '../../layout/folds.ts'
import { sharedEdges, type TrackPairs } from '../../layout/tracks.ts'
import { type AnnotationQuery, everything } from '../../queries/annotation-query.ts'
import { conditionsOn, jobsAt } from '../../queries/store/conditions.ts'
import { type AnnotationTarget, isSequence } from '../../targets/target.ts'
import { liveRows, walkRows } from './live.ts'

type Db = Kysely<AnnotationsDb> // also accepts a transaction

/** SQL of the columns of a row line, so that a line of `COPY` output is a row line (`contracts/src/row-lines.ts`). */
export const lineOf: Record<RowKind, readonly string[]> = {
  tag: ["'tag'", 'frame', 'label_id', 'id', '"group"', 'source', 'attributes'],
  shape: [
    "'shape'",
    'frame',
    'label_id',
    'id',
    '"group"',
    'z_order',
    'rotation',
    'score',
    'type',
    'source',
    'occluded',
    'outside',
    "nullif(points, '')",
    'attributes',
    'elements',
  ],
  track: [
    "'track'",
    'start_frame',
    'label_id',
    'id',
    '"group"',
    'source',
    'attributes',
    "nullif(shapes, '')",
    'elements',
  ],
}

/** Origin of a piece: the id of the first piece, or its own id. */
export const originOf = 'coalesce(origin, id)'

/** `frame` is the order of row lines, `id` the order of tracks in REST responses. */
export type TrackOrder = 'frame' | 'id'

const idsOf = ({ jobs }: AnnotationTarget) => jobs.map((one) => one.id)

/** Returns SQL of the rows of tracks of a target. */
function tracksIn({ task_id, jobs }: AnnotationTarget): RawBuilder<unknown> {
  const ids = jobs.map((one) => one.id)
  return sql.raw(liveRows('track', `array[${ids}]::int[]`, { task: String(task_id) }))
}

/** Returns whether every row of a kind is a separate object, so that `COPY` output can be returned as it is. */
export const isPlain = (kind: RowKind, target: AnnotationTarget) =>
  kind === 'track' ? !isFolded(target) : isSequence(target)

/** Selects rows for which `isPlain` holds. In the order of the primary key it needs no sort. */
export function selectRows(
  db: Db,
  kind: RowKind,
  target: AnnotationTarget,
  order: TrackOrder,
  selection: AnnotationQuery = everything,
): CompiledQuery {
  const ofTracks = order === 'id' ? 'id' : 'start_frame, id'
  const walk = {
    task_id: target.task_id,
    jobs: selectedJobs(kind, target, selection),
    conditions: conditionsOn(kind, target, selection),
    order: kind === 'track' ? ofTracks : 'frame, id',
  }
  return sql`select ${columnsIn(kind)} ${walkRows(kind, walk)}`.compile(db)
}

/** For selected frames of a task only the jobs with such frames are read. */
const selectedJobs = (kind: RowKind, target: AnnotationTarget, { frames }: AnnotationQuery) =>
  frames && kind !== 'track' ? jobsAt(target, frames) : idsOf(target)

const columnsIn = (kind: RowKind) => sql.raw(lineOf[kind].join(', '))

/**
 * Selects tags or shapes that may have to be merged: by frame, with their jobs. Conditions on frames and labels are
 * applied, since all rows of an object share them; `filter` is applied to merged objects.
 */
export function selectFrames(
  db: Db,
  kind: 'tag' | 'shape',
  target: AnnotationTarget,
  { frames, label_id }: AnnotationQuery,
): CompiledQuery {
  const columns = sql.raw([...lineOf[kind], 'job_id'].join(', '))
  const selection = { label_id, ...(frames && { frames }) }
  const walk = {
    task_id: target.task_id,
    jobs: selectedJobs(kind, target, selection),
    conditions: conditionsOn(kind, target, selection),
    order: 'frame, id',
  }
  return sql`
    select ${columns} from (select * ${walkRows(kind, walk)}) as stored
    order by frame, job_id, id`.compile(db)
}

/**
 * Selects the tracks of a task. Pieces of a track are consecutive, earlier jobs first, each with the id of the first
 * piece, its job and its last frame.
 */
export function selectPieces(
  db: Db,
  target: AnnotationTarget,
  order: TrackOrder,
  pairs: TrackPairs,
): CompiledQuery {
  const columns = sql.raw([...lineOf.track, 'leader', 'job_id', 'stop_frame'].join(', '))
  const tracks = tracksIn(target)
  const by = sql.raw(order === 'frame' ? 'start, leader, job_id' : 'leader, job_id')
  return sql`
    select ${columns} from (
      select *, first_value(id) over (partition by object order by job_id, id) as leader,
        min(start_frame) over (partition by object) as start
      from (select stored.*, ${sql.raw(objectIn('piece.pairs'))} as object
        from (select ${pairsJson(pairs)}::jsonb as pairs) as piece, ${tracks}) one
    ) one
    order by ${by}`.compile(db)
}

/** Returns SQL of the object that a track row is a piece of. @param pairs SQL of the JSON of `pairsJson` */
export const objectIn = (pairs: string): string =>
  `coalesce((${pairs} ->> (${originOf})::text)::bigint, ${originOf})`

/** Maps each origin to its object, as JSON. It is searched by key, because a join might compare each with each. */
export const pairsJson = (pairs: TrackPairs): string => JSON.stringify(Object.fromEntries(pairs))

/**
 * Selects the rows that one request created, in order, by the id index. For tags and shapes in several jobs it
 * selects the row in the first job.
 */
export function selectCreated(
  db: Db,
  kind: RowKind,
  target: AnnotationTarget,
  ids: string,
): CompiledQuery {
  const isCreated = sql`task_id = ${target.task_id} and id >= lower(${ids}::int8multirange)
      and id < upper(${ids}::int8multirange) and id <@ ${ids}::int8multirange
      and generation = any(array(
        select jobs.generation from jobs where jobs.job_id = any(${idsOf(target)}::int[])))`
  const table = sql.table(arrayOf[kind])
  if (isPlain(kind, target)) {
    return sql`
      select ${columnsIn(kind)} from ${table} where ${isCreated} order by id`.compile(db)
  }
  if (kind === 'track') {
    const columns = [...lineOf.track, `${originOf} as leader`, 'job_id', 'stop_frame']
    return sql`
      select ${sql.raw(columns.join(', '))} from ${table} where ${isCreated}
      order by leader, job_id`.compile(db)
  }
  const folds = foldsOf(target)
  return sql`
    select ${columnsIn(kind)} from ${table}
    where ${isCreated} and frame > (${folds.map((one) => one.before)}::int[])[
      array_position(${folds.map((one) => one.job.id)}::int[], job_id)]
    order by id`.compile(db)
}

/**
 * Selects the tracks of a task on shared frames, job by job, each with its origin, its job and all jobs with pieces
 * of it.
 */
export function selectShared(db: Db, target: AnnotationTarget): CompiledQuery {
  const origin = sql.raw(originOf)
  const edges = sharedEdges(target)
  const isOfJob = sql`task_id = ${target.task_id} and job_id = of_job
    and generation = (select generation from jobs where jobs.job_id = of_job)`
  return sql`
    with cut as (
      select ${origin} as object, string_agg(job_id::text, ' ' order by job_id) as jobs
      from ${tracksIn(target)} group by 1 having count(*) > 1
    )
    select ${sql.raw(lineOf.track.join(', '))}, ${origin}, job_id, coalesce(jobs, job_id::text)
    from (
      select stored.* from unnest(${edges.map((one) => one.job_id)}::int[],
          ${edges.map((one) => one.head)}::int[], ${edges.map((one) => one.tail)}::int[])
          as edge (of_job, head, tail)
        cross join lateral (select * from tracks where ${isOfJob} offset 0) as stored
      where start_frame <= head or stop_frame >= tail
    ) as piece full join cut on object = ${origin}
    where num_nulls(id) = 0
    order by job_id, id`.compile(db)
}
