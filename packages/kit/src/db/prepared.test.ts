import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDb } from '../testing/db.ts'
import { queryTexts } from './prepared.ts'

const db = await testDb<unknown>({}, 'texts')

test('columns come as texts, null as null, whatever their type', async () => {
  const text = 'select 1.50::float8, true, $1::text, null::int from generate_series(1, $2::int)'
  const rows = await queryTexts(db, { name: 'texts', text }, ['ä', 2])
  expect(rows).toEqual([
    ['1.5', 't', 'ä', null],
    ['1.5', 't', 'ä', null],
  ])
})

test('a statement is planned once for a connection', async () => {
  const statement = { name: 'planned_once', text: 'select $1::int' }
  const { rows } = await db.connection().execute(async (session) => {
    await queryTexts(session, statement, [1])
    await queryTexts(session, statement, [2])
    return sql`select name from pg_prepared_statements where name = 'planned_once'`.execute(session)
  })
  expect(rows).toEqual([{ name: 'planned_once' }])
})
