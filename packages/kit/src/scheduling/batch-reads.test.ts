import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { endingWith, signalOfCall } from '../call/signal.ts'
import { batchReads } from './batch-reads.ts'

/** Records the keys of each query; the value of a key is its square, 0 has none. */
function recordQueries(gapMs?: number) {
  const queries: number[][] = []
  const read = batchReads<number, number>(async (keys) => {
    queries.push([...keys])
    await nextTurn()
    return new Map(keys.filter((key) => key !== 0).map((key) => [key, key ** 2]))
  }, gapMs)
  return { queries, read }
}

test('reads of one turn share one query, equal keys once, and each gets its own value', async () => {
  const { queries, read } = recordQueries()
  const values = await Promise.all([2, 3, 2, 0].map(read))
  expect(values).toEqual([4, 9, 4, undefined])
  expect(queries).toEqual([[2, 3, 0]])
})

test('reads that arrive while a query runs share the next one', async () => {
  const { queries, read } = recordQueries()
  const first = read(1)
  while (queries.length === 0) await nextTurn()
  const later = [read(1), read(2)]
  expect(await Promise.all([first, ...later])).toEqual([1, 1, 4])
  expect(queries).toEqual([[1], [1, 2]])
})

test('with a gap the first read starts at once, and later ones share the next query', async () => {
  const { queries, read } = recordQueries(100)
  const start = performance.now()
  await read(1)
  const later: Promise<unknown>[] = []
  for (const key of [2, 3, 4]) {
    later.push(read(key))
    await nextTurn()
  }
  expect(queries).toEqual([[1]])
  await Promise.all(later)
  expect(queries).toEqual([[1], [2, 3, 4]])
  expect(performance.now() - start).toBeGreaterThanOrEqual(99)
})

test('a query has at most 20 keys', async () => {
  const { queries, read } = recordQueries()
  const keys = Array.from({ length: 45 }, (_, index) => index + 1)
  expect(await Promise.all(keys.map(read))).toEqual(keys.map((key) => key ** 2))
  expect(queries.map((one) => one.length)).toEqual([20, 20, 5])
})

test('a failed query fails its own callers and no later ones', async () => {
  let isBroken = true
  const read = batchReads<number, number>(async (keys) => {
    if (isBroken) throw new Error('broken')
    return new Map(keys.map((key) => [key, key]))
  })
  await expect(Promise.allSettled([read(1), read(2)])).resolves.toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ])
  isBroken = false
  expect(await read(3)).toBe(3)
})

test('a query does not end with the call that triggered it', async () => {
  const signals: unknown[] = []
  const read = batchReads<number, number>(async () => {
    signals.push(signalOfCall())
    return new Map()
  })
  await endingWith(new AbortController().signal, () => read(1))
  expect(signals).toEqual([undefined])
})
