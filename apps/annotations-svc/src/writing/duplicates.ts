import { arrayOf, type RowKind, rowKinds } from '@reticle/contracts/row-lines'
import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { RequestIds } from '../targets/ids.ts'
import type { JobRows } from '../targets/job-rows.ts'
import type { Target } from '../targets/target.ts'
import { type Ledger, noteUndone } from './ledger.ts'

type Counts = { tags: number; shapes: number; tracks: number }

/**
 * Takes back what this write added although its job held its equal before (`spec/extensions.md` 4): the same frame, label and
 * type, the points nowhere further apart than 0.01 px, and the same rotation. What the file itself has twice stays twice.
 * In the database and under the locks of the jobs, so that neither side is held in memory and nobody adds an equal meanwhile.
 *
 * @param jobs as they were when they were locked
 * @returns how many objects were taken back; one of a task that was in several jobs counts once
 */
export async function dropDuplicates(
  tx: Transaction<AnnotationsDb>,
  { target, ids, ledger }: { target: Target; ids: RequestIds; ledger: Ledger },
  jobs: JobRows,
): Promise<Counts> {
  const dropped: Counts = { tags: 0, shapes: 0, tracks: 0 }
  for (const kind of rowKinds) {
    for (const { job_id, rows, objects } of await dropKind(tx, kind, { target, ids }, jobs)) {
      noteUndone(ledger, kind, job_id, rows)
      dropped[arrayOf[kind]] += objects
    }
  }
  return dropped
}

interface Dropped {
  job_id: number
  rows: number
  /** Of these, those that are the first row of their object. */
  objects: number
}

async function dropKind(
  tx: Transaction<AnnotationsDb>,
  kind: RowKind,
  { target, ids }: { target: Target; ids: RequestIds },
  jobs: JobRows,
): Promise<Dropped[]> {
  const filled = [...jobs.values()].filter((job) => job[arrayOf[kind]] > 0)
  if (filled.length === 0) return []
  const { task_id } = target
  const table = sql.table(arrayOf[kind])
  const isFresh = (row: string) => sql`${sql.ref(`${row}.id`)} <@ ${ids.ranges()}::int8multirange`
  const isFirst =
    kind === 'track'
      ? sql`coalesce(origin, id) = id`
      : sql`dropped.job_id = (
          select min(ranges.job_id) from ranges where dropped.frame between first and last)`
  const { rows } = await sql<Dropped>`
    with live as (select * from unnest(${filled.map((job) => job.job_id)}::int[],
        ${filled.map((job) => job.generation)}::bigint[]) as live (job_id, generation)),
      ranges as (select * from unnest(${target.jobs.map((job) => job.id)}::int[],
        ${target.jobs.map((job) => job.start_frame)}::int[],
        ${target.jobs.map((job) => job.stop_frame)}::int[]) as ranges (job_id, first, last)),
      dropped as (
        delete from ${table} as fresh using live
        where fresh.task_id = ${task_id} and fresh.job_id = live.job_id
          and fresh.generation = live.generation and ${isFresh('fresh')}
          and exists (select from ${table} as old
            where old.task_id = ${task_id} and old.job_id = live.job_id
              and old.generation = live.generation and not ${isFresh('old')} and ${equal[kind]})
        returning fresh.*)
    select job_id, count(*)::int as rows, count(*) filter (where ${isFirst})::int as objects
    from dropped group by job_id`.execute(tx)
  return rows
}

/** Pixels that points may be apart. */
const tolerance = 0.01

/** Two lists of numbers in SQL, each an array of `float8`. */
const areNear = (one: string, other: string) => sql`(${sql.raw(one)} = ${sql.raw(other)} or (
  cardinality(${sql.raw(one)}) = cardinality(${sql.raw(other)}) and not exists (
    select from unnest(${sql.raw(one)}, ${sql.raw(other)}) as pair (a, b) where abs(a - b) > ${tolerance})))`

const numbersOf = (column: string) => `string_to_array(${column}, ',')::float8[]`
const pointsOf = (json: string) => `translate(${json} ->> 'points', '[]', '{}')::float8[]`

/** Lists of objects in JSON whose members at each place are equal in some fields and near in their points. */
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

const sameLabel = sql`old.label_id = fresh.label_id`

const equal: Record<RowKind, RawBuilder<unknown>> = {
  tag: sql`old.frame = fresh.frame and ${sameLabel}`,
  shape: sql`old.frame = fresh.frame and ${sameLabel} and old.type = fresh.type
    and abs(old.rotation - fresh.rotation) <= ${tolerance}
    and ${areNear(numbersOf('old.points'), numbersOf('fresh.points'))}
    and ${sameLists('elements', ['label_id', 'type'])}`,
  track: sql`old.start_frame = fresh.start_frame and ${sameLabel}
    and ${sameLists('shapes', ['frame', 'type', 'outside'])}
    and ${withoutIds('old')} = ${withoutIds('fresh')}`,
}

/** Elements of skeletons, whose tracks are equal to the last digit or are others. */
function withoutIds(row: 'old' | 'fresh') {
  return sql.raw(`regexp_replace(coalesce(${row}.elements, ''), '"id":\\d+,?', '', 'g')`)
}
