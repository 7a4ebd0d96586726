import { expect, test } from 'vitest'
import { alarm } from './alarm.ts'

test('a ring ends a wait, and one before it is not lost', async () => {
  const waiting = alarm()
  setTimeout(waiting.ring, 5)
  await waiting.wait(60_000)
  waiting.ring()
  waiting.ring()
  await waiting.wait(60_000)
})

test('rings are remembered as one, and without a ring the time is up', async () => {
  const waiting = alarm()
  waiting.ring()
  await waiting.wait(60_000)
  const started = performance.now()
  await waiting.wait(20)
  expect(performance.now() - started).toBeGreaterThan(15)
})
