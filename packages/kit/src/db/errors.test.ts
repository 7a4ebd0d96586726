import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/db.ts'
import { openDatabase } from './connect.ts'
import { fromDatabase, isTransient, retrySerialization } from './errors.ts'
import type { Migrations } from './migrate.ts'

interface Tables {
  things: { id: number; name: string; parent_id: number | null; data: unknown }
}
const migrations: Migrations = {
  '0001-things': {
    up: async (db) => {
      await sql`
        create table things (
          id integer primary key,
          name varchar(5) not null constraint things_name_key unique,
          parent_id integer constraint things_parent_id_fk references things,
          data jsonb
        )`.execute(db)
      await sql`insert into things (id, name) values (1, 'one'), (2, 'two')`.execute(db)
    },
  },
}
const { db, url } = await testDatabase<Tables>([{ schema: 'errors', migrations }])

const insert = async (values: Partial<Tables['things']>) => {
  const row = { id: 9, name: 'nine', parent_id: null, data: null, ...values }
  return db.insertInto('things').values(row).execute()
}
const failure = async (attempt: Promise<unknown>) =>
  attempt.then(
    () => undefined,
    (thrown) => thrown,
  )

test('a duplicate name is a conflict, or a field error if the constraint has a text', async () => {
  const thrown = await failure(insert({ name: 'one' }))
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'conflict' })
  const violations = { things_name_key: { field: 'name', text: 'This name is taken.' } }
  expect(fromDatabase(thrown, violations)).toMatchObject({
    kind: 'invalid',
    body: { name: ['This name is taken.'] },
  })
})

test('a reference to a missing row is invalid', async () => {
  const thrown = await failure(insert({ parent_id: 77 }))
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'invalid' })
  expect(fromDatabase(thrown, { things_parent_id_fk: 'No such parent.' })).toMatchObject({
    message: 'No such parent.',
  })
})

test.each([
  ['too long', () => insert({ name: 'too long' })],
  ['out of range', () => insert({ id: 2 ** 40 })],
  ['NUL', () => insert({ name: 'a\0b' })],
  ['NUL in json', () => insert({ data: JSON.stringify('a\0b') })],
  ['no number', () => sql`select * from things where id = ${'x'}`.execute(db)],
])('a value that cannot be stored is invalid: %s', async (_, attempt) => {
  expect(fromDatabase(await failure(attempt()))).toMatchObject({ kind: 'invalid' })
})

test('a locked row is a conflict with a retry delay, and transient', async () => {
  const thrown = await db.transaction().execute(async (tx) => {
    await sql`select * from things where id = 1 for update`.execute(tx)
    return failure(sql`select * from things where id = 1 for update nowait`.execute(db))
  })
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'conflict', retry_after: 1 })
  expect(isTransient(thrown)).toBe(true)
})

test('a statement that takes too long is unavailable', async () => {
  const slow = openDatabase<Tables>(url, { application: 'slow', statement_timeout: 50 })
  const thrown = await failure(sql`select pg_sleep(5)`.execute(slow.db))
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'unavailable' })
  await slow.close()
})

test('a timeout of the wait for a connection is unavailable', async () => {
  const small = openDatabase<Tables>(url, { application: 'small', max: 1, wait_timeout: 100 })
  const thrown = await small.db
    .connection()
    .execute(async () => failure(sql`select 1`.execute(small.db)))
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'unavailable' })
  await small.close()
})

test('a lost or refused connection is unavailable and transient', async () => {
  const cut = openDatabase<Tables>(url, { application: 'cut', max: 1 })
  const thrown = await failure(sql`select pg_terminate_backend(pg_backend_pid())`.execute(cut.db))
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'unavailable' })
  expect(isTransient(thrown)).toBe(true)
  await sql`select 1`.execute(cut.db)
  await cut.close()

  const nowhere = openDatabase<Tables>('postgres://x:y@127.0.0.1:1/z', { application: 'nowhere' })
  expect(fromDatabase(await failure(sql`select 1`.execute(nowhere.db)))).toMatchObject({
    kind: 'unavailable',
  })
  await nowhere.close()
})

test('a password that was changed meanwhile is unavailable and transient', async () => {
  const changed = new URL(url)
  changed.password = 'of yesterday'
  const { db: refused, close } = openDatabase(changed.href, { application: 'changed' })
  const thrown = await failure(sql`select 1`.execute(refused))
  expect(thrown).toMatchObject({ code: '28P01' })
  expect(fromDatabase(thrown)).toMatchObject({ kind: 'unavailable' })
  expect(isTransient(thrown)).toBe(true)
  await close()
})

test('a programming error is not converted', async () => {
  expect(fromDatabase(await failure(sql`select nonsense`.execute(db)))).toBeUndefined()
  expect(fromDatabase(new TypeError('x'))).toBeUndefined()
})

test('two transactions that block each other both succeed in the end', async () => {
  const swap = (first: number, second: number) =>
    retrySerialization(() =>
      db.transaction().execute(async (tx) => {
        await sql`update things set data = '1' where id = ${first}`.execute(tx)
        await sql`select pg_sleep(0.1)`.execute(tx)
        await sql`update things set data = '2' where id = ${second}`.execute(tx)
      }),
    )
  await Promise.all([swap(1, 2), swap(2, 1)])
})
