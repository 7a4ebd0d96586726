import type { TrackShape } from '@reticle/contracts/rest/annotations'
import type { JobRange } from '@reticle/contracts/rest/facts'
import {
  arrayOf,
  columnSeparator,
  type RowKind,
  rowColumns,
  trackText,
} from '@reticle/contracts/row-lines'
import type { RequestIds } from '../db/ids.ts'
import type { GenerationOf } from '../history/store/generations.ts'
import { cutTrack, type TrackPiece } from '../layout/cut.ts'
import { foldsOf } from '../layout/folds.ts'
import { joinPieces } from '../layout/join.ts'
import { answerText, type Checked } from '../reading/objects.ts'
import { type AnnotationTarget, jobsOfFrame } from '../targets/target.ts'
import { lastFrame, wasVisible } from '../validation/visible.ts'

/** Row to insert. */
export interface StoredRow {
  job_id: number
  id: number
  /** Columns in the order of `tables`, joined; those of the row line come first. */
  text: string
  /** Whether a column is empty that must not be null. */
  isBare: boolean
}

interface Table {
  table: string
  columns: readonly string[]
  /** Text columns that store empty text instead of null. */
  neverNull: readonly string[]
}

const whereColumns = ['task_id', 'job_id', 'generation']

/** Columns of each table: those of row lines, then additional ones. */
export const tables: Record<RowKind, Table> = {
  tag: { table: arrayOf.tag, columns: [...rowColumns.tag, ...whereColumns], neverNull: [] },
  shape: {
    table: arrayOf.shape,
    columns: [...rowColumns.shape, ...whereColumns],
    neverNull: ['points'],
  },
  track: {
    table: arrayOf.track,
    columns: ['start_frame', ...rowColumns.track.slice(1), ...whereColumns, 'stop_frame', 'origin'],
    neverNull: ['shapes'],
  },
}

/**
 * An object with its destination: all jobs with the frame of a tag or shape, or pieces of a track for the jobs where
 * it is visible.
 */
export type Laid =
  | { checked: Exclude<Checked, { kind: 'track' }>; jobs: readonly JobRange[] }
  | { checked: Extract<Checked, { kind: 'track' }>; pieces: readonly TrackPiece[] }

export interface StoredRows {
  /** Earlier jobs first; the first row has the id of the object. */
  rows: StoredRow[]
  /** Returns the row line columns, joined, as a read of the target would return them. */
  answer: () => string
}

/** Converts objects to rows. */
export interface RowLayout {
  layOut: (checked: Checked) => Laid
  /**
   * Assigns ids to an object and its parts where they are missing. Changes the object in place, because there may be
   * a million.
   *
   * @param idOf returns the id of the row in a job after the first
   */
  store: (laid: Laid, ids: RequestIds, idOf: (job: number) => number) => StoredRows
}

/**
 * Creates a layout for a target.
 *
 * @param generationOf returns the generation for rows of a job
 */
export function openLayout(target: AnnotationTarget, generationOf: GenerationOf): RowLayout {
  const placed = openPlaces(target, generationOf)
  const folds = foldsOf(target)
  const indexOf = new Map(folds.map(({ job }, index) => [job.id, index]))
  const join = (pieces: readonly TrackPiece[]) => {
    const placed = pieces.map(({ job, track }) => ({ at: indexOf.get(job.id) ?? 0, track }))
    return trackText(joinPieces(placed, folds))
  }
  return {
    layOut: (checked) => {
      if (checked.kind === 'track') return { checked, pieces: cutTrack(checked.object, target) }
      return { checked, jobs: jobsOfFrame(target, checked.object.frame) }
    },
    store: (laid, ids, idOf) => {
      if ('jobs' in laid) return storeCopies(laid.checked, laid.jobs, { placed, ids, idOf })
      const pieces = numberPieces(laid.pieces, ids, idOf)
      const rows = trackRows(pieces, placed)
      return { rows, answer: () => (pieces.length > 1 ? join(pieces) : (rows[0]?.text ?? '')) }
    },
  }
}

