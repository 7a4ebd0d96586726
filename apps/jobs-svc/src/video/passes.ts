import type { VideoIndex } from './decoder.ts'

type Times = Pick<VideoIndex, 'pts' | 'keys'>

/** One way of a decoder through a part of a video. */
export interface Pass {
  /** Time to begin at, that of a key frame; undefined: the beginning of the file. */
  from: number | undefined
  /** First and last times of runs of frames that are wanted, ascending. */
  spans: { first: number; last: number }[]
  /** The frames of all spans, ascending. */
  frames: number[]
}

export interface PassOptions {
  /** Frames that are rather decoded and dropped than leaped over. */
  leap: number
  /** Of one pass, so that what a decoder is told stays short and its time can be limited. */
  mostSpans: number
  mostFrames: number
}

/**
 * Splits wanted frames into passes: a new one begins where the key frame before the next wanted frame lies further on than
 * it is worth to decode.
 *
 * @param wanted ascending frame numbers of `index`, read one ahead
 */
export function* passesOf(
  index: Times,
  wanted: Iterable<number>,
  { leap, mostSpans, mostFrames }: PassOptions,
): Generator<Pass> {
  let pass: Pass | undefined
  let previous = -1
  for (const frame of wanted) {
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
 * What is left of a pass, begun anew.
 *
 * @param done frames that were found
 * @param retreat it begins so many frames before the usual key frame, or one key frame if that is further
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

/** The last key at or before the frame; the first one is where the file begins, and so is what has none before it. */
function keyBefore({ pts, keys }: Times, frame: number, retreat = 0): number | undefined {
  const placeOf = (at: number) => atMost(keys, pts[Math.max(0, at)] ?? Number.NaN)
  const usual = placeOf(frame)
  const place = retreat === 0 ? usual : Math.min(usual - 1, placeOf(frame - retreat))
  return place > 0 ? keys[place] : undefined
}

/** Place of the last of `sorted` that is not above `value`; -1: all are. */
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

/** The most pictures that are decoded on a pass before the next that is wanted. */
export function longestWay({ pts }: Pick<Times, 'pts'>, { from, spans }: Pass): number {
  let at = from === undefined ? 0 : atMost(pts, from)
  let longest = 0
  for (const { first, last } of spans) {
    longest = Math.max(longest, atMost(pts, first) - at)
    at = atMost(pts, last)
  }
  return longest
}

/** Milliseconds for decoding so many pictures before there is something to show; hardly anything is slower than 20 a second. */
export const patienceFor = (pictures: number) => pictures * 50
