import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { toLatin1 } from '@reticle/contracts/row-lines'
import { trackStates } from '@reticle/geometry'
import type { Interpolation } from './annotation-query.ts'
import { clipSpans } from './spans.ts'
import { isSeen, visibleSpans } from './tracks.ts'

type Part = Omit<Track, 'elements'>

/**
 * Yields the JSON of a track whose `shapes`, and those of each element, are its positions on the requested frames, in
 * small parts because there may be a million. The text uses latin-1 characters, like rows.
 *
 * @param last last frame of the track
 */
export function* positionsJson(
  track: Track,
  last: number,
  interpolation: Interpolation,
): Generator<string> {
  const { elements, ...own } = track
  yield* partJson(own, last, interpolation)
  yield ',"elements":['
  let comma = ''
  for (const element of elements) {
    if (!isSeen(element.shapes, interpolation.frames, last)) continue
    yield comma
    yield* partJson(element, last, interpolation)
    yield '}'
    comma = ','
  }
  yield ']}'
}

/** Yields a part without its closing brace. */
function* partJson(part: Part, last: number, interpolation: Interpolation): Generator<string> {
  const { id, frame, label_id, group, source, attributes, shapes } = part
  const named = JSON.stringify({ id, frame, label_id, group, source, attributes })
  yield `${toLatin1(named.slice(0, -1))},"shapes":[`
  let comma = ''
  for (const position of positions(shapes, last, interpolation)) {
    yield comma + toLatin1(JSON.stringify(position))
    comma = ','
  }
  yield ']'
}

/** Yields stored shapes with their id and interpolated ones without. */
function* positions(
  shapes: readonly TrackShape[],
  last: number,
  { frames, is3d }: Interpolation,
): Generator<TrackShape> {
  const stored = new Set(shapes)
  const stateOf = trackStates(shapes, { is3d })
  for (const seen of visibleSpans(shapes, last)) {
    for (const span of clipSpans(frames, seen.first, seen.last)) {
      for (let frame = span.first; frame <= span.last; frame += 1) {
        const state = stateOf(frame)
        if (state) yield stored.has(state) ? state : { ...state, id: null }
      }
    }
  }
}