/**
 * Returns how many ids an object needs for its rows and parts. Kept ids are counted too, which only reserves more.
 */
export function idsNeeded(laid: Laid): number {
  if ('jobs' in laid) return laid.jobs.length * partsOf(laid.checked)
  return laid.pieces.reduce((sum, { track }) => sum + partsOf({ kind: 'track', object: track }), 0)
}

function partsOf({ kind, object }: Checked): number {
  if (kind === 'tag') return 1
  if (kind === 'shape') return 1 + object.elements.length
  const inside = object.elements.reduce((sum, one) => sum + one.shapes.length, 0)
  return 1 + object.shapes.length + object.elements.length + inside
}

function numberObject({ kind, object }: Checked, ids: RequestIds): void {
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

interface Storing {
  placed: Placed
  ids: RequestIds
  idOf: (job: number) => number
}

function storeCopies(
  checked: Exclude<Checked, { kind: 'track' }>,
  jobs: readonly JobRange[],
  { placed, ids, idOf }: Storing,
): StoredRows {
  numberObject(checked, ids)
  const { frame } = checked.object
  if (jobs.length === 0) throw new RangeError(`no job has frame ${frame}`)
  const rows = jobs.map(({ id: job_id }, index) => {
    const own = index === 0 ? checked : copyOf(checked, idOf(job_id), ids)
    const isBare = own.kind === 'shape' && own.object.points.length === 0
    return { job_id, id: own.object.id ?? 0, text: placed(job_id, answerText(own)), isBare }
  })
  return { rows, answer: () => rows[0]?.text ?? '' }
}

function copyOf({ kind, object }: Checked, id: number, ids: RequestIds): Checked {
  if (kind === 'tag') return { kind, object: { ...object, id } }
  if (kind === 'track') throw new Error('a track is cut, not copied')
  const elements = object.elements.map((one) => ({ ...one, id: ids.next() }))
  return { kind, object: { ...object, id, elements } }
}

/** Joins the columns of an object with those of its place. */
type Placed = (job: number, text: string) => string

const openPlaces =
  ({ task_id }: AnnotationTarget, generationOf: GenerationOf): Placed =>
  (job, text) =>
    [text, task_id, job, generationOf(job)].join(columnSeparator)

/**
 * Elements have the same id in all pieces. A shape in several pieces keeps its id in the first one, which is the one
 * that reads return.
 */
function numberPieces(
  [first, ...others]: readonly TrackPiece[],
  ids: RequestIds,
  idOf: (job: number) => number,
): TrackPiece[] {
  if (!first) return []
  numberObject({ kind: 'track', object: first.track }, ids)
  if (others.length === 0) return [first]
  const taken = new Set<unknown>()
  const take = (shapes: readonly TrackShape[]) =>
    shapes.map((shape) => {
      const id = shape.id && !taken.has(shape.id) ? shape.id : ids.next()
      taken.add(id)
      return id === shape.id ? shape : { ...shape, id }
    })
  for (const { shapes } of [first.track, ...first.track.elements]) take(shapes)
  const numbered = others.map(({ job, track }) => {
    const id = idOf(job.id)
    const shapes = take(track.shapes)
    const elements = track.elements.map((one, index) => {
      return { ...one, id: first.track.elements[index]?.id ?? null, shapes: take(one.shapes) }
    })
    return { job, track: { ...track, id, shapes, elements } }
  })
  return [first, ...numbered]
}

function trackRows(pieces: readonly TrackPiece[], placed: Placed): StoredRow[] {
  const origin = pieces.length > 1 ? pieces[0]?.track.id : ''
  return pieces.map(({ job, track }) => {
    const stop = wasVisible(track) ? job.stop_frame : lastFrame(track)
    const own = placed(job.id, trackText(track))
    const text = [own, stop, origin].join(columnSeparator)
    return { job_id: job.id, id: track.id ?? 0, text, isBare: track.shapes.length === 0 }
  })
}
