import { expect, test } from 'vitest'
import { timeLeftMs, timeLeftText } from './time-left.ts'

test('the remaining time is extrapolated in proportion', () => {
  expect(timeLeftMs(25, 100, 10_000)).toBe(30_000)
  expect(timeLeftMs(100, 100, 10_000)).toBe(0)
})

test('no remaining time is shown before it can be estimated', () => {
  expect(timeLeftMs(50, 100, 1_000)).toBeUndefined()
  expect(timeLeftMs(0, 100, 10_000)).toBeUndefined()
  expect(timeLeftText(undefined)).toBe('')
})

test('the remaining time has a suitable unit', () => {
  const texts = [1_200, 90_000, 3_700_000].map(timeLeftText)
  expect(texts).toEqual(['about 2 s left', 'about 2 min left', 'about 1 h 2 min left'])
})
