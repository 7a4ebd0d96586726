import { expect, test } from 'vitest'
import { idsOf, opacityOf } from './settings.ts'

test('invalid parameters in the address are ignored', () => {
  expect([...idsOf('4,x,7,,1.5')]).toEqual([4, 7])
  expect(['0', '100', '101', 'x', undefined].map(opacityOf)).toEqual([0, 1, 0.3, 0.3, 0.3])
})
