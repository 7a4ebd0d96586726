import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { testDatabase } from '../testing/db.ts'
import { openDatabase } from './connect.ts'
import { type Migrations, migrateSchema } from './migrate.ts'
import { ownerOf, provisionSchemas, writerOf } from './provision.ts'

/** Roles belong to the whole server, so each run uses unique names. */
const run = randomBytes(3).toString('hex')
const [cats, dogs, log] = [`cats_${run}`, `dogs_${run}`, `log_${run}`]
const admin = await testDatabase<object>([])
const passwordOf = (role: string) => `${role}'s`
const wanted = { admin: admin.url, schemas: [cats, dogs], shared: log, passwordOf }
const access = await provisionSchemas(wanted)

const oneTable: Migrations = {
  '0001-rows': {
    up: async (db) => {
      await sql`create table rows (id integer generated always as identity, note text)`.execute(db)
    },
  },
}
for (const { owner, schema } of [cats, dogs].map((schema) => ({ schema, ...of(schema) }))) {
  await migrateSchema(owner, { schema, migrations: oneTable })
}
await admin.pool.query(
  `set role ${ownerOf(log)}; create table ${log}.lines (note text); reset role`,
)

afterAll(async () => {
  for (const role of [cats, dogs, log].flatMap((schema) => [writerOf(schema), ownerOf(schema)])) {
    await admin.pool.query(`drop owned by ${role} cascade; drop role ${role}`)
  }
})

test('a service reads and writes its rows without naming its schema', async () => {
  const db = openDatabase<{ rows: { note: string } }>(of(cats).writer, { application: 'test' })
  await db.db.insertInto('rows').values({ note: 'tom' }).execute()
  expect(await db.db.selectFrom('rows').select('note').execute()).toEqual([{ note: 'tom' }])
  await db.close()
})

test('a service cannot read the rows of another one', async () => {
  await expect(as(of(dogs).writer, `select * from ${cats}.rows`)).rejects.toThrow(
    `permission denied for schema ${cats}`,
  )
})

test('a service cannot change its tables, only their rows', async () => {
  const { writer } = of(cats)
  await expect(as(writer, 'alter table rows add column more int')).rejects.toThrow('must be owner')
  await expect(as(writer, 'create table mine ()')).rejects.toThrow('permission denied')
})

test('every service reads and writes the shared schema', async () => {
  await as(of(cats).writer, `insert into lines values ('from cats')`)
  expect(await as(of(dogs).writer, 'select note from lines')).toEqual([{ note: 'from cats' }])
})

test('a repeated run keeps rows and changes passwords', async () => {
  const again = await provisionSchemas({ ...wanted, passwordOf: () => 'new' })
  expect(await as(again.get(cats)?.writer ?? '', 'select note from rows')).toEqual([
    { note: 'tom' },
  ])
  await expect(as(of(cats).writer, 'select 1')).rejects.toThrow('password authentication failed')
})

function of(schema: string) {
  const found = access.get(schema)
  if (!found) throw new Error(`no access to ${schema}`)
  return found
}

async function as(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(text)
    return rows
  } finally {
    await client.end()
  }
}
