import { expect, test } from 'vitest'
import { readRange } from './range.ts'

/** Ranges of a file with 100 bytes (RFC 9110 14.2). */
test.each([
  [undefined, 'whole'],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=90-', { start: 90, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-500', { start: 0, end: 99 }],
  ['bytes=99-500', { start: 99, end: 99 }],
  ['Bytes = 5 - 5', { start: 5, end: 5 }],
  ['bytes=100-', 'none'],
  ['bytes=9-1', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=-', 'whole'],
  ['bytes=a-b', 'whole'],
  ['lines=0-9', 'whole'],
  ['bytes=0-1,5-6', 'whole'],
  [' bytes =\t7 -8 ', { start: 7, end: 8 }],
  ['bytes=1=2-3', 'whole'],
  ['bytes=1-2-3', 'whole'],
  ['bytes=5', 'whole'],
  ['bytes=+1-2', 'whole'],
  [`bytes=1-${'9'.repeat(200)}`, { start: 1, end: 99 }],
  [`bytes=${'9'.repeat(200)}-`, 'none'],
  [`bytes=0-${'9'.repeat(249)}`, 'whole'],
  [`bytes=${' '.repeat(1000)}-${' '.repeat(1000)}x`, 'whole'],
])('%s is %j', (given, range) => {
  expect(readRange(given, 100)).toEqual(range)
})

test('no range of an empty file is satisfiable', () => {
  expect(readRange('bytes=0-', 0)).toBe('none')
  expect(readRange('bytes=-5', 0)).toBe('none')
})
