import { expect, test } from 'vitest'
import { isInMask, paintMask, parseMask, pixelsFor, stretchesOf } from './mask.ts'

/** Mask with the rows 0110, 1111, 0110 at (10, 20). */
const rounded = parseMask([1, 2, 1, 4, 1, 2, 1, 10, 20, 13, 22])

test('the box includes its right and bottom edge', () => {
  expect(rounded).toMatchObject({ left: 10, top: 20, width: 4, height: 3 })
})

test('every second run is inside', () => {
  expect([...stretchesOf(rounded)]).toEqual([
    [1, 3],
    [4, 8],
    [9, 11],
  ])
})

test('an empty first run makes the first pixel inside', () => {
  expect(isInMask(parseMask([0, 4, 0, 0, 1, 1]), 0, 0)).toBe(true)
})

test('a point is inside when its pixel is', () => {
  expect(isInMask(rounded, 11.9, 20.9)).toBe(true)
  expect(isInMask(rounded, 10.9, 20.5)).toBe(false)
  expect(isInMask(rounded, 14, 21)).toBe(false)
  expect(isInMask(rounded, 12, 19.9)).toBe(false)
})

test('masks are painted at their position, later ones above earlier ones', () => {
  const corner = parseMask([0, 2, 9, 20, 10, 20])
  const pixels = pixelsFor([rounded, corner])
  if (!pixels) throw new Error('pixels expected')
  paintMask(pixels, rounded, 1)
  paintMask(pixels, corner, 2)
  expect(pixels).toMatchObject({ left: 9, top: 20, width: 5, height: 3 })
  expect([...pixels.data]).toEqual([2, 2, 1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0])
})

test('no masks need no pixels', () => {
  expect(pixelsFor([])).toBeUndefined()
})
