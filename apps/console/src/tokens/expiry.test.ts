import { expect, test } from 'vitest'
import { lastDay } from './expiry.ts'

test('the day of the service becomes one that browsers read', () => {
  expect(lastDay('31/12/2026')).toBe('2026-12-31')
  expect(lastDay(null)).toBeUndefined()
})
