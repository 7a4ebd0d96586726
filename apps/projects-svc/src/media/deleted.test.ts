import { expect, test } from 'vitest'
import { replaceDeleted } from './deleted.ts'

const from = (start: number, stop: number) => ({
  target: 'job' as const,
  has: (frame: number) => frame >= start && frame <= stop,
})

test.each([
  [[], 0, [3, 1], [1, 3]],
  [[1, 3], 0, [], []],
  [[1, 7, 12], 5, [6], [1, 6, 12]],
  [[1, 12], 5, [10, 5], [1, 5, 10, 12]],
])('of the frames %j those from %i to 10 become %j', (present, start, wanted, after) => {
  expect(replaceDeleted(present, wanted, from(start, 10))).toEqual(after)
})

test('a frame of others is refused, by its number', () => {
  expect(() => replaceDeleted([], [5, 11], from(5, 10))).toThrow(
    expect.objectContaining({ body: { deleted_frames: ['The frame 11 is not in this job.'] } }),
  )
})

test('ground truth that does not count is not deleted by being named, nor restored', () => {
  const own = { ...from(0, 9), disabled: new Set([2, 4]) }
  expect(replaceDeleted([4], [2, 4, 6], own)).toEqual([4, 6])
  expect(replaceDeleted([4], [2], own)).toEqual([])
})
