import { describe, expect, test } from 'vitest'
import { createFilterSchema } from './json-logic.ts'

/** Accepted expressions, their meaning, and the text of every rejection. */

const filter = createFilterSchema({
  id: 'integer',
  name: 'text',
  is_new: 'flag',
  date: 'date',
  score: 'number',
} as const)
const read = (given: unknown) => filter.parse(JSON.stringify(given))
const refusalOf = (text: string) => {
  const issue = filter.safeParse(text).error?.issues[0]
  if (issue?.code === 'custom') expect(issue.params).toEqual({ free_text: true })
  return issue?.message
}
const refusal = (given: unknown) => refusalOf(JSON.stringify(given))

const [id, name] = [{ var: 'id' }, { var: 'name' }]
const one = { '==': [id, 1] }
const isOne = { op: '==', field: 'id', value: 1 }
const not = (of: unknown) => ({ op: 'not', of })

test.each([
  [{ and: [one, one] }, { op: 'and', of: [isOne, isOne] }],
  [{ or: [one] }, { op: 'or', of: [isOne] }],
  [{ '!': one }, not(isOne)],
  [{ '!': [one] }, not(isOne)],
  [{ '!!': one }, isOne],
  [{ '!!': [one] }, isOne],
  [one, isOne],
  [{ '===': [id, 1] }, isOne],
  [{ '==': [1, id] }, isOne],
  [{ '==': [id, null] }, { op: '==', field: 'id', value: null }],
  [{ '!=': [id, 1] }, not(isOne)],
  [{ '!==': [id, 1] }, not(isOne)],
  [{ '<': [id, 1] }, { op: '<', field: 'id', value: 1 }],
  [{ '<=': [id, 1] }, { op: '<=', field: 'id', value: 1 }],
  [{ '>': [id, 1] }, { op: '>', field: 'id', value: 1 }],
  [{ '>=': [id, 1] }, { op: '>=', field: 'id', value: 1 }],
  [{ '<': [1, id] }, { op: '>', field: 'id', value: 1 }],
  [{ '>=': [1, id] }, { op: '<=', field: 'id', value: 1 }],
  [
    { '<=': [1, id, 5] },
    {
      op: 'and',
      of: [
        { op: '>=', field: 'id', value: 1 },
        { op: '<=', field: 'id', value: 5 },
      ],
    },
  ],
  [
    { '<': [1, id, 5] },
    {
      op: 'and',
      of: [
        { op: '>', field: 'id', value: 1 },
        { op: '<', field: 'id', value: 5 },
      ],
    },
  ],
  [{ in: [id, [1, 2, null]] }, { op: 'in', field: 'id', values: [1, 2, null] }],
  [{ in: [id, []] }, { op: 'in', field: 'id', values: [] }],
  [{ in: ['ann', name] }, { op: 'contains', field: 'name', text: 'ann' }],
  [id, not({ op: '==', field: 'id', value: null })],
])('%j is parsed', (given, expected) => {
  expect(read(given)).toEqual(expected)
})

