import { expect, test } from 'vitest'
import { latestWriter } from './latest-writer.ts'

test('of values that come while one is written, the last only is written', async () => {
  const begun: number[] = []
  const gates: (() => void)[] = []
  const writer = latestWriter(async (value: number) => {
    begun.push(value)
    await new Promise<void>((resolve) => gates.push(resolve))
  })
  for (let value = 1; value <= 10_000; value++) writer.write(value)
  expect(begun).toEqual([1])
  gates[0]?.()
  await expect.poll(() => begun).toEqual([1, 10_000])
  gates[1]?.()
  await writer.written()
  writer.write(10_001)
  expect(begun).toEqual([1, 10_000, 10_001])
  gates[2]?.()
  await writer.written()
})

test('where nothing was given, all is written', async () => {
  const writer = latestWriter(async () => undefined)
  expect(await writer.written()).toBeUndefined()
})
