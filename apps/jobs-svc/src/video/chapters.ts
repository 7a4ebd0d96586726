import {
  longestTitle,
  mostChapters,
  type VideoChapter,
  type VideoChapters,
  type VideoFile,
  type VideoIndex,
} from './decoder.ts'
import type { ChapterFacts, Engine } from './engine.ts'

/** Implements `VideoDecoder.chapters`. */
export async function readChapters(
  engine: Pick<Engine, 'chapters' | 'times'>,
  file: VideoFile,
  index: VideoIndex,
  signal: AbortSignal,
): Promise<VideoChapters> {
  const facts = await engine.chapters(file, signal)
  const isWhole = facts.length <= mostChapters
  const given = facts.slice(0, mostChapters)
  if (given.length === 0) return { chapters: [], isWhole }
  const { by, pts, time_base } = index
  const ticks = by === 'time' ? pts : await decodedTimes(engine, file, pts.length, signal)
  return { chapters: assignChapterFrames(given, { ticks, time_base }), isWhole }
}

/**
 * Decodes the times of frames that are counted by order. They never decrease: a frame without a later time has that of
 * the frame before.
 */
async function decodedTimes(
  engine: Pick<Engine, 'times'>,
  file: VideoFile,
  count: number,
  signal: AbortSignal,
): Promise<Float64Array> {
  const ticks = new Float64Array(count)
  let place = 0
  let latest = Number.NEGATIVE_INFINITY
  for await (const batch of engine.times(file, signal))
    for (const tick of batch) {
      if (tick > latest) latest = tick
      if (place < count) ticks[place] = latest
      place += 1
    }
  return ticks.fill(latest, place)
}

/** Times at which frames are shown, ascending. */
interface Clock extends Pick<VideoIndex, 'time_base'> {
  ticks: Float64Array
}

/**
 * Assigns frames to chapters. Containers round times, so a chapter starts with the frame nearest to its start, and ends
 * before the frame nearest to its end; one that ends later than the last frame starts includes that frame. A chapter
 * that is empty, or ends before it starts, has its first frame. Chapters may overlap. One that starts after the last
 * frame has ended, or ends before the first is shown, is left out.
 */
export function assignChapterFrames(
  facts: readonly ChapterFacts[],
  { ticks, time_base: { num, den } }: Clock,
): VideoChapter[] {
  const last = ticks.at(-1)
  if (last === undefined || !Number.isFinite(last)) return [] // frames without times
  const step = ticks.length > 1 ? last - (ticks.at(-2) ?? last) : 0
  const frameAt = nearestFrame(ticks, last + (Number.isFinite(step) ? step : 0))
  const earliest = (ticks[0] ?? last) - step / 2
  const ticksOf = (seconds: number) => (seconds * den) / num
  const placed = facts.flatMap(({ start, end, title }) => {
    const from = ticksOf(start)
    const to = Number.isNaN(end) ? from : ticksOf(end)
    if (Number.isNaN(from) || Math.max(from, to) < earliest) return []
    const frame = frameAt(from)
    if (frame === ticks.length) return []
    const next = to > last ? ticks.length : frameAt(to)
    return [{ start: frame, stop: Math.max(frame, next - 1), title: cutTitle(title) }]
  })
  return placed.sort((one, other) => one.start - other.start)
}

/**
 * Creates a function that returns the number of the frame shown nearest to a time; after the last, the number of
 * frames.
 *
 * @param end time at which the last frame ends
 */
function nearestFrame(ticks: Float64Array, end: number): (time: number) => number {
  return (time) => {
    const next = firstFrom(ticks, time)
    const before = ticks[next - 1]
    const after = ticks[next] ?? end
    return before !== undefined && time - before < after - time ? next - 1 : next
  }
}

/** Returns the index of the first of `sorted` that is not below `value`; their count if all are below. */
function firstFrom(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] ?? Number.POSITIVE_INFINITY) < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Cuts a title between characters, not between the two halves of a surrogate pair. */
const cutTitle = (title: string) => [...title].slice(0, longestTitle).join('')