describe('values are parsed as the kind of their field', () => {
  test.each([
    ['id', '12', 12],
    ['id', -3, -3],
    ['score', 0.5, 0.5],
    ['score', -3e10, -3e10],
    ['score', ' -1.25e-2 ', -0.0125],
    ['name', 12, '12'],
    ['name', ' a ', ' a '],
    ['is_new', true, true],
    ['is_new', 'false', false],
    ['date', '2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['date', '2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z'],
    ['date', '2026-03-01T10:00:00.5+02:00', '2026-03-01T08:00:00.500Z'],
    ['date', '2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z'],
    ['date', '2026-03-01 10:00:00.123456+00:00', '2026-03-01T10:00:00.123Z'],
    ['date', 'Sun, 01 Mar 2026 10:00:00 -0500', '2026-03-01T15:00:00.000Z'],
    ['date', null, null],
  ])('%s == %j is parsed', (field, value, expected) => {
    expect(read({ '==': [{ var: field }, value] })).toEqual({ op: '==', field, value: expected })
  })

  test.each([
    ['id', 'abc', 'abc'],
    ['id', 1.5, '1.5'],
    ['id', 2_147_483_648, '2147483648'],
    ['id', true, 'true'],
    ['id', { a: 1 }, '{"a":1}'],
    ['id', [1], '[1]'],
    ['score', 'a half', 'a half'],
    ['score', '.5.', '.5.'],
    ['score', '1e999', '1e999'],
    ['score', '', ''],
    ['score', false, 'false'],
    ['name', true, 'true'],
    ['name', { var: 'id' }, '{"var":"id"}'],
    ['name', 'a\0', 'a\0'],
    ['name', '\ud800', '\ud800'],
    ['is_new', 'perhaps', 'perhaps'],
    ['date', 'yesterday', 'yesterday'],
    ['date', '27/11/2026', '27/11/2026'],
    ['date', '2026-02-30', '2026-02-30'],
    ['date', '0000-01-01', '0000-01-01'],
    ['date', '9999-12-31T23:59:00-05:00', '9999-12-31T23:59:00-05:00'],
    ['date', 20_260_301, '20260301'],
  ])('%s == %j is rejected', (field, value, shown) => {
    const hint =
      field === 'date'
        ? '; write a date as YYYY-MM-DD or YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]'
        : ''
    const expected = `filter: value '${shown}' is not valid for '${field}'${hint}`
    expect(refusal({ '==': [{ var: field }, value] })).toBe(expected)
  })

  test('an invalid value is rejected in every position', () => {
    const expected = "filter: value 'abc' is not valid for 'id'"
    for (const given of [
      { '<': ['abc', id] },
      { '<=': [1, id, 'abc'] },
      { in: [id, [1, 'abc']] },
      { '!': { and: [one, { '!=': [id, 'abc'] }] } },
    ])
      expect(refusal(given)).toBe(expected)
  })

  test('null is rejected in an order comparison', () => {
    expect(refusal({ '<': [id, null] })).toBe("filter: value 'null' is not valid for 'id'")
    expect(refusal({ '<=': [null, id, 3] })).toBe("filter: value 'null' is not valid for 'id'")
  })
})

test.each(['{', "{'a':1}", 'name', '{"==":[{"var":"id"},1]} x'])(
  '%s is rejected as invalid JSON',
  (text) => {
    expect(refusalOf(text)).toMatch(/^filter: can't parse filter expression: ./)
  },
)

test.each(['{}', '[]', '""', 'null'])('%s is rejected as empty', (text) => {
  expect(refusalOf(text)).toBe("filter shouldn't be empty")
})

test.each([
  [1, '1'],
  ['id', 'id'],
  [[one], '[{"==":[{"var":"id"},1]}]'],
  [{ and: [], or: [] }, '{"and":[],"or":[]}'],
  [{ and: [{}] }, '{}'],
  [{ '!': [[]] }, '[]'],
])('%j is not an object with one operator', (given, shown) => {
  const expected = `expected an object with one operator, but got '${shown}'`
  expect(refusal(given)).toBe(`filter: can't parse filter expression: ${expected}`)
})

test.each(['colour', '', 'constructor', '__proto__'])(
  'the unknown field %j is rejected',
  (field) => {
    const expected = `filter: term '${field}' is not supported`
    expect(refusal({ '==': [{ var: field }, 1] })).toBe(expected)
    expect(refusal({ var: field })).toBe(expected)
    expect(refusal({ in: [{ var: field }, [1]] })).toBe(expected)
    expect(refusal({ in: ['a', { var: field }] })).toBe(expected)
  },
)

test.each([
  ['if', [true, 1]],
  ['constructor', [1]],
  ['missing', ['id']],
  ['!', []],
  ['!', [one, one]],
  ['!!', [one, one]],
  ['==', [id]],
  ['==', [id, 1, 2]],
  ['==', [1, 2]],
  ['<', [id]],
  ['<', [id, 1, 2]],
  ['<', [1, 2, 3]],
  ['>', [1, id, 2]],
  ['>=', [1, id, 2]],
  ['<=', [1, id, 2, 3]],
  ['in', [id]],
  ['in', [id, [1], 2]],
  ['in', [name, 'ann']],
  ['in', [['ann'], name]],
  ['in', ['1', id]],
  ['in', ['1', { var: 'score' }]],
  ['var', 5],
  ['var', ['id']],
  ['var', ['id', 1]],
])('%s with the arguments %j is rejected', (op, args) => {
  const expected = `filter: operation '${op}' with arguments '${JSON.stringify(args)}' is not supported`
  expect(refusal({ [op]: args })).toBe(expected)
})

test.each(['and', 'or', '==', '!=', '<', 'in'])('the operator %s requires a list', (op) => {
  for (const [args, shown] of [
    [one, '{"==":[{"var":"id"},1]}'],
    [[], '[]'],
    ['id', 'id'],
    [null, 'null'],
  ] as const)
    expect(refusal({ [op]: args })).toBe(
      `filter: operation '${op}' requires a non-empty list argument, but was given '${shown}'`,
    )
})

describe('limits', () => {
  const tooComplex = 'filter: expression is too complex'
  const nested = (levels: number): object => (levels === 1 ? one : { '!': nested(levels - 1) })
  const wide = (nodes: number) => ({ or: Array.from({ length: nodes - 1 }, () => one) })
  const listed = (items: number) => ({ in: [id, Array.from({ length: items }, (_, n) => n)] })

  test.each([
    ['16 levels', nested(16), nested(17)],
    ['256 nodes', wide(256), wide(257)],
    ['1000 items of a list', listed(1000), listed(1001)],
    [
      '1000 items of all lists',
      { or: [listed(500), listed(500)] },
      { or: [listed(500), listed(501)] },
    ],
  ])('%s are accepted, and one more is rejected', (_, allowed, refused) => {
    expect(read(allowed)).toBeDefined()
    expect(refusal(refused)).toBe(tooComplex)
  })

  test('a deeper expression is rejected without being parsed', () => {
    expect(refusalOf(`${'{"!":'.repeat(5000)}1${'}'.repeat(5000)}`)).toBe(tooComplex)
  })
})

test('a quotation in a rejection is truncated', () => {
  const long = 'x'.repeat(5000)
  for (const given of [{ [long]: [] }, { '==': [{ var: long }, 1] }, { '==': [id, long] }, [long]])
    expect(refusal(given)?.length).toBeLessThan(300)
})
