import {
  arrayOf,
  decodeTrack,
  type Row,
  type RowKind,
  trackText,
} from '@reticle/contracts/row-lines'
import { queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../db/schema.ts'
import type { JobRows } from '../targets/job-rows.ts'
import type { Target } from '../targets/target.ts'
import { generationsOf, isLive } from './live.ts'
import { latinRow } from './objects.ts'
import { joinPieces } from './pieces.ts'
import { lineOf, originOf, textRow } from './select.ts'

/** An object as it is stored. */
export interface Found {
  row: Row
  /** Its rows: one, or the pieces of a track that a task is asked for, first job first. */
  places: Place[]
}

/** Where a row is. */
export interface Place {
  job_id: number
  generation: number
  /** The row's own. */
  id: number
}

/** A target, and its jobs as the snapshot has them or the lock holds them. */
export interface LiveTarget {
  target: Target
  jobs: JobRows
}

/** Objects of a target by id; ids that are not there are left out. A task's track is found by the id of its first piece. */
export async function findObjects(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  { target, jobs }: LiveTarget,
  ids: readonly number[],
): Promise<Map<number, Found>> {
  const values = [target.task_id, ids, ...placesOf(kind, target, jobs)]
  const texts = await queryTexts(db, statements[kind][target.kind], values)
  const groups = new Map<string | null, Part[]>()
  for (const [job, written, origin = null, , ...columns] of texts) {
    const place = { job_id: Number(job), generation: Number(written) }
    // Asked of the server, the job would lead it to walk all of the job by its primary key.
    if (!isLive(jobs, place)) continue
    const group = groups.get(origin) ?? []
    group.push({ row: textRow(kind, columns), ...place })
    groups.set(origin, group)
  }
  return new Map([...groups.values()].map(byId))
}

/** Objects by id as `findObjects`, a batch at a time, in the order of the ids. */
export async function* readNamed(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  live: LiveTarget,
  ids: readonly number[],
): AsyncGenerator<Row[]> {
  const size = kind === 'track' ? 100 : 1000
  for (let at = 0; at < ids.length; at += size) {
    const part = ids.slice(at, at + size)
    const found = await findObjects(db, kind, live, part)
    yield part.flatMap((id) => found.get(id)?.row ?? [])
  }
}

interface Part {
  row: Row
  job_id: number
  generation: number
}

function byId(group: readonly Part[]): [number, Found] {
  const places = group.map(({ row, ...place }) => ({ ...place, id: Number(row.columns[2]) }))
  const rows = group.map((one) => one.row)
  const [first] = rows
  const row = first && rows.length === 1 ? first : joined(rows)
  return [places[0]?.id ?? 0, { row, places }]
}

const joined = (rows: Row[]) =>
  latinRow('track', trackText(joinPieces(rows.map((one) => decodeTrack(one.columns)))))

function statementOf(kind: RowKind, scope: Target['kind']) {
  const table = arrayOf[kind]
  const named = `from ${table} where task_id = $1 and id = any($2::bigint[])`
  const columns = (own: string) => `job_id, generation, ${own}, ${lineOf[kind].join(', ')}`
  const text = isWhole(kind, scope)
    ? `select ${columns(originOf)}
        from unnest($3::int[], $4::bigint[]) as job (of_job, of_generation)
        join ${table} on task_id = $1 and job_id = of_job and generation = of_generation
        where ${originOf} in (select ${originOf} ${named}) order by job_id`
    : `select ${columns('id')} ${named} and ${hidden} = any($3::bigint[])`
  return { name: `${kind}_of_${scope}_by_id`, text }
}

/** A track of a task is all its pieces: they are looked for in its jobs. */
const isWhole = (kind: RowKind, scope: Target['kind']) => kind === 'track' && scope === 'task'

/** Older servers would look into the index for every pair of an id and a generation. */
const hidden = 'generation + 0'

function placesOf(kind: RowKind, target: Target, jobs: JobRows): (readonly number[])[] {
  const all = [...jobs.values()]
  if (!isWhole(kind, target.kind)) return [generationsOf(jobs)]
  return [all.map((job) => job.job_id), all.map((job) => job.generation)]
}

const scopes = (kind: RowKind) => ({
  task: statementOf(kind, 'task'),
  job: statementOf(kind, 'job'),
})
const statements = { tag: scopes('tag'), shape: scopes('shape'), track: scopes('track') }
