import { type FrameSpan, mergeSpans } from '@reticle/contracts/rest/annotation-query'
import { type AnnotationTarget, rangeOf } from '../targets/target.ts'

/** Spans in ascending order that neither overlap nor touch. */
export type Spans = readonly FrameSpan[]

/** Returns the frames of a target. */
export function spansOf(target: AnnotationTarget): Spans {
  const { start, stop, chosen } = rangeOf(target)
  if (!chosen) return [{ first: start, last: stop }]
  return mergeSpans([...chosen].map((frame) => ({ first: frame, last: frame })))
}

/** Returns the intersection. */
export const common = (a: Spans, b: Spans): Spans =>
  a.flatMap(({ first, last }) => [...clipSpans(b, first, last)])

/** Yields the spans within two frames, inclusive. Uses a binary search, because it is called for every row. */
export function* clipSpans(spans: Spans, from: number, to: number): Generator<FrameSpan> {
  for (let index = indexAt(spans, from); ; index += 1) {
    const span = spans[index]
    if (!span || span.first > to) return
    yield { first: Math.max(span.first, from), last: Math.min(span.last, to) }
  }
}

export const hasSome = (spans: Spans, from: number, to: number) =>
  clipSpans(spans, from, to).next().done === false

/** Returns the index of the first span that ends on or after a frame. */
function indexAt(spans: Spans, frame: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.last ?? frame) < frame) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the spans without some frames, which must be ascending. */
export function excludeFrames(spans: Spans, frames: readonly number[]): Spans {
  return common(spans, between(frames))
}

/** Returns all possible frames except these. */
function between(frames: readonly number[]): Spans {
  const starts = [0, ...frames.map((frame) => frame + 1)]
  return starts
    .map((first, index) => ({ first, last: (frames[index] ?? Number.POSITIVE_INFINITY) - 1 }))
    .filter(({ first, last }) => first <= last)
}

export const countFrames = (spans: Spans) =>
  spans.reduce((sum, { first, last }) => sum + last - first + 1, 0)

/** Returns every single frame; for small spans only. */
export const framesOf = (spans: Spans) =>
  spans.flatMap(({ first, last }) =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index),
  )
