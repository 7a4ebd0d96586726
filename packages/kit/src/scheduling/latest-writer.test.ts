import { expect, test } from 'vitest'
import { latestWriter } from './latest-writer.ts'

test('of the values that arrive during a write only the last is written', async () => {
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

test('without a value, the writer reports completion at once', async () => {
  const writer = latestWriter(async () => undefined)
  expect(await writer.written()).toBeUndefined()
})
