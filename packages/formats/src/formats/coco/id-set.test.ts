import { expect, test } from 'vitest'
import { createIdSet } from './id-set.ts'

test('an id is new exactly once, even when it is negative, large or adjacent to another', () => {
  const ids = createIdSet()
  const given = [0, 1, 7, 8, -1, -4096, 4095, 4096, 900_100_000_000_123, 900_100_000_000_124]
  expect(given.map((id) => ids.add(id))).toEqual(given.map(() => true))
  expect(given.map((id) => ids.add(id))).toEqual(given.map(() => false))
})

test('ids that are too scattered are not remembered, while others still are', () => {
  const ids = createIdSet()
  for (let page = 0; page < 65_536; page += 1) ids.add(page * 4096)
  expect([ids.add(1e12), ids.add(1e12), ids.add(4096)]).toEqual([true, true, false])
})

test('a limited number of text ids is remembered', () => {
  const ids = createIdSet()
  expect([ids.add('a'), ids.add('7'), ids.add(7), ids.add('a')]).toEqual([true, true, true, false])
  for (let at = 0; at < 100_000; at += 1) ids.add(`x${at}`)
  expect([ids.add('late'), ids.add('late'), ids.add('x5')]).toEqual([true, true, false])
})
