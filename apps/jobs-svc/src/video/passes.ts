import type { VideoIndex } from './decoder.ts'

type Times = Pick<VideoIndex, 'pts' | 'keys'>

/** One sequential run of a decoder over a part of a video. */
export interface Pass {
  /** Time of the key frame to start at; undefined: the start of the file. */
  from: number | undefined
  /** First and last times of runs of wanted frames, ascending. */
  spans: { first: number; last: number }[]
  /** Frames of all spans, ascending. */
  frames: number[]
}

export interface PassOptions {
  /** Longest gap in frames that is decoded and dropped instead of starting a new pass. */
  leap: number
  /** Limits of one pass, which keep the arguments of a decoder short and its time predictable. */
  mostSpans: number
  mostFrames: number
}

/**
 * Splits wanted frames into passes. A new one starts when the key frame before the next wanted frame is further away
 * than is worth decoding.
 *
 * @param requested ascending frame numbers of `index`, read one ahead
 */
export function* passesOf(
  index: Times,
  requested: Iterable<number>,
  { leap, mostSpans, mostFrames }: PassOptions,
): Generator<Pass> {
  let pass: Pass | undefined
  let previous = -1
  for (const frame of requested) {
    const isNext = frame === previous + 1
    const isFull =
      pass !== undefined &&
      (pass.frames.length >= mostFrames || (!isNext && pass.spans.length >= mostSpans))
    if (pass && (isFull || isFar(index, previous, frame, leap))) {
      yield pass
      pass = undefined
    }
    pass ??= { from: keyBefore(index, frame), spans: [], frames: [] }
    addTo(pass, index, frame)
    previous = frame
  }
  if (pass) yield pass
}

/**
 * Returns the rest of a pass with a new start.
 *
 * @param done number of frames that were found
 * @param retreat start this many frames before the usual key frame, or one key frame if that is further
 */
export function restOf(index: Times, { frames }: Pass, done: number, retreat: number): Pass {
  const [first = 0] = frames.slice(done, done + 1)
  const rest: Pass = { from: keyBefore(index, first, retreat), spans: [], frames: [] }
  for (const frame of frames.slice(done)) addTo(rest, index, frame)
  return rest
}

function addTo(pass: Pass, { pts }: Times, frame: number): void {
  const time = pts[frame] ?? Number.NaN
  const span = pass.spans.at(-1)
  if (span && pass.frames.at(-1) === frame - 1) span.last = time
  else pass.spans.push({ first: time, last: time })
  pass.frames.push(frame)
}

function isFar({ pts, keys }: Times, now: number, next: number, leap: number): boolean {
  if (next - now <= leap) return false
  const key = keys[atMost(keys, pts[next] ?? Number.NaN)]
  return key !== undefined && atMost(pts, key) - now > leap
}

/**
 * Returns the last key frame at or before a frame. The first key frame counts as the start of the file, as do frames
 * before it.
 */
function keyBefore({ pts, keys }: Times, frame: number, retreat = 0): number | undefined {
  const placeOf = (at: number) => atMost(keys, pts[Math.max(0, at)] ?? Number.NaN)
  const lastKey = placeOf(frame)
  const place = retreat === 0 ? lastKey : Math.min(lastKey - 1, placeOf(frame - retreat))
  return place > 0 ? keys[place] : undefined
}

/** Returns the index of the last of `sorted` that is not above `value`; -1 when all are above. */
function atMost(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) <= value) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the largest number of pictures that a pass decodes before a wanted one. */
export function longestWay({ pts }: Pick<Times, 'pts'>, { from, spans }: Pass): number {
  let at = from === undefined ? 0 : atMost(pts, from)
  let longest = 0
  for (const { first, last } of spans) {
    longest = Math.max(longest, atMost(pts, first) - at)
    at = atMost(pts, last)
  }
  return longest
}

/**
 * Returns the milliseconds allowed for decoding pictures before the first output; decoders rarely do fewer than 20 per
 * second.
 */
export const patienceFor = (pictures: number) => pictures * 50
