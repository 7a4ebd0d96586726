import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { JobRange } from '@reticle/contracts/rest/facts'
import { decodeTrack, type Row, trackText } from '@reticle/contracts/row-lines'
import { jobAt, type Target } from '../targets/target.ts'
import { least } from '../validation/normalize.ts'
import { latinRow } from './objects.ts'

/**
 * A track written through its task is kept in pieces, each job holding the keyframes of its own frames, and is joined
 * again when the task is read: no keyframe is invented, and none is lost (`spec/api-annotations.md` 1.8, "same origin").
 */
export interface Piece {
  job: JobRange
  track: Track
}

export function cutTrack(track: Track, target: Target): Piece[] {
  const frames = [track.shapes, ...track.elements.map((one) => one.shapes)].flat()
  const jobs = new Map(frames.map(({ frame }) => jobAt(target, frame)).map((job) => [job.id, job]))
  const [only, ...others] = [...jobs.values()].sort((a, b) => a.id - b.id)
  if (only && others.length === 0) return [{ job: only, track }]
  return [...(only ? [only] : []), ...others].map((job) => ({
    job,
    track: pieceOf(track, (shape) => jobAt(target, shape.frame).id === job.id),
  }))
}

function pieceOf(track: Track, isInside: (shape: TrackShape) => boolean): Track {
  const elements = track.elements
    .map((one) => ({ ...one, shapes: one.shapes.filter(isInside) }))
    .filter((one) => one.shapes.length > 0)
    .map((one) => ({ ...one, frame: one.shapes[0]?.frame ?? one.frame }))
  const shapes = track.shapes.filter(isInside)
  const starts = [...shapes, ...elements].map((one) => one.frame)
  return { ...track, frame: least(starts), shapes, elements }
}

/** Whether a track, or any part of it, is still to be seen after its last keyframe. */
export function wasVisible({ shapes, elements }: Track): boolean {
  const parts = elements.length > 0 ? elements.map((one) => one.shapes) : [shapes]
  return parts.some((part) => part.at(-1)?.outside === false)
}

/** Pieces of one track, those of earlier jobs first, as the track they came from. The first one's id is its id. */
export function joinPieces(pieces: readonly Track[]): Track {
  const [first, ...others] = pieces
  if (!first) throw new Error('a track without pieces')
  if (others.length === 0) return first
  const byId = new Map<unknown, TrackElement[]>()
  for (const element of pieces.flatMap((one) => one.elements)) {
    byId.set(element.id, [...(byId.get(element.id) ?? []), element])
  }
  const elements = [...byId.values()].flatMap((parts) => {
    const [element] = parts
    return element ? [{ ...element, shapes: joinShapes(parts) }] : []
  })
  return { ...first, shapes: joinShapes(pieces), elements }
}

type TrackElement = Track['elements'][number]

/** On a frame that two pieces have, the earlier job's shape stands. */
function joinShapes(parts: readonly { shapes: TrackShape[] }[]): TrackShape[] {
  const byFrame = new Map<number, TrackShape>()
  for (const { shapes } of parts) {
    for (const shape of shapes) if (!byFrame.has(shape.frame)) byFrame.set(shape.frame, shape)
  }
  return [...byFrame.values()].sort((a, b) => a.frame - b.frame)
}

/** A row line of a piece, and the id that the pieces of its track share. */
export interface PieceRow extends Row {
  origin: string
}

/** Joins pieces; those of one track follow each other, maybe over the border of two batches. */
export async function* joinRows(
  batches: AsyncIterable<PieceRow[]> | Iterable<PieceRow[]>,
): AsyncGenerator<Row[]> {
  let open: PieceRow[] = []
  for await (const batch of batches) {
    const joined: Row[] = []
    for (const row of batch) {
      if (open[0] && open[0].origin !== row.origin) {
        joined.push(joinGroup(open))
        open = []
      }
      open.push(row)
    }
    if (joined.length > 0) yield joined
  }
  if (open.length > 0) yield [joinGroup(open)]
}

function joinGroup(pieces: readonly PieceRow[]): Row {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  return latinRow('track', trackText(joinPieces(pieces.map((one) => decodeTrack(one.columns)))))
}
