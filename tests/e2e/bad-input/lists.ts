import { type BadInputRow, buildRows } from './row.ts'

/** Rows 48 to 55 and 97: pages, order, search and filters. */

const query = (parameters: Record<string, string>) =>
  `GET /projects?${new URLSearchParams(parameters)}`
const filter = (given: unknown) =>
  query({ filter: typeof given === 'string' ? given : JSON.stringify(given) })
const id = { var: 'id' }
const levels = (count: number): object =>
  count === 1 ? { '==': [id, 1] } : { '!': levels(count - 1) }

export const lists: BadInputRow[] = [
  ...buildRows(
    { 'page 0': '0', 'a page below 1': '-1', 'a word': 'abc', 'past the end': '99' },
    (page) => ({
      ...{ row: 48, call: query({ page }), status: 404 },
      body: { detail: 'Invalid page.' },
    }),
  ),
  ...buildRows(
    { 'a page size of 0': '0', 'a negative page size': '-5', 'a word': 'abc' },
    (page_size) => ({
      ...{ row: 49, call: query({ page_size }), status: 200 },
    }),
  ),
  ...buildRows(
    { 'a page size of all': 'all', 'a page size of 100,000': '100000' },
    (page_size) => ({
      ...{ row: 50, call: query({ page_size }), status: 200, body: { next: null } },
    }),
  ),
  ...buildRows(
    { 'an unknown name': 'nosuch', 'two minus signs': '--id', SQL: 'id;drop table projects' },
    (sort) => ({ row: 51, call: query({ sort }), status: 200 }),
  ),
  ...buildRows(
    {
      'truncated JSON': '{',
      'an empty list': [],
      'a number': 1,
      'an unknown name': { var: 'nosuch' },
      'an unknown operator': { max: [id] },
      'an operator with one operand': { '==': [id] },
    },
    (given) => ({ row: 52, call: filter(given), status: 400, code: 'invalid' }),
  ),
  { row: 52, what: 'an empty filter', call: query({ filter: '' }), status: 200 },
  ...buildRows(
    {
      '17 levels': levels(17),
      '257 nodes': { or: Array.from({ length: 256 }, () => id) },
      '1,001 items': { in: [id, Array.from({ length: 1001 }, () => 1)] },
      'a variable name in a list': { var: ['a'] },
      'a pattern as id': { '==': [id, '^1.*$'] },
      'an object as id': { '==': [id, { a: 1 }] },
    },
    (given) => ({ row: 53, call: filter(given), status: 400, code: 'invalid' }),
  ),
  {
    row: 54,
    what: 'an unknown status',
    call: query({ status: 'foo' }),
    status: 400,
    field: 'status',
  },
  { row: 54, what: 'an empty owner', call: query({ owner: '' }), status: 200 },
  {
    row: 54,
    what: 'a repeated name parameter',
    call: 'GET /projects?name=a&name=b',
    status: 400,
    field: 'name',
  },
  {
    row: 55,
    what: 'a search text of 10 KB',
    ...{ call: query({ search: 'x'.repeat(10_000) }), status: 400, field: 'search' },
  },
  ...buildRows({ 'a percent sign': '%', 'an underscore': '_', 'a backslash': '\\' }, (search) => ({
    ...{ row: 55, call: query({ search }), status: 200, body: { count: 0 } },
  })),
  {
    row: 97,
    what: 'an unknown parameter of the formats',
    call: 'GET /server/annotation/formats?x=',
    status: 200,
  },
  { row: 97, what: 'an unknown parameter of a list', call: query({ unknown: '1' }), status: 200 },
]
