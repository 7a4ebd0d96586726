import { type ErrorLocation, FormatError } from '../report/errors.ts'
import type { RasterSize } from './instances.ts'

/** Pixels of an image with the same class and object. */
export interface MaskRegion {
  class: number
  object: number
  /** Number of pixels. */
  pixels: number
  /** Returns the mask in its stored form. */
  crop(): number[]
}

/** Returns the value of a pixel by its index, row by row. */
export type PixelValue = (at: number) => number

/** Maximum number of runs in the rows of an image: noise has more, hand-drawn regions do not. */
const mostRuns = 4_000_000

/**
 * Returns all regions of an image in the order of their first pixels, found in one pass.
 * @throws {FormatError} for an image of noise
 */
export function regionsOf(
  { width, height }: RasterSize,
  classAt: PixelValue,
  objectAt: PixelValue,
  location: ErrorLocation,
): MaskRegion[] {
  const drafts = new Map<number, RegionDraft>()
  let runs = 0
  for (let row = 0, at = 0; row < height; row += 1) {
    const end = at + width
    while (at < end) {
      const from = at
      const [class_, object] = [classAt(at), objectAt(at)]
      do at += 1
      while (at < end && classAt(at) === class_ && objectAt(at) === object)
      runs += 1
      if (runs > mostRuns)
        throw new FormatError(`more than ${mostRuns} runs of pixels in a picture`, location)
      addRun(draftOf(drafts, class_, object), row, {
        from: from % width,
        to: (from % width) + at - from,
      })
    }
  }
  return [...drafts.values()].map((draft) => ({ ...draft, crop: () => cropOf(draft) }))
}

interface RegionDraft {
  class: number
  object: number
  pixels: number
  left: number
  right: number
  /** Row, first column and the column after the last, for each run. */
  runs: number[]
}

/** Values are below 2 ** 24, like colours. */
function draftOf(drafts: Map<number, RegionDraft>, class_: number, object: number): RegionDraft {
  const key = class_ * 2 ** 24 + object
  const found = drafts.get(key)
  if (found) return found
  const draft = { class: class_, object, pixels: 0, left: Infinity, right: 0, runs: [] }
  drafts.set(key, draft)
  return draft
}

function addRun(draft: RegionDraft, row: number, { from, to }: { from: number; to: number }): void {
  draft.pixels += to - from
  draft.left = Math.min(draft.left, from)
  draft.right = Math.max(draft.right, to - 1)
  draft.runs.push(row, from, to)
}

function cropOf({ runs, left, right }: RegionDraft): number[] {
  const [top, bottom] = [runs[0] ?? 0, runs.at(-3) ?? 0]
  const width = right - left + 1
  const points: number[] = []
  let last = 0
  for (let at = 0; at < runs.length; at += 3) {
    const [row = 0, from = 0, to = 0] = runs.slice(at, at + 3)
    const start = (row - top) * width + from - left
    // A run may continue in the next row.
    if (start === last && points.length > 0) points.push((points.pop() ?? 0) + to - from)
    else points.push(start - last, to - from)
    last = start + to - from
  }
  const rest = (bottom - top + 1) * width - last
  if (rest > 0) points.push(rest)
  return [...points, left, top, right, bottom]
}
