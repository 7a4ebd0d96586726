import { expect, test } from 'vitest'
import { openDoorbell } from './doorbell.ts'

const long = 60_000

/** Creates a doorbell for some slots, and records each change of whether messages are wanted. */
function bellOf(slots: number) {
  const said: boolean[] = []
  return { bell: openDoorbell(slots, (isWanted) => said.push(isWanted)), said }
}

test('a message wakes one slot, not all', async () => {
  const { bell } = bellOf(2)
  const woken: number[] = []
  const slots = [1, 2].map((slot) => bell.wait(20).then((isRung) => isRung && woken.push(slot)))
  bell.ring()
  await Promise.all(slots)
  expect(woken).toEqual([1])
})

test('messages are paused while every slot works, and resumed when a slot finds no further request', async () => {
  const { bell, said } = bellOf(2)
  const slots = [bell.wait(long), bell.wait(long)]
  bell.ring()
  expect(said).toEqual([])
  bell.ring()
  expect(said).toEqual([false])
  for (const slot of slots) bell.found(!(await slot))
  bell.foundNothing(false)
  expect(said).toEqual([false, true])
})

test('a slot that was woken without finding work is free again', async () => {
  const { bell, said } = bellOf(1)
  const slot = bell.wait(long)
  bell.ring()
  bell.foundNothing(!(await slot))
  expect(said).toEqual([false, true])
})

test('the message of a request that a slot found by polling is taken while the slot works', () => {
  const { bell, said } = bellOf(1)
  bell.found(true)
  expect(said).toEqual([])
  bell.ring()
  expect(said).toEqual([false])
  bell.found(false) // the next request, right after the first
  expect(said).toEqual([false, true])
  bell.ring()
  expect(said).toEqual([false, true, false])
})

test('a surplus message counts for the next request that is found', () => {
  const { bell, said } = bellOf(1)
  bell.found(true)
  bell.ring()
  bell.ring()
  bell.found(false)
  expect(said).toEqual([false])
})

test('a message that arrives while the slot is polling wakes that slot later', async () => {
  const { bell, said } = bellOf(1)
  bell.ring()
  expect(said).toEqual([false])
  bell.foundNothing(true)
  expect(await bell.wait(long)).toBe(true)
})

test('a message that arrives while a slot finds work by polling counts for that work', async () => {
  const { bell, said } = bellOf(1)
  bell.ring()
  bell.found(true)
  bell.foundNothing(false)
  expect(said).toEqual([false, true])
  expect(await bell.wait(1)).toBe(false)
})

test('an empty queue resets the count of expected messages', () => {
  const { bell, said } = bellOf(2)
  bell.found(true)
  bell.foundNothing(true)
  bell.found(true)
  bell.ring()
  expect(said).toEqual([false])
})

test('a waiting slot polls by itself after the timeout', async () => {
  const { bell, said } = bellOf(1)
  expect(await bell.wait(1)).toBe(false)
  bell.foundNothing(true)
  expect(said).toEqual([])
})

test('closing wakes all waiting slots and stops the notifications', async () => {
  const { bell, said } = bellOf(1)
  const slot = bell.wait(long)
  bell.close()
  expect(await slot).toBe(false)
  expect(await bell.wait(long)).toBe(false)
  bell.found(true)
  expect(said).toEqual([])
})
