import { expect, test } from 'vitest'
import { createAlarm } from './alarm.ts'

test('a ring ends a wait, and a ring before the wait ends it at once', async () => {
  const waiting = createAlarm()
  setTimeout(waiting.ring, 5)
  await waiting.wait(60_000)
  waiting.ring()
  waiting.ring()
  await waiting.wait(60_000)
})

test('several rings end only one wait; a wait without a ring lasts for its time', async () => {
  const waiting = createAlarm()
  waiting.ring()
  await waiting.wait(60_000)
  const started = performance.now()
  await waiting.wait(20)
  expect(performance.now() - started).toBeGreaterThan(15)
})
