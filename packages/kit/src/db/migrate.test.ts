import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing/db.ts'
import { openDatabase } from './connect.ts'
import { assertMigrated, indexStep, type Migrations, migrateSchema } from './migrate.ts'

const first: Migrations = {
  '0001-things': {
    up: async (db) => {
      await sql`create table things (id integer generated always as identity, note text)`.execute(
        db,
      )
    },
  },
}
const { db, url } = await testDatabase<Tables>([{ schema: 'one', migrations: first }])
interface Tables {
  things: { id: number; note: string }
}

const adds = (name: string): Migrations => ({
  [name]: {
    up: async (db) =>
      sql`alter table things add column ${sql.id(name)} int`.execute(db).then(() => undefined),
  },
})

test('migrations create their tables in their schema', async () => {
  const { rows } = await sql<{ table_schema: string }>`
    select table_schema from information_schema.tables where table_name = 'things'`.execute(db)
  expect(rows).toEqual([{ table_schema: 'one' }])
})

test('repeated migrations change nothing', async () => {
  await db
    .insertInto('things')
    .values({ note: 'kept' } as never)
    .execute()
  await migrateSchema(url, { schema: 'one', migrations: first })
  expect(await db.selectFrom('things').select('note').execute()).toEqual([{ note: 'kept' }])
})

test('a failing step is named in the error, and only this step is rolled back', async () => {
  const migrations: Migrations = {
    ...first,
    ...adds('0002-good'),
    '0003-bad': {
      up: async (given) => {
        await sql`create table half (id int)`.execute(given)
        await sql`select 1 / 0`.execute(given)
      },
    },
  }
  const attempt = migrateSchema(url, { schema: 'one', migrations })
  await expect(attempt).rejects.toThrow(
    'migration 0003-bad of schema "one" failed: division by zero',
  )

  const { rows } = await sql`select to_regclass('one.half') as half`.execute(db)
  expect(rows).toEqual([{ half: null }])
  await sql`select "0002-good" from things`.execute(db)
})

test('a schema older than the program is rejected, and a newer one is accepted', async () => {
  const older = assertMigrated(db, {
    schema: 'one',
    migrations: { ...first, ...adds('0009-later') },
  })
  await expect(older).rejects.toThrow(
    'schema "one" is older than this program: 0009-later not applied',
  )
  await assertMigrated(db, { schema: 'one', migrations: first })
  await migrateSchema(url, { schema: 'one', migrations: first })
})

test('a missing schema is older than every program', async () => {
  const never = assertMigrated(db, { schema: 'two', migrations: first })
  await expect(never).rejects.toThrow('0001-things not applied')
})

const indexed: Migrations = {
  ...first,
  '0002-index': indexStep('things_note_idx', sql`things (note)`),
}

test('eight concurrent starts migrate each of two schemas once, with indexes', async () => {
  const schemas = Array.from({ length: 8 }, (_, n) => ({
    schema: `race_${n % 2}`,
    migrations: indexed,
  }))
  await Promise.all(schemas.map((schema) => migrateSchema(url, schema)))
  for (const schema of schemas) await assertMigrated(db, schema)
})

test('an index is created outside of a transaction', async () => {
  await migrateSchema(url, { schema: 'apart', migrations: indexed })
  expect(await isIndexValid('apart.things_note_idx')).toBe(true)
})

test('an invalid index of an interrupted attempt is created again', async () => {
  await migrateSchema(url, { schema: 'half', migrations: first })
  await sql`insert into half.things (note) values ('twice'), ('twice')`.execute(db)
  const broken = sql`create unique index concurrently things_note_idx on half.things (note)`
  await expect(broken.execute(db)).rejects.toThrow('could not create unique index')
  expect(await isIndexValid('half.things_note_idx')).toBe(false)

  await migrateSchema(url, { schema: 'half', migrations: indexed })
  expect(await isIndexValid('half.things_note_idx')).toBe(true)
})

test('the creation of an index waits for readers longer than the lock timeout', async () => {
  await migrateSchema(url, { schema: 'busy', migrations: first })
  const reading = db.transaction().execute(async (tx) => {
    await sql`select from busy.things`.execute(tx)
    await sql`select pg_sleep(0.4)`.execute(tx)
  })
  await db.connection().execute(async (session) => {
    await sql`set lock_timeout = '50ms'`.execute(session)
    await indexStep('things_note_idx', sql`busy.things (note)`).up(session)
  })
  await reading
  expect(await isIndexValid('busy.things_note_idx')).toBe(true)
})

async function isIndexValid(name: string): Promise<boolean | undefined> {
  const { rows } = await sql<{ indisvalid: boolean }>`
    select indisvalid from pg_index where indexrelid = to_regclass(${name})`.execute(db)
  return rows[0]?.indisvalid
}

test('a step waits for a locked table', async () => {
  const other = openDatabase<Tables>(url, { application: 'other', search_path: ['one'] })
  const holding = other.db.transaction().execute(async (tx) => {
    await sql`lock table things in access share mode`.execute(tx)
    await sql`select pg_sleep(0.3)`.execute(tx)
  })
  const migrations: Migrations = {
    '0005-patient': {
      up: async (given) => {
        await sql`set local lock_timeout = '50ms'`.execute(given)
        await sql`alter table one.things add column patient int`.execute(given)
      },
    },
  }
  await migrateSchema(url, { schema: 'patient', migrations })
  await holding
  await sql`select patient from things`.execute(db)
  await other.close()
})
