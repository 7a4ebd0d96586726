import { arrayOf, columnSeparator, decodeTrack, type RowKind } from '@reticle/contracts/row-lines'
import { type Prepared, queryTexts } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { AnnotationQuery } from '../../queries/annotation-query.ts'
import { countFrames, framesOf, type Spans } from '../../queries/spans.ts'
import { jobsAt } from '../../queries/store/conditions.ts'
import { matchesQuery } from '../../queries/tracks.ts'
import type { JobState } from '../../targets/job-state.ts'
import type { AnnotationTarget } from '../../targets/target.ts'
import { jsonOf, setJson, toJson } from '../json.ts'
import { latinColumns } from '../lines.ts'
import { lineOf } from './select.ts'

/** Maximum number of objects for one prepared statement; a track counts as twenty. */
export const mostOfFew = 2000
const mostTracks = mostOfFew / 20

/** Maximum number of frames. */
const mostFrames = 100

/** JSON of a small read, and the states of the jobs. */
export interface Few {
  states: ReadonlyMap<number, JobState>
  json: string
}

type Texts = readonly (string | null)[]

/** Parses a job and its state from texts in the order of `stateColumns`; further texts are ignored. */
export function stateOf(texts: Texts): [number, JobState] {
  const [job = 0, revision = 0, labels_revision = 0, labels_noted = 0] = texts.map(Number)
  const [tags = 0, shapes = 0, tracks = 0] = texts.slice(4, 7).map(Number)
  return [job, { revision, labels_revision, labels_noted, tags, shapes, tracks }]
}

export const stateColumns = [
  'job_id',
  'revision',
  'labels_revision',
  'labels_noted',
  'tags',
  'shapes',
  'tracks',
].join(', ')

/**
 * Reads the objects on a few frames of one job of any size, with two scans of a primary key and one of its tracks.
 * Returns undefined when the query has other conditions, when there are too many objects, or when a track may be in
 * several jobs.
 *
 * @param target with jobs that share no frames
 */
export async function readFrames(
  db: Kysely<AnnotationsDb>,
  target: AnnotationTarget,
  { frames, label_id, filter, interpolation }: AnnotationQuery,
): Promise<Few | undefined> {
  if (!frames || filter || interpolation || countFrames(frames) > mostFrames) return undefined
  const [job = 0, ...others] = jobsAt(target, frames)
  if (others.length > 0) return undefined
  const labels = label_id.length > 0 ? label_id : null
  const ids = target.jobs.map((one) => one.id)
  const [first, last] = [frames[0]?.first ?? 0, frames.at(-1)?.last ?? -1]
  const values = [target.task_id, ids, job, framesOf(frames), labels, first, last]
  const jobs = await queryTexts(db, statement, values)
  const lists = jobs.map((columns) => columns.slice(7))
  if (lists.flat().some((one) => one === null)) return undefined
  const [tag = '', shape = '', lines = ''] = lists.find((one) => one.some(Boolean)) ?? []
  const json = setJson({
    tag: tag ?? '',
    shape: shape ?? '',
    track: tracksJson(lines ?? '', target, frames),
  })
  return { states: new Map(jobs.map(stateOf)), json }
}

/** Returns the tracks of these row lines that are visible on the frames. */
function tracksJson(lines: string, target: AnnotationTarget, frames: Spans): string {
  const rows = lines === '' ? [] : lines.split('\n')
  const selection = { frames, label_id: [] }
  return rows
    .map((line) => line.split(columnSeparator))
    .filter((texts) => matchesQuery(decodeTrack(latinColumns(texts)), target, selection))
    .map((columns) => toJson({ kind: 'track', columns }))
    .join()
}

/**
 * Selects the states of jobs and the objects of one job on the frames: one text per kind, null when there are too
 * many.
 */
const statement: Prepared = {
  name: 'few_of_frames',
  text: `select ${stateColumns},
      ${listOf('tag')}, ${listOf('shape')},
      case when tracks = 0 then '' when cardinality($2::int[]) > 1 then null
        else ${linesOfTracks()} end
    from (select * from jobs where job_id = any($2::int[])) job order by job_id`,
}

function listOf(kind: Exclude<RowKind, 'track'>): string {
  const table = arrayOf[kind]
  const standing = `job_id = $3 and frame = any($4::int[])`
  const rows = few(table, standing, 'frame, id', mostOfFew)
  const list = ifFew(jsonOf[kind], `','`, rows, mostOfFew)
  return `case when job.job_id = $3 and job.${table} > 0 then ${list} else '' end`
}

function linesOfTracks(): string {
  const spanned = 'job_id = $3 and start_frame <= $7 and stop_frame >= $6'
  const line = `concat(${lineOf.track.slice(1).join(', chr(2), ')})`
  return ifFew(line, 'chr(10)', few('tracks', spanned, 'id', mostTracks), mostTracks)
}

function few(table: string, where: string, order: string, most: number): string {
  const labelled = '($5::int[] is null or label_id = any($5::int[]))'
  return `select * from ${table}
    where task_id = $1 and generation = job.generation and ${where} and ${labelled}
    order by ${order} limit ${most + 1}`
}

function ifFew(text: string, between: string, rows: string, most: number): string {
  return `(select case when count(*) <= ${most} then coalesce(string_agg(${text}, ${between}), '') end
    from (${rows}) one)`
}
