import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDb } from '../testing/db.ts'
import { buildSearchConditions, termsOf } from './search.ts'

/** Terms of `search`. See docs/spec/rest.md#lists. */

test.each([
  ['', []],
  [' , ,', []],
  ['street', ['street']],
  ['street scenes', ['street', 'scenes']],
  ['street,scenes,,night', ['street', 'scenes', 'night']],
  ['"street scenes" night', ['street scenes', 'night']],
  ["'a, b' c", ['a, b', 'c']],
  ['" a "', ['a']],
  ['""', []],
  ['"street scenes', ['"street', 'scenes']],
  ["don't stop", ["don't", 'stop']],
  ['a"b c"', ['a"b', 'c"']],
  ['50%_\\', ['50%_\\']],
])('%j is split into the terms %j', (search, terms) => {
  expect(termsOf(search)).toEqual(terms)
})

const db = await testDb<Record<never, never>>({}, 'search')
const names = [
  'Street scenes',
  'street',
  '50%',
  '500',
  'a_b',
  'acb',
  'back\\slash',
  'slash',
  'ÉCOLE',
]

async function found(search: string, owner = 'anna') {
  const columns = [sql.ref('name'), sql`${owner}::text`]
  const conditions = buildSearchConditions(search, columns)
  const { rows } = await sql<{ name: string }>`
    select name from unnest(${names}::text[]) as name
    where ${conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`}`.execute(db)
  return rows.map(({ name }) => name)
}

test.each([
  ['STREET', ['Street scenes', 'street']],
  ['street scenes', ['Street scenes']],
  ['scenes street', ['Street scenes']],
  ['"street scenes"', ['Street scenes']],
  ['"scenes street"', []],
  ['cen', ['Street scenes']],
  ['%', ['50%']],
  ['50%', ['50%']],
  ['a_b', ['a_b']],
  ['\\', ['back\\slash']],
  ['k\\s', ['back\\slash']],
  ["' or true", []],
  ['école', ['ÉCOLE']],
  ['street ann', ['Street scenes', 'street']],
  ['', names],
])('%j finds %j', async (search, expected) => {
  expect(await found(search)).toEqual(expected)
})

test('a field without a value matches no term', async () => {
  const conditions = buildSearchConditions('a', [sql`null::text`])
  const { rows } = await sql`select 1 where ${sql.join(conditions)}`.execute(db)
  expect(rows).toEqual([])
})
