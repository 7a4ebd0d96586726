import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RequestQueue } from './client.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('only a queue with pending requests schedules a check', () => {
  const queue = new RequestQueue({ maxInFlightRequests: 1 })
  queue.scheduleCheckPendingRequests()
  expect(vi.getTimerCount()).toBe(0)
  queue.pending.push({})
  queue.scheduleCheckPendingRequests()
  expect(vi.getTimerCount()).toBe(1)
})
