import { expect, test } from 'vitest'
import { createKeyedQueue } from './keyed-queue.ts'

const pause = () => new Promise((resolve) => setTimeout(resolve, 5))

test('tasks of one key run one after another', async () => {
  const inTurn = createKeyedQueue()
  const seen: string[] = []
  const run = (name: string) =>
    inTurn('key', async () => {
      seen.push(`${name} starts`)
      await pause()
      seen.push(`${name} ends`)
      return name
    })
  expect(await Promise.all([run('a'), run('b')])).toEqual(['a', 'b'])
  expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends'])
})

test('tasks of different keys run concurrently', async () => {
  const inTurn = createKeyedQueue()
  let release = () => {}
  const blocked = inTurn('a', () => new Promise<void>((resolve) => (release = resolve)))
  await inTurn('b', async () => release())
  await blocked
})

test('a failed task rejects only for its caller, and the next one runs', async () => {
  const inTurn = createKeyedQueue()
  const failing = inTurn('key', () => Promise.reject(new Error('no')))
  const next = inTurn('key', async () => 'yes')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('yes')
})

test('a task that waits too long is rejected, and later ones keep waiting', async () => {
  const inTurn = createKeyedQueue()
  const seen: string[] = []
  let release = () => {}
  const first = inTurn('key', () => new Promise<void>((resolve) => (release = resolve)))
  const patience = { ms: 5, late: () => new Error('too late') }
  await expect(inTurn('key', async () => seen.push('never'), patience)).rejects.toThrow('too late')

  const third = inTurn('key', async () => seen.push('third'))
  await pause()
  expect(seen).toEqual([])
  release()
  await Promise.all([first, third])
  expect(seen).toEqual(['third'])
})
