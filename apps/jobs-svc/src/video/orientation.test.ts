import { expect, test } from 'vitest'
import { orientationOf, turned } from './orientation.ts'

test.each([
  [undefined, false, 0],
  [[65_536, 0, 0, 65_536], false, 0],
  [[0, 65_536, -65_536, 0], false, 90],
  [[-65_536, 0, 0, -65_536], false, 180],
  [[0, -65_536, 65_536, 0], false, 270],
  [[-65_536, 0, 0, 65_536], true, 0],
  [[65_536, 0, 0, -65_536], true, 180],
  [[65_000, 3000, -3000, 65_000], false, 0],
] as const)('the matrix %j yields its orientation', (matrix, isMirrored, turn) => {
  expect(orientationOf(matrix)).toEqual({ isMirrored, turn })
})

test('a quarter turn swaps width and height', () => {
  const size = { width: 640, height: 360 }
  expect(turned(size, { isMirrored: false, turn: 90 })).toEqual({ width: 360, height: 640 })
  expect(turned(size, { isMirrored: true, turn: 180 })).toEqual(size)
})
