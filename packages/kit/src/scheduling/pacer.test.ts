import { expect, test } from 'vitest'
import { countTurns } from '../testing/turns.ts'
import { createPacer } from './pacer.ts'

/** Blocks the event loop. */
function work(ms: number) {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('work in steps lets the event loop run in between after each interval', async () => {
  const turns = await countTurns(async () => {
    const pace = createPacer(2)
    for (let step = 0; step < 10; step++) {
      work(3)
      await pace()
    }
  })
  expect(turns).toBeGreaterThanOrEqual(9)
})

test('short steps do not each cost a turn of the event loop', async () => {
  const turns = await countTurns(async () => {
    const pace = createPacer(10_000)
    for (let step = 0; step < 10_000; step++) await pace()
  })
  expect(turns).toBe(0)
})
