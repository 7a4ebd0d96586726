import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { runRepeatedly } from './repeat.ts'

const hourMs = 3_600_000
const fail = (thrown: unknown) => {
  throw thrown
}

test('the first run starts at once, and a stop does not wait for the next one', async () => {
  let runs = 0
  const stop = runRepeatedly(hourMs, async () => runs++, fail)
  expect(runs).toBe(1)
  await stop()
  expect(runs).toBe(1)
})

test('a failure is reported, and the next run follows', async () => {
  const told: unknown[] = []
  let runs = 0
  const failing = async () => {
    runs++
    throw new Error(`run ${runs}`)
  }
  const stop = runRepeatedly(1, failing, (thrown) => told.push(thrown))
  await expect.poll(() => told.length).toBeGreaterThan(1)
  await stop()
  expect(told.slice(0, 2)).toEqual([new Error('run 1'), new Error('run 2')])
})

test('a stop waits for the current run', async () => {
  let isOver = false
  const slow = async () => {
    await sleep(30)
    isOver = true
  }
  const stop = runRepeatedly(hourMs, slow, fail)
  await stop()
  expect(isOver).toBe(true)
})

test('a run that ends early at a stop is not reported as a failure', async () => {
  const told: unknown[] = []
  const stop = runRepeatedly(
    hourMs,
    (signal) => sleep(hourMs, undefined, { signal }),
    (thrown) => told.push(thrown),
  )
  await stop()
  expect(told).toEqual([])
})
