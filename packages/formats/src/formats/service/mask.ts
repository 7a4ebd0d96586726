/** Masks of the native format: row-wise run lengths in a box (docs/spec/formats.md#run-lengths). */
import type { Fail } from '../../text/numbers.ts'

export interface MaskBounds {
  left: number
  top: number
  width: number
  height: number
}

export interface ReadMask {
  /** Stored form of the mask; undefined when no part of it is within the frame. */
  points: number[] | undefined
  isClipped: boolean
}

/**
 * Converts run lengths to a mask.
 * @param size Size of the frame in pixels.
 * @throws the error that `fail` creates for run lengths that do not fill the box
 */
export function readMask(
  counts: readonly number[],
  box: MaskBounds,
  size: { width: number; height: number },
  fail: Fail,
): ReadMask {
  const { left, top, width, height } = box
  const sum = counts.reduce((total, count) => total + count, 0)
  if (width < 1 || height < 1 || sum !== width * height) {
    throw fail(`rle counts ${sum} pixels, expected ${width} x ${height}`)
  }
  const inner = clipBox(box, size)
  const isClipped =
    inner.left !== left || inner.top !== top || inner.width !== width || inner.height !== height
  const isEmpty = inner.width < 1 || inner.height < 1
  const runs = isEmpty ? [] : isClipped ? clippedRuns(counts, box, inner) : joined(counts)
  if (runs.length < 2) return { points: undefined, isClipped }
  for (const end of [inner.left, inner.top]) runs.push(end)
  runs.push(inner.left + inner.width - 1, inner.top + inner.height - 1)
  return { points: runs, isClipped }
}

function clipBox(
  { left, top, width, height }: MaskBounds,
  size: { width: number; height: number },
): MaskBounds {
  const x = Math.max(0, left)
  const y = Math.max(0, top)
  return {
    left: x,
    top: y,
    width: Math.min(left + width, size.width) - x,
    height: Math.min(top + height, size.height) - y,
  }
}

/** Joins the neighbours of runs of zero pixels, which some tools write. */
function joined(counts: readonly number[]): number[] {
  if (counts.indexOf(0, 1) < 0) return [...counts]
  const flips: number[] = []
  eachRun(counts, (start, end) => addRun(flips, start, end))
  return runsOf(
    flips,
    counts.reduce((sum, count) => sum + count, 0),
  )
}

/** Returns the runs of the rows within the frame; other rows are skipped, because a box may declare any size. */
function clippedRuns(counts: readonly number[], box: MaskBounds, inner: MaskBounds): number[] {
  const flips: number[] = []
  const firstRow = inner.top - box.top
  const shift = inner.left - box.left
  eachRun(counts, (start, end) => {
    const from = Math.max(firstRow, Math.floor(start / box.width))
    const to = Math.min(firstRow + inner.height - 1, Math.floor((end - 1) / box.width))
    for (let row = from; row <= to; row += 1) {
      const rowStart = row * box.width + shift
      const begin = Math.max(start, rowStart)
      const stop = Math.min(end, rowStart + inner.width)
      const offset = (row - firstRow) * inner.width - rowStart
      if (begin < stop) addRun(flips, begin + offset, stop + offset)
    }
  })
  return runsOf(flips, inner.width * inner.height)
}

/** Calls `take` with the first pixel and the end of every run of the object. */
function eachRun(counts: readonly number[], take: (start: number, end: number) => void): void {
  let at = 0
  for (const [index, count] of counts.entries()) {
    if (index % 2 === 1 && count > 0) take(at, at + count)
    at += count
  }
}

/** Appends a run to the positions where background and object alternate. */
function addRun(flips: number[], start: number, end: number): void {
  if (flips.length > 0 && flips.at(-1) === start) flips.pop()
  else flips.push(start)
  flips.push(end)
}

function runsOf(flips: readonly number[], size: number): number[] {
  const ends = flips.at(-1) === size ? flips : [...flips, size]
  return ends.map((end, index) => end - (ends[index - 1] ?? 0))
}
