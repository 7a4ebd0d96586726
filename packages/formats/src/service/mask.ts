/** Masks of the native format: runs row by row in a box (spec/formats.md 6.1 and 7.6). */
import type { Fail } from '../numbers.ts'

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

export interface ReadMask {
  /** As the service stores them; undefined when nothing of the mask is within the frame. */
  points: number[] | undefined
  isClipped: boolean
}

/**
 * @param size Of the frame.
 * @throws what `fail` makes of runs that do not fill the box
 */
export function readMask(
  counts: readonly number[],
  box: Box,
  size: { width: number; height: number },
  fail: Fail,
): ReadMask {
  const { left, top, width, height } = box
  const sum = counts.reduce((total, count) => total + count, 0)
  if (width < 1 || height < 1 || sum !== width * height) {
    throw fail(`rle counts ${sum} pixels, expected ${width} x ${height}`)
  }
  const inner = within(box, size)
  const isClipped =
    inner.left !== left || inner.top !== top || inner.width !== width || inner.height !== height
  const isEmpty = inner.width < 1 || inner.height < 1
  const runs = isEmpty ? [] : isClipped ? clippedRuns(counts, box, inner) : joined(counts)
  if (runs.length < 2) return { points: undefined, isClipped }
  for (const end of [inner.left, inner.top]) runs.push(end)
  runs.push(inner.left + inner.width - 1, inner.top + inner.height - 1)
  return { points: runs, isClipped }
}

function within({ left, top, width, height }: Box, size: { width: number; height: number }): Box {
  const x = Math.max(0, left)
  const y = Math.max(0, top)
  return {
    left: x,
    top: y,
    width: Math.min(left + width, size.width) - x,
    height: Math.min(top + height, size.height) - y,
  }
}

/** Runs of no pixels, which some tools write, join their neighbours. */
function joined(counts: readonly number[]): number[] {
  if (counts.indexOf(0, 1) < 0) return [...counts]
  const flips: number[] = []
  eachRun(counts, (start, end) => addRun(flips, start, end))
  return runsOf(
    flips,
    counts.reduce((sum, count) => sum + count, 0),
  )
}

/** Row by row, and only the rows that stay: a box may claim any size. */
function clippedRuns(counts: readonly number[], box: Box, inner: Box): number[] {
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

/** Calls back with first pixel and end of every run of the object. */
function eachRun(counts: readonly number[], take: (start: number, end: number) => void): void {
  let at = 0
  for (const [index, count] of counts.entries()) {
    if (index % 2 === 1 && count > 0) take(at, at + count)
    at += count
  }
}

/** Adds a run behind all others to the places where background and object change. */
function addRun(flips: number[], start: number, end: number): void {
  if (flips.length > 0 && flips.at(-1) === start) flips.pop()
  else flips.push(start)
  flips.push(end)
}

function runsOf(flips: readonly number[], size: number): number[] {
  const ends = flips.at(-1) === size ? flips : [...flips, size]
  return ends.map((end, index) => end - (ends[index - 1] ?? 0))
}
