import { expect, test } from 'vitest'
import { pageNumber, readListPage, readPage } from './page.ts'

/** Pages of lists. See docs/spec/rest.md#lists. */

test.each([
  [{}, { number: 1, size: 10 }],
  [
    { page: '3', page_size: '25' },
    { number: 3, size: 25 },
  ],
  [{ page: '' }, { number: 1, size: 10 }],
  [
    { page: '', page_size: '25' },
    { number: 1, size: 25 },
  ],
  [{ page: 'last' }, { number: 'last', size: 10 }],
  [{ page_size: '1000' }, { number: 1, size: 1000 }],
  [{ page_size: '10001' }, { number: 1, size: 10_000 }],
  [{ page_size: '99999999999999999999' }, { number: 1, size: 10_000 }],
  [{ page_size: 'all' }, { number: 1, size: 10_000 }],
  [{ page_size: '0' }, { number: 1, size: 10 }],
  [{ page_size: '-5' }, { number: 1, size: 10 }],
  [{ page_size: 'many' }, { number: 1, size: 10 }],
  [{ page_size: '' }, { number: 1, size: 10 }],
])('the query %j requests the page %j', (query, page) => {
  expect(readPage(query)).toEqual(page)
})

const invalidPage = expect.objectContaining({ kind: 'not_found', message: 'Invalid page.' })

test.each(['0', '-1', 'first', ' ', '1.5', '1e3', '12345678901', ' 1', '１'])(
  'page %j does not exist',
  (page) => {
    expect(() => readPage({ page })).toThrow(invalidPage)
  },
)

test.each([
  [0, 1],
  [1, 1],
  [10, 1],
  [11, 2],
])('the last page of %i rows is %i', (count, number) => {
  expect(pageNumber({ number: 'last', size: 10 }, count)).toBe(number)
})

const rows = Array.from({ length: 25 }, (_, index) => index)
const listed = (query: object, all = rows) =>
  readListPage(
    query,
    async () => all.length,
    async (limit, offset) => all.slice(offset, offset + limit),
  )

test('a page contains its rows and the count of all rows', async () => {
  expect(await listed({ page: '3' })).toEqual({ count: 25, results: [20, 21, 22, 23, 24] })
  expect((await listed({ page: 'last' })).results).toEqual([20, 21, 22, 23, 24])
})

test('a page beyond the end does not exist, except the first page of an empty list', async () => {
  await expect(listed({ page: '4' })).rejects.toEqual(invalidPage)
  await expect(listed({ page: '2' }, rows.slice(0, 10))).rejects.toEqual(invalidPage)
  expect(await listed({}, [])).toEqual({ count: 0, results: [] })
  expect(await listed({ page: 'last' }, [])).toEqual({ count: 0, results: [] })
})
