import { expect, test } from 'vitest'
import { chosenFrames, framesOfJob, framesOfTask, indexOfFrame } from './frame-sequence.ts'

test('frames of a task count from 0, frames of a job from its first frame', () => {
  expect(framesOfTask({ id: 12, size: 9 }).numberAt(4)).toBe(4)
  const job = { id: 31, task_id: 12, frame_count: 3, start_frame: 6 }
  expect(framesOfJob(job).numberAt(2)).toBe(8)
})

test('frames of a ground-truth job are converted from source numbers', () => {
  const meta = { included_frames: [7, 19], start_frame: 3, frame_filter: 'step=4' }
  expect(chosenFrames(meta)).toEqual([1, 4])
  expect(chosenFrames({ ...meta, frame_filter: '' })).toEqual([4, 16])
  expect(chosenFrames({ ...meta, included_frames: null })).toBeUndefined()
})

test('a missing frame number selects the next frame, or the last', () => {
  const job = framesOfJob({ id: 31, task_id: 12, frame_count: 3, start_frame: 6 })
  expect([6, 8, 0, 900].map((number) => indexOfFrame(job, number))).toEqual([0, 2, 0, 2])
})
