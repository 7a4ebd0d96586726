import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWindowCounter } from './window-counter.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

test('an allowance is used up after its last use until its window ends', () => {
  const counter = createWindowCounter(2, 60_000)
  expect(counter.take('a')).toMatchObject({ isUsedUp: false, remaining: 1, ends: 1_060_000 })
  vi.setSystemTime(1_030_000)
  expect(counter.take('a')).toMatchObject({ isUsedUp: false, remaining: 0, ends: 1_060_000 })
  expect(counter.take('a')).toMatchObject({ isUsedUp: true, remaining: 0, ends: 1_060_000 })
  expect(counter.take('b').isUsedUp).toBe(false)
  vi.setSystemTime(1_060_000)
  expect(counter.take('a')).toMatchObject({ isUsedUp: false, remaining: 1, ends: 1_120_000 })
})

test('a use that was given back is available again', () => {
  const counter = createWindowCounter(1, 60_000)
  counter.take('a').giveBack()
  const second = counter.take('a')
  expect(second.isUsedUp).toBe(false)
  const refused = counter.take('a')
  refused.giveBack() // it had used nothing
  expect(counter.peek('a').isUsedUp).toBe(true)
  second.giveBack()
  expect(counter.peek('a').isUsedUp).toBe(false)
})

test('with too many keys the oldest window is dropped, not the newest', () => {
  const counter = createWindowCounter(1, 60_000, 100)
  for (let key = 0; key < 100; key++) counter.take(`k${key}`)
  expect(counter.peek('k0').isUsedUp).toBe(true)
  counter.take('one more')
  expect(counter.peek('k0').isUsedUp).toBe(false)
  expect(counter.peek('k1').isUsedUp).toBe(true)
  expect(counter.peek('one more').isUsedUp).toBe(true)
})
