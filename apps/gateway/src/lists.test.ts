import { expect, test } from 'vitest'
import { testGateway } from './testing/gateway.ts'

/**
 * What a list is asked is read here, before any service hears of it (`spec/api-workspace.md` 1.4 to 1.6). Numbers of rows
 * are those of the bad-input matrix (`reliability.md` 18).
 */

const seen: unknown[] = []
const { send } = await testGateway({
  services: {
    projects: {
      async listProjects(query) {
        seen.push(query)
        return { count: 0, results: [] }
      },
    },
  },
})

const ask = async (query: Record<string, string>, path = '/api/projects') => {
  const before = seen.length
  const { status, headers, json } = await send(`${path}?${new URLSearchParams(query)}`)
  expect(seen.length - before).toBe(status === 200 && path === '/api/projects' ? 1 : 0)
  return { status, body: json(), code: headers['x-error-code'] }
}
const id = { var: 'id' }
const nested = (levels: number): object =>
  levels === 1 ? { '==': [id, 1] } : { '!': nested(levels - 1) }
const wide = (nodes: number) => ({ or: Array.from({ length: nodes - 1 }, () => id) })
const tooComplex = 'filter: expression is too complex'

test.each<[string, unknown, string | RegExp]>([
  ['52', '{', /^filter: can't parse filter expression: ./],
  ['52', '[]', "filter shouldn't be empty"],
  ['52', '{}', "filter shouldn't be empty"],
  ['52', '""', "filter shouldn't be empty"],
  ['52', '1', /^filter: can't parse filter expression: ./],
  ['52', { var: 'nosuch' }, "filter: term 'nosuch' is not supported"],
  ['52', { max: [id] }, `filter: operation 'max' with arguments '[{"var":"id"}]' is not supported`],
  ['52', { '==': [id] }, `filter: operation '==' with arguments '[{"var":"id"}]' is not supported`],
  ['52', { and: [] }, /^filter: operation 'and' requires a non-empty list argument, /],
  ['53', nested(17), tooComplex],
  ['53', wide(257), tooComplex],
  ['53', { in: [id, Array.from({ length: 1001 }, () => 1)] }, tooComplex],
  ['53', { var: ['a'] }, `filter: operation 'var' with arguments '["a"]' is not supported`],
  ['53', { '==': [id, '^1.*$'] }, "filter: value '^1.*$' is not valid for 'id'"],
  ['53', { '==': [id, { a: 1 }] }, `filter: value '{"a":1}' is not valid for 'id'`],
  [
    '53',
    { '>': [{ var: 'updated_date' }, 'soon'] },
    /value 'soon' is not valid for 'updated_date'/,
  ],
])('row %s: the filter %j is refused', async (_, given, expected) => {
  const filter = typeof given === 'string' ? given : JSON.stringify(given)
  const { status, body, code } = await ask({ filter })
  expect({ status, code }).toEqual({ status: 400, code: 'invalid' })
  const text = typeof expected === 'string' ? expected : expect.stringMatching(expected)
  expect(body).toEqual([text])
})

test.each<[string, Record<string, string>, object]>([
  ['54', { status: 'foo' }, { status: ['"foo" is not a valid choice.'] }],
  ['54', { id: 'x' }, { id: ['A valid integer is required.'] }],
  ['55', { search: 'x'.repeat(257) }, { search: [expect.stringContaining('256')] }],
])('row %s: %j is refused under its name', async (_, query, body) => {
  expect(await ask(query)).toMatchObject({ status: 400, body })
})

test('a flag that is none is refused under its name', async () => {
  const body = { read_only: ['Must be a valid boolean.'] }
  const refusal = await ask({ read_only: 'perhaps' }, '/api/auth/access_tokens')
  expect(refusal).toMatchObject({ status: 400, body })
})

test.each(['filter', 'search', 'sort', 'id', 'status'])('%s twice is refused', async (name) => {
  const { status, json } = await send(`/api/projects?${name}=&${name}=`)
  expect({ status, body: json() }).toEqual({
    status: 400,
    body: { [name]: ['This parameter may be given only once.'] },
  })
})

test.each<Record<string, string>>([
  { filter: '' },
  { filter: JSON.stringify(nested(16)) },
  { filter: JSON.stringify(wide(256)) },
  { filter: JSON.stringify({ '==': [{ var: 'status' }, 'foo'] }) },
  { search: '%_\\' },
  { search: 'x'.repeat(256) },
  { sort: 'nosuch' },
  { sort: '--id' },
  { sort: 'id;drop table' },
  { owner: '', status: '', id: '' },
  { colour: 'red' },
])('%j is accepted', async (query) => {
  expect(await ask(query)).toMatchObject({ status: 200 })
})

test('the service is handed what the filter says, not its text', async () => {
  await ask({ filter: '{"!=":[{"var":"id"},"7"]}' })
  const expected = { op: 'not', of: { op: '==', field: 'id', value: 7 } }
  expect(seen.at(-1)).toEqual({ filter: expected })
})

test('a filter is refused before anything is looked for', async () => {
  const refusal = await ask({ project_id: '1', filter: '{' }, '/api/labels')
  expect(refusal).toMatchObject({ status: 400 })
  const missing = await ask({ project_id: '1', filter: '{"var":"id"}' }, '/api/labels')
  expect(missing).toMatchObject({ status: 404 })
})

test.each([
  ['5000', '1000'],
  ['99999999999', '1000'],
  ['1000', '1000'],
  ['7', '7'],
  ['all', 'all'],
  ['abc', 'abc'],
  ['-5', '-5'],
])('a page of %s rows is asked of the service as one of %s', async (page_size, expected) => {
  expect((await ask({ page_size })).status).toBe(200)
  expect(seen.at(-1)).toMatchObject({ page_size: expected })
})

test('how many rows a page may have can be set, and links follow it', async () => {
  const few = await testGateway({
    settings: { pageSizeMax: 5 },
    services: {
      projects: {
        async listProjects({ page_size }) {
          return { count: Number(page_size) * 2, results: [] }
        },
      },
    },
  })
  const { json } = await few.send('/api/projects?page_size=100')
  const next = `${few.url}/api/projects?page_size=100&page=2`
  expect(json()).toEqual({ count: 10, next, previous: null, results: [] })
})
