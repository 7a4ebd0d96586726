import type { Track } from '@reticle/contracts/rest/annotations'
import {
  arrayOf,
  columnSeparator,
  type RowKind,
  rowColumns,
  trackText,
} from '@reticle/contracts/row-lines'
import type { Place } from '../reading/find.ts'
import { answerText, type Checked } from '../reading/objects.ts'
import { cutTrack, wasVisible } from '../reading/pieces.ts'
import type { RequestIds } from '../targets/ids.ts'
import { jobAt, type Target } from '../targets/target.ts'

/** One row as it goes into the database. */
export interface StoredRow extends Place {
  /** Columns in the order of `tables`, joined: those of the object's row line come first. */
  text: string
  /** Whether it has a column that is empty but may not be null. */
  isBare: boolean
}

interface Table {
  table: string
  columns: readonly string[]
  /** Text columns that are empty, not null, when there is nothing in them. */
  neverNull: readonly string[]
}

const placed = ['task_id', 'job_id', 'generation']

/** Columns of each table: those of row lines, and what is kept beside them. */
export const tables: Record<RowKind, Table> = {
  tag: { table: arrayOf.tag, columns: [...rowColumns.tag, ...placed], neverNull: [] },
  shape: {
    table: arrayOf.shape,
    columns: [...rowColumns.shape, ...placed],
    neverNull: ['points'],
  },
  track: {
    table: arrayOf.track,
    columns: ['start_frame', ...rowColumns.track.slice(1), ...[...placed, 'stop_frame', 'origin']],
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

/** Gives ids to an object and to its parts, where they have none. It changes the object: there may be a million. */
export function numberObject({ kind, object }: Checked, ids: RequestIds): void {
  const number = (one: { id?: number | null }) => {
    one.id ??= ids.next()
  }
  number(object)
  if (kind === 'tag') return
  if (kind === 'track') object.shapes.forEach(number)
  for (const element of object.elements) {
    number(element)
    if ('shapes' in element) element.shapes.forEach(number)
  }
}

/**
 * The rows of an object: one in the job of its frame, of a track that reaches over several jobs one in each.
 *
 * @param idOf the id of a track's piece in a job after the first; the first has the track's own
 */
export function rowsOf(checked: Checked, { target, generationOf, idOf }: Into): StoredRow[] {
  const { kind, object } = checked
  if (kind === 'track') return trackRows(object, { target, generationOf, idOf })
  const { id: job_id } = jobAt(target, object.frame)
  const place = { job_id, generation: generationOf(job_id), id: object.id ?? 0 }
  const text = placedText(target, place, answerText(checked))
  return [{ ...place, text, isBare: kind === 'shape' && !object.points.length }]
}

/** Where the rows of a request go. */
interface Into {
  target: Target
  generationOf: (job: number) => number
  idOf: (job: number) => number
}

const placedText = ({ task_id }: Target, { job_id, generation }: Place, text: string) =>
  [text, task_id, job_id, generation].join(columnSeparator)

function trackRows(track: Track, { target, generationOf, idOf }: Into): StoredRow[] {
  const pieces = cutTrack(track, target)
  const origin = pieces.length > 1 ? track.id : ''
  return pieces.map(({ job, track: piece }, index) => {
    const id = index === 0 ? (piece.id ?? 0) : idOf(job.id)
    const place = { job_id: job.id, generation: generationOf(job.id), id }
    const stop = wasVisible(piece) ? job.stop_frame : lastFrame(piece)
    const own = placedText(target, place, trackText({ ...piece, id }))
    const text = [own, stop, origin].join(columnSeparator)
    return { ...place, text, isBare: piece.shapes.length === 0 }
  })
}

function lastFrame({ frame, shapes, elements }: Track): number {
  const frames = [shapes, ...elements.map((one) => one.shapes)].flat().map((one) => one.frame)
  return frames.reduce((last, one) => Math.max(last, one), frame)
}
