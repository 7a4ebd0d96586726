import { expect, test } from 'vitest'
import { replaceDeleted, replaceDisabled } from './deleted.ts'

const from = (start: number, stop: number) => ({
  target: 'job' as const,
  has: (frame: number) => frame >= start && frame <= stop,
})

test.each([
  [[], 0, [3, 1], [1, 3]],
  [[1, 3], 0, [], []],
  [[1, 7, 12], 5, [6], [1, 6, 12]],
  [[1, 12], 5, [10, 5], [1, 5, 10, 12]],
])(
  'in the frames %j those from %i to 10 are replaced by %j: %j',
  (present, start, wanted, after) => {
    expect(replaceDeleted(present, wanted, from(start, 10))).toEqual(after)
  },
)

test('a frame outside the target is rejected by its number', () => {
  expect(() => replaceDeleted([], [5, 11], from(5, 10))).toThrow(
    expect.objectContaining({ body: { deleted_frames: ['The frame 11 is not in this job.'] } }),
  )
})

test('frames of ground truth are disabled, except those that only the task deleted', () => {
  const own = { ...from(0, 9), deleted: [4, 7] }
  expect(replaceDisabled([], [2, 4], own)).toEqual([2])
  expect(replaceDisabled([4], [4, 7, 1], own)).toEqual([4, 1])
  expect(replaceDisabled([2, 4], [], own)).toEqual([])
  expect(() => replaceDisabled([], [10], own)).toThrow(
    expect.objectContaining({ body: { deleted_frames: ['The frame 10 is not in this job.'] } }),
  )
})
