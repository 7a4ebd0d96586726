import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { anchorAt } from '@reticle/geometry'
import { wasVisible } from '../validation/visible.ts'
import type { Fold } from './folds.ts'

type Element = Track['elements'][number]

/** A track of the task, joined from the pieces of its jobs. */
export interface Joined {
  track: Track
  /** Index of the last fold with a piece. */
  at: number
}

/**
 * Joins the pieces of one track, earlier jobs first; `at` is the index of the fold of the job. The track gets the id
 * of the first piece.
 */
export function joinPieces(
  pieces: readonly { at: number; track: Track }[],
  folds: readonly Fold[],
): Track {
  let whole: Joined | undefined
  for (const { at, track } of pieces) {
    if (whole) addPiece(whole, { at, track }, folds)
    else whole = { track: copyOf(track), at }
  }
  if (!whole) throw new Error('a track without pieces')
  endBefore(whole.track, folds[whole.at + 1])
  return whole.track
}

/**
 * Adds the piece of a later job. Changes the track in place, because there may be thousands of pieces. A piece that
 * begins after the shared frames was hidden until then in its job.
 */
export function addPiece(
  whole: Joined,
  { at, track }: { at: number; track: Track },
  folds: readonly Fold[],
): void {
  const next = folds[whole.at + 1]
  if (next && (at > whole.at + 1 || track.frame > next.before + 1)) endBefore(whole.track, next)
  const own = whole.track
  own.frame = Math.min(own.frame, track.frame)
  mergeShapes(own.shapes, track.shapes)
  const known = new Map(named(own.elements))
  for (const [name, element] of named(track.elements)) {
    const mine = known.get(name)
    if (mine) mergeShapes(mine.shapes, element.shapes)
    else own.elements.push(copyOf(element))
    if (mine) mine.frame = Math.min(mine.frame, element.frame)
  }
  whole.at = at
}

/** Hides a visible track from the first frame of a job without a piece of it. */
export function endBefore(track: Track, fold: Fold | undefined): void {
  if (!fold || fold.before >= fold.job.stop_frame || !wasVisible(track)) return
  const frame = fold.before + 1
  for (const { shapes } of [track, ...track.elements]) {
    const last = shapes[anchorAt(shapes, Number.POSITIVE_INFINITY)]
    if (!last || last.outside || (shapes.at(-1)?.frame ?? 0) >= frame) continue
    shapes.push({ ...last, id: null, frame, outside: true, keyframe: true })
  }
}

function copyOf<T extends Track | Element>(part: T): T {
  const copy = { ...part, shapes: [...part.shapes] }
  return 'elements' in copy ? { ...copy, elements: copy.elements.map(copyOf) } : copy
}

/** Names elements by label and by index among those of the label, because ids may differ between jobs. */
function named(elements: readonly Element[]): [string, Element][] {
  const counts = new Map<number, number>()
  return elements.map((element) => {
    const number = counts.get(element.label_id) ?? 0
    counts.set(element.label_id, number + 1)
    return [`${element.label_id} ${number}`, element]
  })
}

/** On frames with shapes of both jobs, the shape of the earlier job is kept. */
function mergeShapes(own: TrackShape[], others: readonly TrackShape[]): void {
  const first = others[0]?.frame ?? Number.POSITIVE_INFINITY
  let at = own.length
  while (at > 0 && (own[at - 1]?.frame ?? 0) >= first) at -= 1
  const shared = own.splice(at)
  const frames = new Set(shared.map((one) => one.frame))
  const both = [...shared, ...others.filter((one) => !frames.has(one.frame))]
  for (const shape of both.sort((a, b) => a.frame - b.frame)) own.push(shape)
}
