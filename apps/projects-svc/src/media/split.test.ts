import { expect, test } from 'vitest'
import { planSplit, splitRanges } from './split.ts'

const rows: [size: number, segment: number, overlap: number | null, used: number, jobs: string][] =
  [
    [10, 0, null, 0, '0-9'],
    [10, 5, null, 0, '0-4 5-9'],
    [10, 5, 2, 2, '0-4 3-7 6-9'],
    [10, 4, 3, 2, '0-3 2-5 4-7 6-9'],
    [100, 40, 5, 5, '0-39 35-74 70-99'],
    [7, 3, 0, 0, '0-2 3-5 6-6'],
    [10, 50, 3, 3, '0-9'],
    [3, 1, 5, 0, '0-0 1-1 2-2'],
    [1, 0, 4, 0, '0-0'],
    [6, 4, 2, 2, '0-3 2-5'],
  ]

test.each(rows)(
  '%i frames by %i with overlap %s use %i: %s',
  (size, segment, overlap, used, jobs) => {
    const split = planSplit({ size, segment_size: segment, overlap })
    expect(split.overlap).toBe(used)
    const ranges = splitRanges(size, split)
    expect(ranges.map((one) => `${one.start_frame}-${one.stop_frame}`).join(' ')).toBe(jobs)
  },
)
