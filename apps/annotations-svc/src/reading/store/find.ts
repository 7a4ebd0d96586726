import { mergeSpans } from '@reticle/contracts/rest/annotation-query'
import { type AnnotationRow, arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { copyOut } from '@reticle/kit/db/copy'
import { queryRows, queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import { idOf, type JobObjectRow } from '../../layout/frames.ts'
import type { TrackPairs } from '../../layout/tracks.ts'
import { type AnnotationTarget, jobsOfFrame } from '../../targets/target.ts'
import { foldRows, openJoiner } from '../fold.ts'
import { latinColumns, type PieceRow, parseJobRows, pieceRow } from '../lines.ts'
import { findPairs } from '../pairs.ts'
import { liveRows, rowsOfIds } from './live.ts'
import { isPlain, lineOf, objectIn, pairsJson, selectFrames } from './select.ts'

/** An object as it is stored. */
export interface StoredObject {
  /** Id of the object; in a task that of its first row. */
  id: number
  row: AnnotationRow
  /** Its rows, earlier jobs first. */
  locations: { job_id: number; id: number }[]
}

/** Builds a statement that copies rows to the history: `buildHistoryCopy`. */
export type Keep = (kind: RowKind, rows: string, job?: string) => string

/** Finds objects of a target by id. The map uses the requested ids; unknown ids are left out. */
export type Find = (kind: RowKind, ids: readonly number[]) => Promise<Map<number, StoredObject>>

/**
 * Creates a finder of current objects for one request. An object of a task is found by the id of any of its rows,
 * with the same merging as a read of the task.
 *
 * @param keep for a caller that will change or delete the found objects: copies their rows to the history, which is
 * cheap while they are cached
 */
export function openFinder(db: Kysely<AnnotationsDb>, target: AnnotationTarget, keep?: Keep): Find {
  let pairs: Promise<TrackPairs> | undefined
  const findAcrossJobs: Find = async (kind, ids) => {
    if (kind === 'track') {
      // Computed once: if the request changes tracks, it merges the found pairs into one origin.
      pairs ??= findPairs(db, target)
      return findTracks(db, target, ids, await pairs)
    }
    const rows = await findRows(db, kind, target, ids)
    return new Map([...singles(rows), ...(await findFolded(db, kind, target, rows))])
  }
  return async (kind, ids) => {
    if (ids.length === 0) return new Map() // a body may contain empty arrays
    if (isPlain(kind, target)) return singles(await findRows(db, kind, target, ids, keep))
    const found = await findAcrossJobs(kind, ids)
    if (keep) await addLocations(db, kind, target, found, keep)
    return found
  }
}

/** Yields objects by id in batches, in the order of the ids. */
export async function* readNamed(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  target: AnnotationTarget,
  ids: readonly number[],
): AsyncGenerator<AnnotationRow[]> {
  const find = openFinder(db, target)
  const size = kind === 'track' ? 100 : 1000
  for (let at = 0; at < ids.length; at += size) {
    const part = ids.slice(at, at + size)
    const found = await find(kind, part)
    yield part.flatMap((id) => found.get(id)?.row ?? [])
  }
}

const singles = (rows: readonly JobObjectRow[]) =>
  new Map(rows.map((row) => [idOf(row), foundOf(row, [row])]))

const foundOf = (row: AnnotationRow, members: readonly JobObjectRow[]): StoredObject => {
  const locations = members.map((one) => ({ job_id: one.job_id, id: idOf(one) }))
  return { id: locations[0]?.id ?? 0, row, locations }
}

async function findRows(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  target: AnnotationTarget,
  ids: readonly number[],
  keep?: Keep,
): Promise<JobObjectRow[]> {
  const named = `select stored.* from ${rowsOfIds(kind, 'unnest($2::bigint[]) as given (id)')}`
  const jobs = target.jobs.map((one) => one.id)
  const job = jobs.length === 1 ? '($3::int[])[1]' : undefined
  const kept = keep?.(kind, 'from stored where job_id = any($3::int[])', job)
  const line = `job_id, ${lineOf[kind].join(', ')}`
  const text = kept
    ? `with stored as materialized (${named}) ${kept} returning ${line}`
    : `with stored as (${named}) select ${line} from stored`
  const name = [kind, 'by_id', kept && 'kept', kept && job && 'of_job'].filter(Boolean).join('_')
  const values = [target.task_id, [...new Set(ids)], ...(kept ? [jobs] : [])]
  const texts = await queryTexts(db, { name, text }, values)
  const rows = texts.map(([job, , ...columns]) => {
    return { kind, job_id: Number(job), columns: latinColumns(columns) }
  })
  return ofTarget(rows, target)
}

/** Filters by job here, because a condition in SQL could make the planner scan the whole job by its primary key. */
function ofTarget<R extends JobObjectRow>(rows: readonly R[], { jobs }: AnnotationTarget): R[] {
  const own = new Set(jobs.map((one) => one.id))
  return rows.filter((one) => own.has(one.job_id))
}

/** Merged objects are known only after all rows of their frame are merged. */
async function findFolded(
  db: Kysely<AnnotationsDb>,
  kind: 'tag' | 'shape',
  target: AnnotationTarget,
  rows: readonly JobObjectRow[],
): Promise<Map<number, StoredObject>> {
  const all = new Set(rows.map(({ columns }) => Number(columns[0])))
  const frames = [...all].filter((frame) => jobsOfFrame(target, frame).length > 1)
  const requested = new Set(rows.map(idOf))
  const found = new Map<number, StoredObject>()
  if (frames.length === 0) return found
  const spans = mergeSpans(frames.map((frame) => ({ first: frame, last: frame })))
  const bytes = copyOut(db, selectFrames(db, kind, target, { frames: spans, label_id: [] }))
  for await (const objects of foldRows(parseJobRows(kind, bytes), target)) {
    for (const { row, members } of objects) {
      for (const id of members.map(idOf))
        if (requested.has(id)) found.set(id, foundOf(row, members))
    }
  }
  return found
}

/** Copies the rows of objects in several jobs to the history. */
async function addLocations(
  db: Kysely<AnnotationsDb>,
  kind: RowKind,
  { task_id }: AnnotationTarget,
  found: Awaited<ReturnType<Find>>,
  keep: Keep,
): Promise<void> {
  const objects = new Set(found.values()) // a track is found by the id of each of its pieces
  const locations = [...objects].flatMap((one) => one.locations)
  const table = arrayOf[kind]
  const given = 'unnest($2::bigint[], $3::int[]) as given (id, of_job)'
  const rows = `from ${rowsOfIds(kind, given)} where stored.job_id = of_job`
  const statement = { name: `keep_${table}`, text: keep(kind, rows) }
  const values = [task_id, locations.map((one) => one.id), locations.map((one) => one.job_id)]
  if (locations.length > 0) await queryRows(db, statement, values)
}

async function findTracks(
  db: Kysely<AnnotationsDb>,
  target: AnnotationTarget,
  ids: readonly number[],
  pairs: TrackPairs,
): Promise<Map<number, StoredObject>> {
  const values = [target.jobs.map((one) => one.id), ids, pairsJson(pairs), target.task_id]
  const texts = await queryTexts(db, pieces, values)
  const rows = texts.map(([, ...columns]) => pieceRow(latinColumns(columns)))
  const groups = new Map<string, PieceRow[]>()
  for (const row of ofTarget(rows, target)) {
    const group = groups.get(row.leader)
    if (group) group.push(row)
    else groups.set(row.leader, [row])
  }
  const join = openJoiner(target)
  const found = new Map<number, StoredObject>()
  for (const group of groups.values()) {
    const object = foundOf(join(group), group)
    for (const { id } of object.locations) found.set(id, object)
  }
  return found
}

const object = objectIn('$3::jsonb')
const tracks = liveRows('track', '$1::int[]', { task: '$4' })
const pieces = {
  name: 'pieces_by_id',
  text: `select ${lineOf.track.join(', ')}, ${object}, job_id, stop_frame
    from ${tracks}
    where ${object} = any(array(
      select ${object} from ${tracks} where id = any($2::bigint[])
    )) order by job_id, id`,
}
