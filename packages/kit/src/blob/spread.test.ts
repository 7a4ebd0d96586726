import { describe, expect, test } from 'vitest'
import { checkKey } from './blob.ts'
import {
  keyOfAll,
  locateRange,
  partAt,
  partKey,
  spreadBytes,
  spreadKey,
  takenOver,
} from './spread.ts'

const places = (key: string, start: number, end: number) => [...locateRange(key, { start, end })]

test('content of one part is one object, and the key of larger content marks it as spread', () => {
  expect(spreadKey('a/b', 0)).toBe('a/b')
  expect(spreadKey('a/b', spreadBytes)).toBe('a/b')
  expect(spreadKey('a/b', spreadBytes + 1)).toBe('a/b.parts')
})

test('all bytes of unspread content are in one object', () => {
  expect(places('a/b', 5, 3 * spreadBytes)).toEqual([
    { key: 'a/b', start: 5, end: 3 * spreadBytes },
  ])
})

test.each([
  ['within a part', spreadBytes + 5, spreadBytes + 6, [{ key: 'k.parts/0-1', start: 5, end: 6 }]],
  ['a whole part', 0, spreadBytes, [{ key: 'k.parts/0-0', start: 0, end: spreadBytes }]],
  [
    'the last byte of one and the first of another',
    spreadBytes - 1,
    spreadBytes + 1,
    [
      { key: 'k.parts/0-0', start: spreadBytes - 1, end: spreadBytes },
      { key: 'k.parts/0-1', start: 0, end: 1 },
    ],
  ],
  [
    'three parts',
    spreadBytes - 1,
    2 * spreadBytes + 1,
    [
      { key: 'k.parts/0-0', start: spreadBytes - 1, end: spreadBytes },
      { key: 'k.parts/0-1', start: 0, end: spreadBytes },
      { key: 'k.parts/0-2', start: 0, end: 1 },
    ],
  ],
  ['no bytes', 7, 7, []],
])('spread content is found in its parts: %s', (_, start, end, expected) => {
  expect(places('k.parts', start, end)).toEqual(expected)
})

describe('taking over content from another writer', () => {
  const partsOf = (key: string, count: number) =>
    Array.from({ length: count }, (_, index) => partKey(key, index))

  test('a new writer uses new objects, and stored parts keep their keys', () => {
    const second = takenOver('k.parts', 2 * spreadBytes + 5)
    expect(partsOf(second, 4)).toEqual(['k.parts/0-0', 'k.parts/0-1', 'k.parts/1-2', 'k.parts/1-3'])
    const third = takenOver(second, 3 * spreadBytes)
    expect(partsOf(third, 4)).toEqual(['k.parts/0-0', 'k.parts/0-1', 'k.parts/1-2', 'k.parts/2-3'])
  })

  test('a turn without stored parts leaves no trace in the key', () => {
    const fought = Array.from({ length: 9 }).reduce<string>((key) => takenOver(key, 7), 'k.parts')
    expect(fought).toBe('k.parts/0.9')
    expect(partsOf(fought, 2)).toEqual(['k.parts/9-0', 'k.parts/9-1'])
  })

  test('taking over content of one object writes another object', () => {
    expect(takenOver('a/b', 5)).toBe('a/b.1')
    expect(takenOver('a/b.9', 5)).toBe('a/b.10')
    expect(places('a/b.10', 0, 3)).toEqual([{ key: 'a/b.10', start: 0, end: 3 }])
  })

  test('after twenty takeovers of the largest files the key is still valid', () => {
    let key = 'requests/uploads/f3a1359e-c5f3-4a0f-9d1d-1f0a6f5b7c31/f3a1359e-c5f3.parts'
    for (let at = 0; at < 20; at++) key = takenOver(key, (3000 + at) * spreadBytes)
    expect(key.length).toBeLessThan(300)
    expect(() => checkKey(partKey(key, 3010))).not.toThrow()
  })
})

test('one name matches all objects of the content', () => {
  expect(keyOfAll('a/b')).toBe('a/b')
  expect(keyOfAll('a/b.parts/3.1')).toBe('a/b.parts/')
})

test('bytes are counted from the first part', () => {
  expect([0, spreadBytes - 1, spreadBytes].map(partAt)).toEqual([0, 0, 1])
})
