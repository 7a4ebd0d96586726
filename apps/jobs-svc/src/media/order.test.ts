import { expect, test } from 'vitest'
import { compareNames } from './order.ts'

test.each([
  ['lexicographical', ['b', 'a10', 'a2', 'B', 'a/1'], ['B', 'a/1', 'a10', 'a2', 'b']],
  ['lexicographical', ['\u{1f600}', '\uffee', 'é', 'z'], ['z', 'é', '\uffee', '\u{1f600}']],
  ['natural', ['a10', 'a2', 'a1', 'a02'], ['a1', 'a02', 'a2', 'a10']],
  ['natural', ['f9/10.jpg', 'f10/1.jpg', 'f9/9.jpg'], ['f9/9.jpg', 'f9/10.jpg', 'f10/1.jpg']],
  [
    'natural',
    ['a99999999999999999999', 'a100000000000000000000'],
    ['a99999999999999999999', 'a100000000000000000000'],
  ],
] as const)('%s order of %j', (method, given, sorted) => {
  expect([...given].sort(compareNames[method])).toEqual(sorted)
})
