import { expect, test } from 'vitest'
import { hashQueue } from './hash-queue.ts'

/** Builds a hash function that finishes on request of the test. */
function controlled() {
  let running = 0
  let most = 0
  const ends: ((failure?: Error) => void)[] = []
  const hash = () => {
    most = Math.max(most, ++running)
    return new Promise<void>((resolve, reject) => {
      ends.push((failure) => {
        running--
        if (failure) reject(failure)
        else resolve()
      })
    })
  }
  return { hash, ends, most: () => most }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('all hashes run, but never more in parallel than the limit', async () => {
  const { hash, ends, most } = controlled()
  const queue = hashQueue({ atOnce: 2, waiting: 10 })
  const all = Array.from({ length: 12 }, () => queue(hash))
  for (let ended = 0; ended < 12; ended++) {
    await turn()
    ends[ended]?.()
  }
  await Promise.all(all)
  expect([ends.length, most()]).toEqual([12, 2])
})

test('a hash beyond the queue limit is rejected with a retry time', async () => {
  const { hash, ends } = controlled()
  const queue = hashQueue({ atOnce: 1, waiting: 1 })
  const [first, second] = [queue(hash), queue(hash)]
  await expect(queue(hash)).rejects.toMatchObject({ kind: 'unavailable', retry_after: 1 })
  ends[0]?.()
  await first
  const third = queue(hash)
  await turn()
  ends[1]?.()
  await second
  await turn()
  ends[2]?.()
  await third
})

test('a failed hash frees its slot', async () => {
  const { hash, ends } = controlled()
  const queue = hashQueue({ atOnce: 1, waiting: 1 })
  const [first, second] = [queue(hash), queue(hash)]
  await turn()
  ends[0]?.(new Error('no memory'))
  await expect(first).rejects.toThrow('no memory')
  await turn()
  ends[1]?.()
  await second
})
