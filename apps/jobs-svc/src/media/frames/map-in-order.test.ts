import { expect, test } from 'vitest'
import { mapInOrder } from './map-in-order.ts'

async function* numbers(count: number) {
  for (let n = 0; n < count; n++) yield n
}

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

test('results keep the order of the items, and the limit of concurrent items holds', async () => {
  const seen = { running: 0, most: 0 }
  const change = async (n: number, index: number) => {
    seen.most = Math.max(seen.most, ++seen.running)
    await new Promise((resolve) => setTimeout(resolve, (n * 7) % 5))
    seen.running -= 1
    return `${index}:${n * 10}`
  }
  expect(await gathered(mapInOrder(numbers(7), 3, change))).toEqual(
    [0, 1, 2, 3, 4, 5, 6].map((n) => `${n}:${n * 10}`),
  )
  expect(seen).toEqual({ running: 0, most: 3 })
})

test('no more items are processed than are read', async () => {
  let made = 0
  const items = mapInOrder(numbers(1000), 4, async (n) => {
    made += 1
    return n
  })
  await items.next()
  await items.next()
  await items.return(undefined)
  expect(made).toBeLessThanOrEqual(8)
})

test('a failure is thrown at its place', async () => {
  const failing = mapInOrder(numbers(3), 2, async (n) => {
    if (n === 1) throw new Error('the second failed')
    return n
  })
  expect((await failing.next()).value).toBe(0)
  await expect(failing.next()).rejects.toThrow('the second failed')
})
