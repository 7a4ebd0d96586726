import { createFilterSchema, type FieldKind, type Value } from '@reticle/contracts/rest/json-logic'
import fc from 'fast-check'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Migrations } from '../db/migrate.ts'
import { testDb } from '../testing/db.ts'
import { createFilterOracle } from '../testing/json-logic.ts'
import { evaluateFilter } from './evaluate-filter.ts'
import { conditionOf, hasAnyField } from './filter.ts'

/** JSON Logic filters as SQL, on a real database. See docs/spec/rest.md#filters. */

interface Thing {
  id: number
  name: string | null
  size: number | null
  weight: number | null
  is_new: boolean | null
  date: string | null
}
const migrations: Migrations = {
  '0001-things': {
    up: async (db) => {
      await sql`create table things (
        id integer, name text, size integer, weight double precision, is_new boolean, date timestamptz(3))`.execute(
        db,
      )
    },
  },
}
const db = await testDb<{ things: Thing }>(migrations, 'filters')

const kinds = {
  id: 'integer',
  name: 'text',
  size: 'integer',
  weight: 'number',
  is_new: 'flag',
  date: 'date',
} as const satisfies Record<keyof Thing, FieldKind>
const filter = createFilterSchema(kinds)

/** Compares texts by their characters, independent of the collation of the database. */
const columnOf = (name: string) =>
  name === 'name' ? sql`things.name collate "C"` : sql.ref(`things.${name}`)

