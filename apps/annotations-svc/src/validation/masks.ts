import type { MaskBox } from './points.ts'
import { complain, newReport, type Report } from './report.ts'

/** Sizes of frames as runs of equal ones, in frame order from 0. */
export interface FrameSizes {
  runs: readonly { count: number; width: number; height: number }[]
}

/** The size of a frame; nothing where it is not known. */
export type SizeOf = (frame: number) => { width: number; height: number } | undefined

/** Finds a frame's size in time that hardly grows with the number of runs: both may be as many as there are frames. */
export function indexSizes({ runs }: FrameSizes): SizeOf {
  let end = 0
  const ends = runs.map(({ count }) => {
    end += count
    return end
  })
  return (frame) => {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((ends[middle] ?? 0) > frame) high = middle
      else low = middle + 1
    }
    return runs[low]
  }
}

/** Finds masks that reach beyond their frame; a frame whose size is not known has none. */
export function checkMasks(masks: readonly MaskBox[], sizeOf: SizeOf): Report {
  const report = newReport()
  for (const { path, frame, right, bottom } of masks) {
    const size = sizeOf(frame)
    if (!size || (right < size.width && bottom < size.height)) continue
    const text = `the box ends at ${right}, ${bottom}, beyond the frame of ${size.width} by ${size.height}`
    complain(report, 'mask_invalid', text, ...path)
  }
  return report
}
