import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { anchorAt, assignPairs, type Edge } from '@reticle/geometry'
import { type AnnotationTarget, isSpatial } from '../targets/target.ts'
import { lastFrame, wasVisible } from '../validation/visible.ts'
import { type Fold, foldsOf, sharesFrames } from './folds.ts'
import { addPiece, endBefore } from './join.ts'
import { openComparer } from './similar.ts'

/** A track of a job, reduced to the frames that jobs share. */
export interface SharedPiece {
  track: Track
  /** Id that the pieces of a cut track share; for any other track its own id. */
  origin: number
  /** Ids of the jobs that have pieces of the origin, ascending. */
  jobs: readonly number[]
}

/** Maps the origin of each matched track to the origin that names the joint object. */
export type TrackPairs = ReadonlyMap<number, number>

export interface TrackFolder {
  /** Adds a track of a job; jobs come in order. */
  add: (job_id: number, piece: SharedPiece) => void
  finish: () => TrackPairs
}

/** Highest cost (1 - similarity) at which two tracks are the same object. */
const acceptedCost = 0.5

/** An object found so far, with the frames that later jobs are compared with. */
interface Open {
  track: Track
  at: number
  object: number
  jobs: Set<number>
}

/**
 * Finds tracks of different jobs that are the same object: those that are similar on the shared frames. Pieces of one
 * origin belong together in any case, so two origins with pieces in the same job stay separate. Keeps only the
 * keyframes around the shared frames of the current jobs.
 */
export function openTrackFolder(target: Pick<AnnotationTarget, 'jobs' | 'dimension'>): TrackFolder {
  const folds = foldsOf(target)
  const indexOf = new Map(folds.map(({ job }, index) => [job.id, index]))
  const is3d = isSpatial(target)
  const work: Work = { folds, pairs: new Map(), merged: new Map(), open: [], is3d }
  let at = -1
  let waiting: SharedPiece[] = []
  const foldTo = (next: number) => {
    while (at < next) {
      if (at >= 0) foldJob(work, at, waiting)
      waiting = []
      at += 1
    }
  }
  return {
    add: (job_id, piece) => {
      foldTo(indexOf.get(job_id) ?? at)
      waiting.push({ ...piece, track: trimmed(piece.track, framesAround(folds, at)) })
    },
    finish: () => {
      foldTo(folds.length)
      return work.pairs
    },
  }
}

interface Work {
  folds: readonly Fold[]
  pairs: Map<number, number>
  /** Jobs with a piece, for each object of several origins. */
  merged: Map<number, Set<number>>
  open: Open[]
  is3d: boolean
}

function foldJob(work: Work, at: number, pieces: readonly SharedPiece[]): void {
  const { folds, pairs, merged, open } = work
  const fold = folds[at]
  if (!fold) return
  const byObject = new Map(open.map((one) => [one.object, one]))
  const alone: Open[] = []
  for (const { origin, jobs, track } of pieces) {
    const object = pairs.get(origin) ?? origin
    const known = byObject.get(object)
    if (known) addPiece(known, { at, track }, folds)
    else alone.push({ track, at, object, jobs: merged.get(object) ?? new Set(jobs) })
  }
  const joined = sharesFrames(fold) ? pairTracks(work, fold, alone) : new Set<Open>()
  for (const one of open) if (!one.jobs.has(fold.job.id)) endBefore(one.track, fold)
  const next = folds[at + 1]?.job.start_frame ?? Number.POSITIVE_INFINITY
  const rest = [...open, ...alone.filter((one) => !joined.has(one))]
  work.open = rest.filter(({ track }) => wasVisible(track) || lastFrame(track) >= next)
  for (const { track } of work.open) {
    for (const { shapes } of [track, ...track.elements]) shapes.splice(0, anchorAt(shapes, next))
  }
}

/** Pairs the remaining tracks of a job with objects that have no piece in it. Returns the paired tracks. */
function pairTracks(work: Work, fold: Fold, pieces: readonly Open[]): Set<Open> {
  const { open, folds, pairs, merged } = work
  const joined = new Set<Open>()
  for (const { left, right, similarity } of assignPairs(edgesOf(work, fold, pieces))) {
    const [one, piece] = [open[left], pieces[right]]
    if (!one || !piece || 1 - similarity > acceptedCost) continue
    addPiece(one, piece, folds)
    for (const id of piece.jobs) one.jobs.add(id)
    pairs.set(piece.object, one.object)
    merged.set(one.object, one.jobs)
    joined.add(piece)
  }
  return joined
}

function edgesOf({ open, is3d }: Work, { job, before }: Fold, pieces: readonly Open[]): Edge[] {
  const [first, last] = [job.start_frame, Math.min(before, job.stop_frame)]
  const comparer = openComparer(is3d)
  const edges: Edge[] = []
  for (const [right, piece] of pieces.entries()) {
    // A piece whose origin began in an earlier job already belongs to an object; it is here only because that job's
    // piece has no shared frame.
    if (piece.track.frame > last || Math.min(...piece.jobs) < job.id) continue
    for (const [left, one] of open.entries()) {
      if (one.at === piece.at || haveCommon(one.jobs, piece.jobs)) continue
      const similarity = comparer.tracks(one.track, piece.track, first, last)
      if (similarity > 0) edges.push({ left, right, similarity })
    }
  }
  return edges
}

const haveCommon = (a: ReadonlySet<number>, b: ReadonlySet<number>) =>
  [...b].some((one) => a.has(one))

/** Frames that a job shares with earlier jobs and with later jobs. */
interface Around {
  head: number
  tail: number
}

function framesAround(folds: readonly Fold[], at: number): Around {
  const { before = -1 } = folds[at] ?? {}
  return { head: before, tail: folds[at + 1]?.job.start_frame ?? Number.POSITIVE_INFINITY }
}

/** Drops the keyframes that affect no shared frame, and attributes, which are not compared. */
function trimmed(track: Track, { head, tail }: Around): Track {
  const trim = (shapes: readonly TrackShape[]) => {
    const behindHead = shapes.findIndex(({ frame, keyframe }) => frame > head && keyframe)
    const beforeTail = anchorAt(shapes, tail)
    return shapes.flatMap((shape, index) => {
      const isShared = index <= behindHead || index >= beforeTail || shape.frame <= head
      return isShared ? [{ ...shape, attributes: [] }] : []
    })
  }
  const elements = track.elements.map((one) => ({ ...one, shapes: trim(one.shapes) }))
  return { ...track, shapes: trim(track.shapes), elements }
}

/** Returns for each job the frames whose tracks have to be compared: up to `head`, or from `tail` on. */
export function sharedEdges(target: Pick<AnnotationTarget, 'jobs'>) {
  return foldsOf(target).map((fold, at, folds) => {
    const { job } = fold
    const next = folds[at + 1]
    const head = sharesFrames(fold) ? fold.before : -1
    const tail = next && sharesFrames(next) ? next.job.start_frame : largestFrame
    return { job_id: job.id, head, tail }
  })
}

const largestFrame = 2_147_483_647
