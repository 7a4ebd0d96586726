import { expect, test } from 'vitest'
import { groupsOf } from './groups.ts'

test('groups connect objects over any number of steps, but only through existing objects', () => {
  const object = (id: string, ...related: string[]) => ({ id, related })
  const objects = [
    object('a', 'b'),
    object('b'),
    object('c', 'b'),
    object('d', 'x'),
    object('e', 'x'),
  ]
  const groups = groupsOf(objects)
  expect(objects.map((one) => groups.has(one))).toEqual([true, true, true, false, false])
  expect(new Set(groups.values()).size).toBe(1)
})

test('objects with equal ids form no group unless they are parts', () => {
  const objects = ['0', '0', '0'].map((id) => ({ id, related: [] }))
  expect(groupsOf(objects).size).toBe(0)
  const itself = { id: '1', related: ['1'] }
  expect(groupsOf([itself]).size).toBe(0)
})

test('a long chain takes linear time', () => {
  const chain = Array.from({ length: 200_000 }, (_, id) => {
    return { id: String(id), related: [String(id - 1)] }
  })
  expect(new Set(groupsOf(chain).values()).size).toBe(1)
})
