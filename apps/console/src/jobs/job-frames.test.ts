import { expect, test } from 'vitest'
import { framesText } from './job-frames.ts'

test.each([
  [{ start_frame: 0, stop_frame: 99, frame_count: 100 }, '0–99'],
  [{ start_frame: 7, stop_frame: 7, frame_count: 1 }, '7'],
  [{ start_frame: 0, stop_frame: 99, frame_count: 12 }, '12 of 0–99'],
  [{ start_frame: 0, stop_frame: 0, frame_count: 0 }, 'none'],
])('%j has the frames %s', (job, text) => {
  expect(framesText(job)).toBe(text)
})
