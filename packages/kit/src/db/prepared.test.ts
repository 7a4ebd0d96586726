import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDb } from '../testing/db.ts'
import { queryTexts, runPrepared } from './prepared.ts'

const db = await testDb<unknown>({}, 'texts')

test('columns of any type are read as text, and null as null', async () => {
  const text = 'select 1.50::float8, true, $1::text, null::int from generate_series(1, $2::int)'
  const rows = await queryTexts(db, { name: 'texts', text }, ['ä', 2])
  expect(rows).toEqual([
    ['1.5', 't', 'ä', null],
    ['1.5', 't', 'ä', null],
  ])
})

test('a statement is planned once per connection', async () => {
  const statement = { name: 'planned_once', text: 'select $1::int' }
  const { rows } = await db.connection().execute(async (session) => {
    await queryTexts(session, statement, [1])
    await queryTexts(session, statement, [2])
    return sql`select name from pg_prepared_statements where name = 'planned_once'`.execute(session)
  })
  expect(rows).toEqual([{ name: 'planned_once' }])
})

test('a built query keeps its name and plan with other values', async () => {
  const { found, names } = await db.connection().execute(async (session) => {
    const ask = (value: number) =>
      runPrepared(
        session,
        'put_together',
        sql<{ twice: number }>`select 2 * ${value}::int as twice`,
      )
    const found = [...(await ask(1)), ...(await ask(21))]
    const { rows } =
      await sql`select from pg_prepared_statements where name = 'put_together'`.execute(session)
    return { found, names: rows.length }
  })
  expect([found, names]).toEqual([[{ twice: 2 }, { twice: 42 }], 1])
})
