import { expect, test } from 'vitest'
import { formatCount, formatCounts } from './counts.ts'

test('a count of one uses the singular', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'file'))).toEqual([
    '0 files',
    '1 file',
    '2 files',
  ])
  expect(formatCounts({ frames: 12, shapes: 1, tags: 0 })).toBe('12 frames, 1 shape, 0 tags')
})
