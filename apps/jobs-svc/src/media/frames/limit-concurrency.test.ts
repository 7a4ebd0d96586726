import { expect, test } from 'vitest'
import { limitConcurrency } from './limit-concurrency.ts'

test('at most the limit run at the same time, all run, and failures free their place', async () => {
  const limited = limitConcurrency(2)
  const seen = { running: 0, most: 0 }
  const work = (n: number) =>
    limited(async () => {
      seen.most = Math.max(seen.most, ++seen.running)
      await new Promise((resolve) => setTimeout(resolve, 1))
      seen.running--
      if (n % 3 === 0) throw new Error('failed')
      return n
    })
  const ends = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => work(n)))
  expect(ends.filter((end) => end.status === 'fulfilled').length).toBe(6)
  expect(seen).toEqual({ running: 0, most: 2 })
})
