import type { Shape, Tag, Track, TrackShape } from '@reticle/contracts/rest/annotations'
import {
  type RowKind,
  rowColumns,
  shapeColumns,
  tagColumns,
  trackColumns,
} from '@reticle/contracts/row-lines'
import type { RequestIds } from './ids.ts'
import { cutTrack, wasVisible } from './pieces.ts'
import { jobAt, type Target } from './target.ts'

/** An object that passed validation. */
export type Checked =
  | { kind: 'tag'; object: Tag }
  | { kind: 'shape'; object: Shape }
  | { kind: 'track'; object: Track }

/** One row as it goes into the database: columns in the order of `tables`, as texts. */
export interface StoredRow {
  job_id: number
  id: number
  columns: string[]
}

interface Table {
  table: 'tags' | 'shapes' | 'tracks'
  columns: readonly string[]
  /** Text columns that are empty, not null, when there is nothing in them. */
  neverNull: readonly string[]
}

/** Columns of each table: those of row lines between the ids in front and, for tracks, what is kept beside them. */
export const tables: Record<RowKind, Table> = {
  tag: { table: 'tags', columns: ['task_id', 'job_id', ...rowColumns.tag], neverNull: [] },
  shape: {
    table: 'shapes',
    columns: ['task_id', 'job_id', ...rowColumns.shape],
    neverNull: ['points'],
  },
  track: {
    table: 'tracks',
    columns: [
      'task_id',
      'job_id',
      'start_frame',
      ...rowColumns.track.slice(1),
      'stop_frame',
      'origin',
    ],
    neverNull: ['shapes'],
  },
}

/** How many ids an object needs: its own and those of its parts; those it kept count as well, which does no harm. */
export function idsNeeded({ kind, object }: Checked, { jobs }: Target): number {
  if (kind === 'tag') return 1
  if (kind === 'shape') return 1 + object.elements.length
  const inside = object.elements.reduce((sum, one) => sum + one.shapes.length, 0)
  const shapes = object.shapes.length + inside
  return shapes + object.elements.length + Math.min(jobs.length, shapes)
}

/** Gives ids to an object and to its parts, where they have none. */
export function numberObject({ kind, object }: Checked, ids: RequestIds): Checked {
  const id = object.id ?? ids.next()
  if (kind === 'tag') return { kind, object: { ...object, id } }
  if (kind === 'shape') {
    const elements = object.elements.map((one) => ({ ...one, id: one.id ?? ids.next() }))
    return { kind, object: { ...object, id, elements } }
  }
  const number = (shapes: readonly TrackShape[]) =>
    shapes.map((one) => ({ ...one, id: one.id ?? ids.next() }))
  const elements = object.elements.map((one) => {
    const own = one.id ?? ids.next()
    return { ...one, id: own, shapes: number(one.shapes) }
  })
  return { kind, object: { ...object, id, shapes: number(object.shapes), elements } }
}

/** Columns of the whole object as an answer shows it: those of row lines. */
export function answerColumns({ kind, object }: Checked): string[] {
  if (kind === 'tag') return tagColumns(object)
  return kind === 'shape' ? shapeColumns(object) : trackColumns(object)
}

/**
 * The rows of an object: one in the job of its frame, of a track that reaches over several jobs one in each.
 *
 * @param idOf the id of a track's piece in a job after the first; the first has the track's own
 */
export function rowsOf(
  checked: Checked,
  target: Target,
  idOf: (job: number) => number,
): StoredRow[] {
  const { kind, object } = checked
  if (kind === 'track') return trackRows(object, target, idOf)
  const { id: job_id } = jobAt(target, object.frame)
  const columns = [String(target.task_id), String(job_id), ...answerColumns(checked)]
  return [{ job_id, id: object.id ?? 0, columns }]
}

function trackRows(track: Track, target: Target, idOf: (job: number) => number): StoredRow[] {
  const pieces = cutTrack(track, target)
  const origin = pieces.length > 1 ? String(track.id) : ''
  return pieces.map(({ job, track: piece }, index) => {
    const id = index === 0 ? (piece.id ?? 0) : idOf(job.id)
    const stop = wasVisible(piece) ? job.stop_frame : lastFrame(piece)
    const place = [String(target.task_id), String(job.id)]
    const columns = [...place, ...trackColumns({ ...piece, id }), String(stop), origin]
    return { job_id: job.id, id, columns }
  })
}

function lastFrame({ frame, shapes, elements }: Track): number {
  const frames = [shapes, ...elements.map((one) => one.shapes)].flat().map((one) => one.frame)
  return frames.reduce((last, one) => Math.max(last, one), frame)
}
