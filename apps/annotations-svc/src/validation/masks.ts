import type { MaskBox } from './points.ts'
import { createValidationReport, reportProblem, type ValidationReport } from './report.ts'

/** Sizes of frames as runs of equal sizes, in frame order from 0. */
export interface FrameSizes {
  runs: readonly { count: number; width: number; height: number }[]
}

/** Returns the size of a frame in pixels; undefined when it is unknown. */
export type SizeOf = (frame: number) => { width: number; height: number } | undefined

/** Returns a lookup of frame sizes by binary search, because there may be as many runs as frames. */
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

/** Reports masks that reach beyond their frame; frames of unknown size are not checked. */
export function checkMasks(masks: readonly MaskBox[], sizeOf: SizeOf): ValidationReport {
  const report = createValidationReport()
  for (const { path, frame, right, bottom } of masks) {
    const size = sizeOf(frame)
    if (!size || (right < size.width && bottom < size.height)) continue
    const text = `the box ends at ${right}, ${bottom}, beyond the frame of ${size.width} by ${size.height}`
    reportProblem(report, 'mask_invalid', text, ...path)
  }
  return report
}
