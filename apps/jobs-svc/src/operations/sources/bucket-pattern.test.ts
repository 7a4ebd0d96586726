import { expect, test } from 'vitest'
import { patternOf } from './bucket-pattern.ts'

/** Matching of `filename_pattern`. */

test.each([
  ['*', 'any/thing.jpg', true],
  ['', 'a', false],
  ['a.jpg', 'a.jpg', true],
  ['a.jpg', 'b/a.jpg', false],
  ['*.jpg', 'deep/down/a.jpg', true],
  ['*.jpg', 'a.jpg.txt', false],
  ['a?.jpg', 'a1.jpg', true],
  ['a?.jpg', 'a.jpg', false],
  ['a[0-3x].jpg', 'a2.jpg', true],
  ['a[0-3x].jpg', 'ax.jpg', true],
  ['a[0-3x].jpg', 'a4.jpg', false],
  ['a[!0-3].jpg', 'a4.jpg', true],
  ['a[!0-3].jpg', 'a2.jpg', false],
  ['a[]].jpg', 'a].jpg', true],
  ['a[1.jpg', 'a[1.jpg', true],
  ['[a-]', '-', true],
  ['*a*b*', 'xxayyabzz', true],
  ['*a*b', 'xxayyabzz', false],
  ['A.jpg', 'a.jpg', false],
  ['?', '😀', true],
  ['(a+)+.jpg', '(a+)+.jpg', true],
])('%s on %s: %s', (pattern, key, expected) => {
  expect(patternOf(pattern)(key)).toBe(expected)
})

test('a pattern of many stars matches in short time', () => {
  expect(patternOf(`${'*a'.repeat(500)}b`)('a'.repeat(1000))).toBe(false)
})
