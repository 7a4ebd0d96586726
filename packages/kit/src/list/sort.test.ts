import { expect, test } from 'vitest'
import { readSort } from './sort.ts'

/** `spec/api-workspace.md` 1.5. */

const allowed = ['name', 'date'] as const
const sorted = (given?: string) =>
  readSort(given, allowed, '-id').map(({ name, descending }) => `${descending ? '-' : ''}${name}`)

test.each([
  [undefined, ['-id']],
  ['', ['-id']],
  ['name', ['name', 'id']],
  ['-name', ['-name', '-id']],
  ['name,-date', ['name', '-date', 'id']],
  [' name , -date ', ['name', '-date', 'id']],
  ['-date,id', ['-date', 'id']],
  ['id', ['id']],
  ['colour', ['-id']],
  ['colour,name', ['name', 'id']],
  ['--name', ['-id']],
  ['constructor', ['-id']],
  ['name,name', ['name', 'name', 'id']],
])('%j sorts by %j', (given, keys) => {
  expect(sorted(given)).toEqual(keys)
})

test('the default of a list is sorted by id as well', () => {
  expect(readSort(undefined, allowed, 'name')).toEqual([
    { name: 'name', descending: false },
    { name: 'id', descending: false },
  ])
})
