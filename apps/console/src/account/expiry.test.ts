import { expect, test } from 'vitest'
import { lastDay } from './expiry.ts'

test('an expiry date of the service is converted to an ISO date', () => {
  expect(lastDay('31/12/2026')).toBe('2026-12-31')
  expect(lastDay(null)).toBeUndefined()
})
