import { expect, test } from 'vitest'
import { columnsOf, movedBy } from './grid.ts'

test.each([
  [320, 2],
  [0, 2],
  [1000, 6],
])('%i pixels have %i columns', (width, columns) => {
  expect(columnsOf(width)).toBe(columns)
})

test.each([
  ['ArrowRight', 3, 4],
  ['ArrowDown', 3, 9],
  ['ArrowUp', 9, 3],
  ['Home', 9, 0],
  ['End', 3, 99],
  ['ArrowUp', 3, undefined],
  ['ArrowRight', 99, undefined],
  ['Tab', 3, undefined],
])('%s moves from %i to %s of a hundred tiles in six columns', (key, from, to) => {
  expect(movedBy(key, from, 6, 100)).toBe(to)
})
