import { expect, test } from 'vitest'
import { readSort } from './sort.ts'

/** Sort keys of a list. See docs/spec/rest.md#lists. */

const sorted = (given: string | undefined, order = '-id') =>
  readSort(given, { sort: ['id', 'name', 'date'], order }).map(
    ({ name, descending }) => `${descending ? '-' : ''}${name}`,
  )

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

test('the default order of a list is extended by the id', () => {
  expect(sorted(undefined, 'name')).toEqual(['name', 'id'])
  expect(sorted('colour', '-date')).toEqual(['-date', '-id'])
})
