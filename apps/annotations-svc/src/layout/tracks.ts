import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { anchorAt, assign, type Edge } from '@reticle/geometry'
import { isSpatial, type Target } from '../targets/target.ts'
import { lastFrame, wasVisible } from '../validation/visible.ts'
import { type Fold, foldsOf, sharesFrames } from './folds.ts'
import { addPiece, endBefore } from './join.ts'
import { openComparer } from './similar.ts'

/** A track of a job, as far as frames that jobs share are concerned. */
export interface SharedPiece {
  track: Track
  /** What the pieces of a track that was cut have in common; of any other track its own id. */
  origin: number
  /** Ids of the jobs that have pieces of that origin, ascending. */
  jobs: readonly number[]
}

/** Which tracks of different origins are one: of each origin the one that its object is named for. */
export type TrackPairs = ReadonlyMap<number, number>

export interface TrackFolder {
  /** Takes a track of a job; jobs come in their order. */
  add: (job_id: number, piece: SharedPiece) => void
  finish: () => TrackPairs
}

/** The highest cost, 1 - similarity, at which two tracks are one. */
const acceptedCost = 0.5

/** An object so far, as much of it as the next jobs are compared with. */
interface Open {
  track: Track
  at: number
  object: number
  jobs: Set<number>
}

/**
 * Finds the tracks that are one although different jobs drew them (`spec/api-annotations.md` 1.8): those that are alike on
 * the frames that their jobs share. Pieces of one origin belong together anyway, whatever frames they share, so two origins
 * with pieces in one job stay two. Of tracks it keeps what lies around the shared frames of the jobs at hand.
 */
export function openTrackFolder(target: Pick<Target, 'jobs' | 'dimension'>): TrackFolder {
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
  /** Of each object of several origins the jobs that have a piece of it. */
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

/** Pairs what is left of a job's tracks with objects that have no piece in it; those that found one are answered. */
function pairTracks(work: Work, fold: Fold, pieces: readonly Open[]): Set<Open> {
  const { open, folds, pairs, merged } = work
  const joined = new Set<Open>()
  for (const { left, right, similarity } of assign(edgesOf(work, fold, pieces))) {
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
    // One of an earlier job is its object already: only that one's piece is on none of the shared frames.
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

/** What a job shares with those before it, and with those behind it. */
interface Around {
  head: number
  tail: number
}

function framesAround(folds: readonly Fold[], at: number): Around {
  const { before = -1 } = folds[at] ?? {}
  return { head: before, tail: folds[at + 1]?.job.start_frame ?? Number.POSITIVE_INFINITY }
}

/** Leaves out the keyframes that decide no shared frame, and whatever is not compared. */
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

/** For each job, the frames that make a track of it one to be compared: up to `head`, or from `tail` on. */
export function sharedEdges(target: Pick<Target, 'jobs'>) {
  return foldsOf(target).map((fold, at, folds) => {
    const { job } = fold
    const next = folds[at + 1]
    const head = sharesFrames(fold) ? fold.before : -1
    const tail = next && sharesFrames(next) ? next.job.start_frame : largestFrame
    return { job_id: job.id, head, tail }
  })
}

const largestFrame = 2_147_483_647
