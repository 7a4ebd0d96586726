import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Paging, sorting, searching and filtering of lists. See docs/spec/rest.md#lists and docs/spec/rest.md#filters. */

const lister = {
  username: 'lister',
  password: 'a-password-of-lister',
  email: 'lister@example.org',
  role: 'user' as const,
}
let reticle: ServerUnderTest
let api: ApiClient
let self: AnyJson
/** Ids by name. */
const ids = new Map<string, number>()
const names = ['Street scenes 1', 'street 2', 'Night scenes 3', '50% of 4', 'scenes street 5']

beforeAll(async () => {
  reticle = await shareReticle()
  await addPerson(await reticle.people(), lister)
  const basic = Buffer.from(`${lister.username}:${lister.password}`).toString('base64')
  api = createApiClient(`${reticle.url}/api`, `Basic ${basic}`)
  self = await api.done('GET', '/users/self')
  for (const [index, name] of names.entries()) {
    const assignee_id = index % 2 === 0 ? self.id : undefined
    const { id } = await api.done('POST', '/projects', { json: { name, assignee_id } })
    ids.set(name, id)
  }
})

const listWith = (query: Record<string, string>, route = '/projects') =>
  api.call('GET', `${route}?${new URLSearchParams(query)}`)
/** Returns the last characters (the numbers) of the names that are found. */
async function found(query: Record<string, string>): Promise<string> {
  const { status, body, text } = await listWith(query)
  if (status !== 200) throw new Error(text)
  return body.results.map((one: AnyJson) => one.name.at(-1)).join('')
}

describe('lists', () => {
  test.each(['0', '-1', 'first', '4', '1e9'])('page %s does not exist', async (page) => {
    const { status, body } = await listWith({ page, page_size: '2' })
    expect([status, body.detail]).toEqual([404, 'Invalid page.'])
  })

  test('an empty page parameter means the first page', async () => {
    expect(await found({ page: '', page_size: '2', sort: 'id' })).toBe(
      await found({ page: '1', page_size: '2', sort: 'id' }),
    )
  })

  test('page=last returns the last page, and page 1 of an empty list is empty', async () => {
    expect(await found({ page: 'last', page_size: '2', sort: 'id' })).toBe('5')
    const { status, body } = await listWith({ name: 'nothing', page: '1' })
    expect([status, body]).toEqual([200, { count: 0, next: null, previous: null, results: [] }])
  })

  test.each(['0', '-3', 'abc'])(
    'the page size %s is replaced by the default',
    async (page_size) => {
      expect((await listWith({ page_size })).body.results).toHaveLength(5)
      expect((await listWith({ page_size, page: '2' })).status).toBe(404)
    },
  )

  test('a page has at most 1,000 rows, and page_size=all returns all rows', async () => {
    const labels = Array.from({ length: 1003 }, (_, index) => ({ name: `label ${index}` }))
    const { id } = await api.done('POST', '/tasks', { json: { name: 'many labels', labels } })
    const page = async (page_size: string, page: string) =>
      (await listWith({ task_id: String(id), page_size, page }, '/labels')).body
    const [clamped, rest, all] = [
      await page('5000', '1'),
      await page('5000', '2'),
      await page('all', '1'),
    ]
    expect([clamped.count, clamped.results.length, rest.results.length]).toEqual([1003, 1000, 3])
    expect([all.count, all.results.length, all.next]).toEqual([1003, 1003, null])
  })

  test('the links to the next and previous page keep every parameter', async () => {
    const query = {
      page: '2',
      page_size: '1',
      sort: '-name',
      search: 'street',
      status: 'annotation',
    }
    const { body } = await listWith(query)
    const parametersOf = (link: string) => Object.fromEntries(new URL(link).searchParams)
    expect(body.next.startsWith(`${reticle.url}/api/projects?`)).toBe(true)
    expect(parametersOf(body.next)).toEqual({ ...query, page: '3' })
    const { page: _, ...first } = parametersOf(body.previous)
    expect(first).toEqual({ ...query, page: undefined })
    expect((await api.call('GET', body.previous)).body.results[0].name).toBe('street 2')
    expect((await api.call('GET', body.next)).body.next).toBeNull()
  })

  test('a sort ignores unknown names, accepts several, and places nulls last (first when descending)', async () => {
    expect(await found({ sort: 'nosuch' })).toBe('54321')
    expect(await found({ sort: 'nosuch,id' })).toBe('12345')
    expect(await found({ sort: 'assignee,-id' })).toBe('53142')
    expect(await found({ sort: '-assignee,id' })).toBe('24135')
  })

  test('a search finds every word in any order and case, and a quoted phrase as written', async () => {
    expect(await found({ search: 'STREET scenes' })).toBe('51')
    expect(await found({ search: 'scenes,street' })).toBe('51')
    expect(await found({ search: '"street scenes"' })).toBe('1')
    expect(await found({ search: '%' })).toBe('4')
    expect(await found({ search: `scenes ${lister.username}` })).toBe('531')
    expect((await listWith({ search: 'x'.repeat(257) })).status).toBe(400)
  })

  test('simple filters match exactly, and an invalid value is refused under its name', async () => {
    expect(await found({ name: 'street 2' })).toBe('2')
    expect(await found({ name: 'Street 2' })).toBe('')
    expect(await found({ id: String(ids.get('street 2')), name: '' })).toBe('2')
    expect((await listWith({ id: 'x' })).body).toEqual({ id: ['A valid integer is required.'] })
    expect((await listWith({ status: 'none' })).body).toEqual({
      status: ['"none" is not a valid choice.'],
    })
    expect((await api.call('GET', '/projects?name=a&name=b')).status).toBe(400)
  })
})

