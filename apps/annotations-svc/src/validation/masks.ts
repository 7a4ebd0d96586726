import type { MaskBox } from './points.ts'
import { complain, newReport, type Report } from './report.ts'

/** Sizes of frames as runs of equal ones, in frame order from 0. */
export interface FrameSizes {
  runs: readonly { count: number; width: number; height: number }[]
}

/** Finds masks that reach beyond their frame; a frame whose size is not known has none. */
export function checkMasks(masks: readonly MaskBox[], sizes: FrameSizes): Report {
  const report = newReport()
  for (const { path, frame, right, bottom } of masks) {
    const size = sizeOf(sizes, frame)
    if (!size || (right < size.width && bottom < size.height)) continue
    const text = `the box ends at ${right}, ${bottom}, beyond the frame of ${size.width} by ${size.height}`
    complain(report, 'mask_invalid', text, ...path)
  }
  return report
}

function sizeOf({ runs }: FrameSizes, frame: number) {
  let rest = frame
  for (const run of runs) {
    if (rest < run.count) return run
    rest -= run.count
  }
  return undefined
}
