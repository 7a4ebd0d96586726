import { expect, test } from 'vitest'
import { openDoorbell } from './doorbell.ts'

const long = 60_000

/** A bell of so many slots, and every word about whether messages are wanted. */
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

test('no message is wanted while every slot works, and again when one finds nothing more', async () => {
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

test('a slot that was woken for nothing is free again', async () => {
  const { bell, said } = bellOf(1)
  const slot = bell.wait(long)
  bell.ring()
  bell.foundNothing(!(await slot))
  expect(said).toEqual([false, true])
})

test('the message of what a slot found by itself is taken while it works, and no other', () => {
  const { bell, said } = bellOf(1)
  bell.found(true)
  expect(said).toEqual([])
  bell.ring()
  expect(said).toEqual([false])
  bell.found(false) // the next one, right after the first
  expect(said).toEqual([false, true])
  bell.ring()
  expect(said).toEqual([false, true, false])
})

test('a message taken too much stands for the next request that is found', () => {
  const { bell, said } = bellOf(1)
  bell.found(true)
  bell.ring()
  bell.ring()
  bell.found(false)
  expect(said).toEqual([false])
})

test('a message that comes while the slot is looking by itself is not lost', async () => {
  const { bell, said } = bellOf(1)
  bell.ring()
  expect(said).toEqual([false])
  bell.foundNothing(true)
  expect(await bell.wait(long)).toBe(true)
})

test('such a message is the one of what was found', async () => {
  const { bell, said } = bellOf(1)
  bell.ring()
  bell.found(true)
  bell.foundNothing(false)
  expect(said).toEqual([false, true])
  expect(await bell.wait(1)).toBe(false)
})

test('an empty queue has no messages to come', () => {
  const { bell, said } = bellOf(2)
  bell.found(true)
  bell.foundNothing(true)
  bell.found(true)
  bell.ring()
  expect(said).toEqual([false])
})

test('a slot that waits looks for itself after a while', async () => {
  const { bell, said } = bellOf(1)
  expect(await bell.wait(1)).toBe(false)
  bell.foundNothing(true)
  expect(said).toEqual([])
})

test('a bell that is closed lets everybody go and says nothing more', async () => {
  const { bell, said } = bellOf(1)
  const slot = bell.wait(long)
  bell.close()
  expect(await slot).toBe(false)
  expect(await bell.wait(long)).toBe(false)
  bell.found(true)
  expect(said).toEqual([])
})
