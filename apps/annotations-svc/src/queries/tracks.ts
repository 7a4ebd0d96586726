import type {
  AnnotationField,
  AnnotationFilter,
  FrameSpan,
} from '@reticle/contracts/rest/annotation-query'
import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import type { Value } from '@reticle/contracts/rest/json-logic'
import { type AnnotationRow, decodeTrack } from '@reticle/contracts/row-lines'
import { evaluateFilter } from '@reticle/kit/list/evaluate-filter'
import { type AnnotationTarget, rangeOf } from '../targets/target.ts'
import type { AnnotationQuery } from './annotation-query.ts'
import { hasSome, type Spans } from './spans.ts'

/** Keeps the tracks that the query selects; the SQL conditions are only a first filter. */
export async function* keepTracks(
  batches: AsyncIterable<AnnotationRow[]>,
  target: AnnotationTarget,
  selection: AnnotationQuery,
): AsyncGenerator<AnnotationRow[]> {
  for await (const rows of batches) {
    const kept = rows.filter((row) => matchesQuery(decodeTrack(row.columns), target, selection))
    if (kept.length > 0) yield kept
  }
}

/** Returns whether a track is visible on a requested frame and has a keyframe that matches the filter. */
export function matchesQuery(
  track: Track,
  target: AnnotationTarget,
  selection: AnnotationQuery,
): boolean {
  const { filter, interpolation } = selection
  const frames = interpolation?.frames ?? selection.frames
  if (filter && !hasKeyframe(track, filter)) return false
  return !frames || isVisible(track, frames, lastFrameOf(target))
}

function hasKeyframe(track: Track, filter: AnnotationFilter): boolean {
  return track.shapes.some(
    (shape) => shape.keyframe && evaluateFilter(filter, (field) => members[field](track, shape)),
  )
}

const members: Record<AnnotationField, (track: Track, shape: TrackShape) => Value> = {
  id: ({ id }) => id ?? null,
  type: (_, { type }) => type,
  frame: (_, { frame }) => frame,
  label_id: ({ label_id }) => label_id,
  group: ({ group }) => group ?? 0,
  source: ({ source }) => source,
  score: () => null,
  occluded: (_, { occluded }) => occluded,
  outside: (_, { outside }) => outside,
  z_order: (_, { z_order }) => z_order,
  rotation: (_, { rotation }) => rotation,
}

/**
 * Returns the last frame of a track that is not hidden. Where a job of a task lacks a piece of it, reading has
 * already hidden it.
 */
export const lastFrameOf = (target: AnnotationTarget) => rangeOf(target).stop

/** A skeleton is visible where one of its elements is. */
function isVisible({ shapes, elements }: Track, frames: Spans, last: number): boolean {
  const parts = elements.length > 0 ? elements.map((one) => one.shapes) : [shapes]
  return parts.some((part) => isSeen(part, frames, last))
}

/** Returns whether a part with these shapes is visible on one of the frames. */
export function isSeen(shapes: readonly TrackShape[], frames: Spans, last: number): boolean {
  for (const span of visibleSpans(shapes, last)) {
    if (hasSome(frames, span.first, span.last)) return true
  }
  return false
}

/**
 * Yields where shapes are visible up to a last frame, ascending; spans may touch. A position that is not a keyframe
 * applies to its frame only.
 */
export function* visibleSpans(shapes: readonly TrackShape[], last: number): Generator<FrameSpan> {
  let isHidden = true
  for (const [index, { frame, outside, keyframe }] of shapes.entries()) {
    if (keyframe || index === 0) isHidden = outside
    const end = Math.min(last, (shapes[index + 1]?.frame ?? last + 1) - 1)
    const span = { first: outside ? frame + 1 : frame, last: isHidden ? frame : end }
    if (span.first <= span.last && span.first <= last) yield span
  }
}