describe('filters in JSON Logic', () => {
  const logic = (given: unknown) => found({ filter: JSON.stringify(given), sort: 'id' })
  const [name, id, assignee] = [{ var: 'name' }, { var: 'id' }, { var: 'assignee' }]
  const created = { var: 'created_date' }
  const at = (which: string) => ids.get(which) ?? 0
  const second = () => at('street 2')
  const fourth = () => at('50% of 4')
  const expressions: [string, () => unknown, string][] = [
    ['and', () => ({ and: [{ '>': [id, second()] }, { '<': [id, fourth()] }] }), '3'],
    ['or', () => ({ or: [{ '==': [id, second()] }, { '==': [id, fourth()] }] }), '24'],
    ['not', () => ({ '!': { '==': [id, second()] } }), '1345'],
    ['not of a list', () => ({ '!': [{ '==': [id, second()] }] }), '1345'],
    ['twice not', () => ({ '!!': { '==': [id, second()] } }), '2'],
    ['equal', () => ({ '===': [name, 'street 2'] }), '2'],
    ['equal to nothing', () => ({ '==': [assignee, null] }), '24'],
    ['not equal, nulls too', () => ({ '!=': [assignee, lister.username] }), '24'],
    ['strictly not equal', () => ({ '!==': [id, second()] }), '1345'],
    ['less', () => ({ '<': [id, second()] }), '1'],
    ['at most', () => ({ '<=': [id, second()] }), '12'],
    ['more', () => ({ '>': [id, fourth()] }), '5'],
    ['at least', () => ({ '>=': [id, fourth()] }), '45'],
    ['mirrored', () => ({ '<': [fourth(), id] }), '5'],
    ['between', () => ({ '<=': [second(), id, fourth()] }), '234'],
    ['strictly between', () => ({ '<': [second(), id, fourth()] }), '3'],
    ['one of', () => ({ in: [id, [second(), fourth(), 0]] }), '24'],
    ['one of none', () => ({ in: [id, []] }), ''],
    ['contains, in any case', () => ({ in: ['STREET', name] }), '125'],
    ['contains a sign of patterns', () => ({ in: ['%', name] }), '4'],
    ['has a value', () => assignee, '135'],
    [
      'nested not and or',
      () => ({ '!': { or: [{ '!': { in: ['scenes', name] } }, { '==': [name, names[0]] }] } }),
      '35',
    ],
    ['dates', () => ({ '>=': [created, '2020-01-01'] }), '12345'],
    ['dates with an offset', () => ({ '<': [created, '2020-01-01T00:00:00+02:00'] }), ''],
    ['between dates', () => ({ '<=': ['2020-01-01', created, '2120-01-01T00:00:00Z'] }), '12345'],
  ]

  test.each(expressions)('the filter %s finds the matching tasks', async (_, given, expected) => {
    expect(await logic(given())).toBe(expected)
  })

  test('a filter, a search and simple filters must all match', async () => {
    const filter = JSON.stringify({ '!': { '==': [name, names[0]] } })
    expect(await found({ filter, search: 'scenes', owner: lister.username })).toBe('53')
  })

  const nested = (levels: number): unknown =>
    levels === 1 ? { '==': [id, 1] } : { '!': nested(levels - 1) }

  test.each<[string, string, string | RegExp]>([
    ['bad JSON', '{', /^filter: can't parse filter expression: /],
    ['nothing', '{}', "filter shouldn't be empty"],
    ['an unknown field', '{"var":"x"}', "filter: term 'x' is not supported"],
    ['an unknown operator', '{"max":[1]}', /^filter: operation 'max' with arguments '\[1\]'/],
    ['no list', '{"and":{}}', /^filter: operation 'and' requires a non-empty list argument/],
    ['a wrong type', '{"==":[{"var":"id"},"abc"]}', "filter: value 'abc' is not valid for 'id'"],
    ['a bad date', '{">":[{"var":"created_date"},"soon"]}', /^filter: value 'soon' is not valid/],
    ['17 levels', JSON.stringify(nested(17)), 'filter: expression is too complex'],
  ])('the filter %s is refused', async (_, filter, text) => {
    const { status, body } = await listWith({ filter })
    const expected = typeof text === 'string' ? text : expect.stringMatching(text)
    expect([status, body]).toEqual([400, [expected]])
  })

  test('a filter of 16 levels and a filter value outside of the vocabulary are accepted', async () => {
    expect((await listWith({ filter: JSON.stringify(nested(16)) })).status).toBe(200)
    expect(await logic({ '==': [{ var: 'status' }, 'nosuch'] })).toBe('')
  })
})
