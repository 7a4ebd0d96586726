import { expect, test } from 'vitest'
import { startTestGateway } from './testing/gateway.ts'

/**
 * The gateway validates the queries of lists before it calls a service. Row numbers refer to
 * docs/spec/reliability.md#bad-input.
 */

const seen: unknown[] = []
const { send } = await startTestGateway({
  services: {
    projects: {
      async listProjects(query) {
        seen.push(query)
        return { count: 0, results: [] }
      },
    },
  },
})

const list = async (query: Record<string, string>, path = '/api/projects') => {
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
  const { status, body, code } = await list({ filter })
  expect({ status, code }).toEqual({ status: 400, code: 'invalid' })
  const text = typeof expected === 'string' ? expected : expect.stringMatching(expected)
  expect(body).toEqual([text])
})

test.each<[string, Record<string, string>, object]>([
  ['54', { status: 'foo' }, { status: ['"foo" is not a valid choice.'] }],
  ['54', { id: 'x' }, { id: ['A valid integer is required.'] }],
  ['55', { search: 'x'.repeat(257) }, { search: [expect.stringContaining('256')] }],
])('row %s: %j is refused with an error for its name', async (_, query, body) => {
  expect(await list(query)).toMatchObject({ status: 400, body })
})

test('an invalid boolean is refused with an error for its name', async () => {
  const body = { read_only: ['Must be a valid boolean.'] }
  const refusal = await list({ read_only: 'perhaps' }, '/api/auth/access_tokens')
  expect(refusal).toMatchObject({ status: 400, body })
})

test.each(['filter', 'search', 'sort', 'id', 'status'])(
  'a repeated parameter %s is refused',
  async (name) => {
    const { status, json } = await send(`/api/projects?${name}=&${name}=`)
    expect({ status, body: json() }).toEqual({
      status: 400,
      body: { [name]: ['This parameter may be given only once.'] },
    })
  },
)

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
  expect(await list(query)).toMatchObject({ status: 200 })
})

test('the service receives the parsed filter instead of its text', async () => {
  await list({ filter: '{"!=":[{"var":"id"},"7"]}' })
  const expected = { op: 'not', of: { op: '==', field: 'id', value: 7 } }
  expect(seen.at(-1)).toEqual({ filter: expected })
})

test('an invalid filter is refused before any object is looked up', async () => {
  const refusal = await list({ project_id: '1', filter: '{' }, '/api/labels')
  expect(refusal).toMatchObject({ status: 400 })
  const missing = await list({ project_id: '1', filter: '{"var":"id"}' }, '/api/labels')
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
])('a page size of %s is passed to the service as %s', async (page_size, expected) => {
  expect((await list({ page_size })).status).toBe(200)
  expect(seen.at(-1)).toMatchObject({ page_size: expected })
})

test('the maximum page size is a setting that links respect', async () => {
  const few = await startTestGateway({
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
