import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { RequestIds } from '../../db/ids.ts'
import type { AnnotationsDb } from '../../db/schema.ts'
import { foldsOf } from '../../layout/folds.ts'
import { liveRows } from '../../reading/store/live.ts'
import { partitionsOf } from '../../reading/store/partitions.ts'
import type { JobRows } from '../../targets/repo.ts'
import type { AnnotationTarget } from '../../targets/target.ts'
import { type ChangeLedger, noteUndone } from '../change-ledger.ts'

type Counts = { tags: number; shapes: number; tracks: number }

/**
 * Removes new objects that have an equal object in their job: the same frame, label and type, points at most 0.01 px
 * apart, and the same rotation. Duplicates within the file stay. Runs in the database while the jobs are locked, so
 * that neither side is held in memory and no equal object can be added meanwhile.
 *
 * @param jobs rows at the time of the lock
 * @returns numbers of removed objects; an object of a task in several jobs counts once
 */
export async function dropDuplicates(
  tx: Transaction<AnnotationsDb>,
  { target, ids, ledger }: { target: AnnotationTarget; ids: RequestIds; ledger: ChangeLedger },
  jobs: JobRows,
): Promise<Counts> {
  const dropped: Counts = { tags: 0, shapes: 0, tracks: 0 }
  const before = new Map(foldsOf(target).map((one) => [one.job.id, one.before]))
  for (const kind of rowKinds) {
    for (const { job_id, frame, rows, firsts } of await dropKind(tx, kind, { target, ids }, jobs)) {
      noteUndone(ledger, kind, job_id, rows)
      const isFirst = frame > (before.get(job_id) ?? -1)
      dropped[arrayOf[kind]] += kind === 'track' ? firsts : isFirst ? rows : 0
    }
  }
  return dropped
}

interface Dropped {
  job_id: number
  /** 0 for tracks. */
  frame: number
  rows: number
  /** Number of rows that are the first of their track. */
  firsts: number
}

/**
 * Candidate rows of both sides meet in a `full join`, which can only hash or merge, so the planner never compares
 * every pair. An old row is listed at every pixel where an equal one may be.
 */
async function dropKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  { target, ids }: { target: AnnotationTarget; ids: RequestIds },
  jobs: JobRows,
): Promise<Dropped[]> {
  const filled = [...jobs.values()].filter((job) => job[arrayOf[kind]] > 0)
  const dropped: Dropped[] = []
  for (const part of filled.length > 0 ? await partitionsOf(tx, kind, [target.task_id]) : []) {
    const live = liveRows(kind, `array[${filled.map((job) => job.job_id)}]::int[]`, { from: part })
    const isFresh = sql`id <@ ${ids.ranges()}::int8multirange`
    const frame = sql.raw(kind === 'track' ? 'start_frame' : 'frame')
    const firsts = sql.raw(kind === 'track' ? 'coalesce(origin, id) = id' : 'false')
    const [first, last] = placesOf[kind].map((one) => sql.raw(one))
    const { rows } = await sql<Dropped>`
      with present as materialized (
        select stored.*, ${frame} as at, ${first} as x, ${last} as y, ${isFresh} as is_fresh
        from ${sql.raw(live)}),
      fresh as (select *, ctid as tid, floor(x) as of_x, floor(y) as of_y from present where is_fresh),
      old as (select distinct job_id, at, label_id, of_x, of_y, ${sql.raw(comparedOf[kind])}
        from present cross join lateral (
          select floor(x + a.gap) as of_x, floor(y + b.gap) as of_y from unnest(${gaps}) as a (gap), unnest(${gaps}) as b (gap)
        ) as near where not is_fresh),
      dropped as (
        ${sql.raw(`delete from ${part} as stored where stored.ctid = any(array(`)}
          select fresh.tid from fresh full join old on fresh.job_id = old.job_id and fresh.at = old.at
            and fresh.label_id = old.label_id and fresh.of_x = old.of_x and fresh.of_y = old.of_y
          where num_nulls(fresh.id, old.at) = 0 and ${equal[kind]}))
        returning *)
      select job_id, ${sql.raw(kind === 'track' ? '0' : 'frame')} as frame, count(*)::int as rows,
        count(*) filter (where ${firsts})::int as firsts
      from dropped group by 1, 2`.execute(tx)
    dropped.push(...rows)
  }
  return dropped
}

/**
 * Two numbers that are nearly the same in equal objects: coordinates, shifted by half a pixel away from where most of
 * them end. Skeletons have their points in elements.
 */
const placesOf: Record<RowKind, [string, string]> = {
  tag: ['0::float8', '0::float8'],
  shape: [
    "coalesce(nullif(split_part(points, ',', 1), '')::float8, 0) + 0.5",
    "coalesce(nullif(split_part(points, ',', -1), '')::float8, 0) + 0.5",
  ],
  track: [
    "coalesce((nullif(shapes, '')::json -> 0 -> 'points' ->> 0)::float8, 0) + 0.5",
    "coalesce((nullif(shapes, '')::json -> -1 -> 'points' ->> -1)::float8, 0) + 0.5",
  ],
}

/** Columns that `equal` compares. */
const comparedOf: Record<RowKind, string> = {
  tag: 'true',
  shape: 'type, rotation, points, elements',
  track: 'shapes, elements',
}

/** Maximum distance of points, in pixels. */
const tolerance = 0.01
/** Offsets to the pixels that a coordinate within the tolerance may be in. */
const gaps = sql.raw(`array[${-2 * tolerance}, ${2 * tolerance}]::float8[]`)

/** SQL comparison of two lists of numbers, each a `float8[]`. */
const areNear = (one: string, other: string) => sql`(${sql.raw(one)} = ${sql.raw(other)} or (
  cardinality(${sql.raw(one)}) = cardinality(${sql.raw(other)}) and not exists (
    select from unnest(${sql.raw(one)}, ${sql.raw(other)}) as pair (a, b) where abs(a - b) > ${tolerance})))`

const numbersOf = (column: string) => `string_to_array(${column}, ',')::float8[]`
const pointsOf = (json: string) => `translate(${json} ->> 'points', '[]', '{}')::float8[]`

/** SQL comparison of JSON lists whose objects are equal in some fields and near in their points. */
const sameLists = (column: string, fields: readonly string[]) => {
  const list = (row: string) =>
    sql.raw(
      `json_array_elements(coalesce(nullif(${row}.${column}, ''), '[]')::json) with ordinality`,
    )
  const differs = fields.map(
    (name) => `a.value ->> '${name}' is distinct from b.value ->> '${name}'`,
  )
  return sql`not exists (
    select from ${list('old')} as a (value, place) full join ${list('fresh')} as b (value, place) using (place)
    where ${sql.raw(differs.join(' or '))} or not ${areNear(pointsOf('a.value'), pointsOf('b.value'))})`
}

/** Conditions for rows on the same frame with the same label. */
const equal: Record<RowKind, RawBuilder<unknown>> = {
  tag: sql`true`,
  shape: sql`old.type = fresh.type
    and abs(old.rotation - fresh.rotation) <= ${tolerance}
    and ${areNear(numbersOf('old.points'), numbersOf('fresh.points'))}
    and ${sameLists('elements', ['label_id', 'type'])}`,
  track: sql`${sameLists('shapes', ['frame', 'type', 'outside'])}
    and ${withoutIds('old')} = ${withoutIds('fresh')}`,
}

/** Elements of skeletons in tracks must be textually equal, except for ids. */
function withoutIds(row: 'old' | 'fresh') {
  return sql.raw(`regexp_replace(coalesce(${row}.elements, ''), '"id":\\d+,?', '', 'g')`)
}
