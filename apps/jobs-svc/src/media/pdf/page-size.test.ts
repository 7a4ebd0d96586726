import { expect, test } from 'vitest'
import { mostPagePixels, pixelsOf } from './page-size.ts'

test.each([
  ['A4', [595, 842], [1653, 2339]],
  ['an inch', [72, 72], [200, 200]],
  ['a hair', [0.01, 72], [1, 200]],
  ['A0', [2384, 3370], [6622, 9361]],
  ['200 inches', [14_400, 14_400], [8192, 8192]],
  ['a strip', [1_000_000, 10], [65_534, 1]],
])('the pixels of %s keep its proportions', (_, [width = 0, height = 0], pixels) => {
  const found = pixelsOf({ width, height })
  expect([found?.width, found?.height]).toEqual(pixels)
  expect((found?.width ?? 0) * (found?.height ?? 0)).toBeLessThanOrEqual(mostPagePixels)
})

test.each([
  [0, 10],
  [10, -1],
  [Number.NaN, 10],
  [Number.POSITIVE_INFINITY, 10],
  [1e200, 1e200],
])('a page of %d x %d has undefined pixels', (width, height) => {
  expect(pixelsOf({ width, height })).toBeUndefined()
})
