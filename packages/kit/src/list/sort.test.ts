import { expect, test } from 'vitest'
import { readSort } from './sort.ts'

/** `spec/api-workspace.md` 1.5. */

const columns = { id: 'id', name: 'name', date: 'date' }
const sorted = (given?: string) =>
  readSort(given, columns, '-id').map(
    ({ column, descending }) => `${descending ? '-' : ''}${column}`,
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

test('the default of a list is sorted by id as well, and names stand for their columns', () => {
  expect(readSort(undefined, { id: 'box.rq_id', name: 'box.title' }, 'name')).toEqual([
    { column: 'box.title', descending: false },
    { column: 'box.rq_id', descending: false },
  ])
})