async function found(given: unknown): Promise<number[]> {
  const expression = filter.parse(JSON.stringify(given))
  const rows = await db
    .selectFrom('things')
    .select('id')
    .where(conditionOf(expression, columnOf))
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

async function store(things: readonly Thing[]) {
  await sql`truncate things`.execute(db)
  if (things.length > 0)
    await db
      .insertInto('things')
      .values([...things])
      .execute()
}

const [first, last] = ['2026-03-01T10:00:00.000Z', '2026-03-02T00:00:00.000Z']

describe('a filter on stored rows', async () => {
  const rows: Thing[] = [
    { id: 1, name: 'Car', size: 5, weight: 0.1, is_new: true, date: first },
    { id: 2, name: 'scar_1', size: 7, weight: -2.5, is_new: false, date: last },
    { id: 3, name: '50%', size: 9, weight: 1e20, is_new: null, date: null },
    { id: 4, name: null, size: null, weight: null, is_new: true, date: null },
  ]
  await store(rows)
  const [name, size, date] = [{ var: 'name' }, { var: 'size' }, { var: 'date' }]
  const weight = { var: 'weight' }

  test.each([
    [{ and: [{ '>': [size, 5] }, { '<': [size, 9] }] }, [2]],
    [{ or: [{ '==': [size, 5] }, { '==': [size, 9] }] }, [1, 3]],
    [{ '!': { '==': [size, 5] } }, [2, 3, 4]],
    [{ '!': [{ '<': [size, 8] }] }, [3, 4]],
    [{ '!': { or: [{ '==': [size, 5] }, { '!': { '<': [size, 8] } }] } }, [2]],
    [{ '!!': { '==': [size, 5] } }, [1]],
    [{ '==': [name, 'Car'] }, [1]],
    [{ '==': [name, 'car'] }, []],
    [{ '==': [size, null] }, [4]],
    [{ '==': [{ var: 'is_new' }, false] }, [2]],
    [{ '==': [name, "' or true --"] }, []],
    [{ '!=': [size, 5] }, [2, 3, 4]],
    [{ '!=': [size, null] }, [1, 2, 3]],
    [{ '<=': [size, 7] }, [1, 2]],
    [{ '<': [7, size] }, [3]],
    [{ '<=': [5, size, 7] }, [1, 2]],
    [{ '<': [5, size, 9] }, [2]],
    [{ '<': [9, size, 5] }, []],
    [{ '==': [weight, 0.1] }, [1]],
    [{ '<': [weight, 0.3] }, [1, 2]],
    [{ in: [weight, [1e20, -2.5, 7]] }, [2, 3]],
    [{ '!=': [weight, 0.1] }, [2, 3, 4]],
    [{ '==': [date, '2026-03-02'] }, [2]],
    [{ '<': [date, '2026-03-02'] }, [1]],
    [{ '>=': [date, '2026-03-01T12:00:00+02:00'] }, [1, 2]],
    [{ '<=': ['2026-03-01', date, '2026-03-01T23:59:59Z'] }, [1]],
    [{ in: [size, [5, 9, 11]] }, [1, 3]],
    [{ in: [size, []] }, []],
    [{ in: [size, [5, null]] }, [1, 4]],
    [{ '!': { in: [size, []] } }, [1, 2, 3, 4]],
    [{ in: [name, ['Car', '50%', "a'b", 'a,b', '{"']] }, [1, 3]],
    [{ in: [date, ['2026-03-02T00:00:00Z']] }, [2]],
    [{ in: [{ var: 'is_new' }, [true]] }, [1, 4]],
    [{ in: ['CAR', name] }, [1, 2]],
    [{ in: ['r_1', name] }, [2]],
    [{ in: ['r%', name] }, []],
    [{ in: ['%', name] }, [3]],
    [{ in: ['\\', name] }, []],
    [{ in: ['', name] }, [1, 2, 3]],
    [size, [1, 2, 3]],
    [{ var: 'is_new' }, [1, 2, 4]],
  ])('%j finds %j', async (given, expected) => {
    expect(await found(given)).toEqual(expected)
    expect(held(given, rows)).toEqual(expected)
  })
})

test('the fields of an expression are known', () => {
  const given = { and: [{ var: 'id' }, { '!': { in: [{ var: 'size' }, [1]] } }] }
  const expression = filter.parse(JSON.stringify(given))
  expect(hasAnyField(expression, ['name', 'size'])).toBe(true)
  expect(hasAnyField(expression, ['name', 'date'])).toBe(false)
})

/** Values from small sets, so that rows and expressions often match. */
const values = {
  id: fc.integer({ min: 1, max: 12 }),
  name: fc.constantFrom('', 'a', 'ab', 'B', 'aB', '50%', '_', '\\', "o'b", '"q"', '{a,b}', 'null'),
  size: fc.integer({ min: -2, max: 2 }),
  weight: fc.constantFrom(-1, 0, 0.1, 0.5, 1e10),
  is_new: fc.boolean(),
  date: fc.constantFrom(first, last, '2026-03-03T00:00:00.001Z'),
}
/** Operands for comparisons; dates also include the same moment in other notations. */
const asked = {
  ...values,
  date: fc.constantFrom(first, last, '2026-03-02', '2026-03-01T12:00:00+02:00', '2026-03-03'),
}
const things = fc.array(
  fc.record({
    id: values.id,
    name: fc.option(values.name),
    size: fc.option(values.size),
    weight: fc.option(values.weight),
    is_new: fc.option(values.is_new),
    date: fc.option(values.date),
  }),
  { maxLength: 12 },
)

const fields = fc.constantFrom(...(Object.keys(kinds) as (keyof Thing)[]))
const equals = fc.constantFrom('==', '===', '!=', '!==')
const orders = fc.constantFrom('<', '<=', '>', '>=')
const betweens = fc.constantFrom('<', '<=')
const leaf = fields.chain((field) => {
  const column = { var: field }
  const value: fc.Arbitrary<unknown> = asked[field]
  return fc.oneof(
    fc.constant<unknown>(column),
    fc.tuple(equals, fc.option(value)).map(([op, one]) => ({ [op]: [column, one] })),
    fc.tuple(equals, value).map(([op, one]) => ({ [op]: [one, column] })),
    fc.tuple(orders, value).map(([op, one]) => ({ [op]: [column, one] })),
    fc.tuple(orders, value).map(([op, one]) => ({ [op]: [one, column] })),
    fc.tuple(betweens, value, value).map(([op, low, high]) => ({ [op]: [low, column, high] })),
    fc.array(fc.option(value), { maxLength: 4 }).map((list) => ({ in: [column, list] })),
    values.name.map((text) => ({ in: [text, { var: 'name' }] })),
  )
})
const { expression } = fc.letrec<{ expression: unknown }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ and: fc.array(tie('expression'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('expression'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ '!': tie('expression') }),
    tie('expression').map((one) => ({ '!': [one] })),
    fc.record({ '!!': tie('expression') }),
  ),
}))

const isTrue = createFilterOracle(kinds)

/** Returns the matching rows without a database. */
function held(given: unknown, rows: readonly Thing[]): number[] {
  const expression = filter.parse(JSON.stringify(given))
  return rows
    .filter((row) => evaluateFilter(expression, (name) => readField(row, name)))
    .map(({ id }) => id)
}

const readField = (row: Thing, name: string): Value =>
  new Map(Object.entries(row)).get(name) ?? null

test('SQL, an in-memory evaluation and json-logic-js find the same rows', async () => {
  const numbered = things.map((rows) => rows.map((row, index) => ({ ...row, id: index + 1 })))
  const expressions = fc.array(expression, { minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(numbered, expressions, async (rows, given) => {
      await store(rows)
      for (const one of given) {
        const expected = rows.filter((row) => isTrue(one, { ...row })).map(({ id }) => id)
        expect(await found(one), JSON.stringify(one)).toEqual(expected)
        expect(held(one, rows), JSON.stringify(one)).toEqual(expected)
      }
    }),
    { numRuns: 60, seed: 20_260_301 },
  )
}, 60_000)
