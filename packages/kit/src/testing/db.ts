import { createHash, randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { type Database, openDatabase } from '../db/connect.ts'
import { type DatabaseSchema, type Migrations, migrateSchema } from '../db/migrate.ts'

/** Values that the global setup provides to test files (`tests/support/postgres-setup.ts`). */
export interface TestServer {
  /** Address of the administrator of the PostgreSQL of this run. */
  url: string
  /** Prefix of the names of all databases of this run; the setup drops the remaining ones. */
  prefix: string
}

declare module 'vitest' {
  interface ProvidedContext {
    postgres: TestServer
  }
}

export interface TestDatabase<T> extends Database<T> {
  /** Address for code that opens separate connections: relays, listeners, child processes. */
  url: string
}

/** Creates a migrated database for this test file on a real server, and drops it after the file. */
export async function testDb<T>(migrations: Migrations, schema: string): Promise<Kysely<T>> {
  const { db } = await testDatabase<T>([{ schema, migrations }])
  return db
}

/**
 * Creates such a database with its address and pool, and with several schemas, as in a single-process installation. The
 * search path is the first schema, the others and `bus`. It is cloned from a template that is migrated once per run;
 * cloning takes about 30 ms.
 */
export async function testDatabase<T>(
  schemas: readonly DatabaseSchema[],
): Promise<TestDatabase<T>> {
  const server = inject('postgres')
  const name = `${server.prefix}${randomBytes(6).toString('hex')}`
  const url = at(server.url, name)
  await asAdmin(server.url, async (admin) => {
    const template = await findTemplate(admin, server, schemas)
    await admin.query(`create database ${name} template ${template} strategy file_copy`)
  })
  const database = openDatabase<T>(url, {
    application: 'test',
    search_path: [...schemas.map(({ schema }) => schema), 'bus'],
    wait_timeout: 10_000,
  })
  afterAll(async () => {
    await database.close()
    await asAdmin(server.url, (admin) =>
      admin.query(`drop database if exists ${name} with (force)`),
    )
  })
  return { ...database, url }
}

/**
 * Returns the migrated template of these schemas. The first test file
 * that needs it creates it, and others wait for that.
 */
async function findTemplate(
  admin: pg.Client,
  server: TestServer,
  schemas: readonly DatabaseSchema[],
) {
  const name = `${server.prefix}template_${digest(schemas)}`
  await admin.query('select pg_advisory_lock(hashtext($1))', [name])
  const known = await admin.query('select 1 from pg_database where datname = $1', [name])
  if (known.rowCount === 0) {
    const draft = `${name}_new`
    await admin.query(`drop database if exists ${draft} with (force)`)
    await admin.query(`create database ${draft}`)
    for (const schema of schemas) await migrateSchema(at(server.url, draft), schema)
    await admin.query(`alter database ${draft} rename to ${name}`)
    await admin.query(`alter database ${name} allow_connections false`)
  }
  await admin.query('select pg_advisory_unlock(hashtext($1))', [name])
  return name
}

function digest(schemas: readonly DatabaseSchema[]): string {
  const hash = createHash('sha256')
  for (const { schema, migrations } of schemas) {
    hash.update(schema)
    for (const [name, { up }] of Object.entries(migrations)) hash.update(`${name}${up}`)
  }
  return hash.digest('hex').slice(0, 16)
}

async function asAdmin<R>(url: string, run: (admin: pg.Client) => Promise<R>): Promise<R> {
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  try {
    return await run(admin)
  } finally {
    await admin.end()
  }
}

/** Returns the address of another database on the same server. */
function at(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
