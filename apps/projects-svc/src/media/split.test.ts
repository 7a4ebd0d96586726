import { expect, test } from 'vitest'
import { planSplit, rangesOf, splitRanges } from './split.ts'

/** Split of frames into jobs. */

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

test.each([
  [10, 3, null, '0-3 4-7 8-9'],
  [10, 1, null, '0-9'],
  [10, 10, 0, '0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9'],
  [2, 5, null, '0-0 1-1'],
  [10, 6, null, '0-1 2-3 4-5 6-7 8-9'],
  [10, 3, 1, '0-3 3-6 6-9'],
  [10, 3, 2, '0-4 3-7 6-9'],
])('%i frames in %i jobs with overlap %s: %s', (size, job_count, overlap, jobs) => {
  const split = planSplit({ size, segment_size: 0, overlap, job_count })
  const ranges = splitRanges(size, split)
  expect(ranges.map((one) => `${one.start_frame}-${one.stop_frame}`).join(' ')).toBe(jobs)
  expect(split.jobs).toBe(ranges.length)
})

test.each([
  [100, 40, null, 5, '0-39 35-74 70-99'],
  [100, 0, null, 0, '0-99'],
  [100, 100, null, 0, '0-99'],
  [100, 6, null, 3, '0-5 3-8 6-11'],
  [100, 40, 0, 0, '0-39 40-79 80-99'],
])(
  '%i frames of a video by %i with overlap %s use %i: %s',
  (size, segment_size, overlap, used, jobs) => {
    const split = planSplit({ size, segment_size, overlap, isVideo: true })
    expect(split.overlap).toBe(used)
    const ranges = splitRanges(size, split).map((one) => `${one.start_frame}-${one.stop_frame}`)
    expect(ranges.join(' ')).toMatch(new RegExp(`^${jobs}`))
  },
)

test('several jobs of a video with a fixed job count share five frames, a single job none', () => {
  const splitOf = (job_count: number) =>
    planSplit({ size: 100, segment_size: 0, overlap: null, job_count, isVideo: true })
  expect([splitOf(1), splitOf(2)]).toEqual([
    { segment_size: 100, overlap: 0, jobs: 1 },
    { segment_size: 53, overlap: 5, jobs: 2 },
  ])
})

test('a requested job count is never exceeded, with any overlap', () => {
  for (let size = 1; size <= 40; size++)
    for (let job_count = 1; job_count <= 12; job_count++)
      for (let overlap = 0; overlap <= 6; overlap++) {
        const split = planSplit({ size, segment_size: 0, overlap, job_count })
        expect(split.jobs, `${size} ${job_count} ${overlap}`).toBeLessThanOrEqual(job_count)
        expect(splitRanges(size, split).at(-1)?.stop_frame).toBe(size - 1)
      }
})

test('jobs with listed sizes are consecutive', () => {
  expect(rangesOf([2, 1, 3])).toEqual([
    { start_frame: 0, stop_frame: 1 },
    { start_frame: 2, stop_frame: 2 },
    { start_frame: 3, stop_frame: 5 },
  ])
})
