import { setTimeout as sleep } from 'node:timers/promises'
import { type Kysely, type Migration, type RawBuilder, sql } from 'kysely'
import { openDatabase } from './connect.ts'
import { isLockTimeout } from './errors.ts'

/**
 * One step of a schema. A step with `transactional: false` must tolerate
 * being repeated; `indexStep` builds such a step for an index.
 */
export type MigrationStep = Migration & { transactional?: boolean }

/** All steps by name (`0001-projects`), applied in the order of their names. A released step never changes. */
export type Migrations = Readonly<Record<string, MigrationStep>>

export interface DatabaseSchema {
  schema: string
  migrations: Migrations
}

const table = 'migrations'
const lockTries = 10

/**
 * Migrates `schema` to the last step, each step in a separate transaction, with one runner per database at a time. A
 * schema that is newer than these steps is left as it is.
 * @throws Error naming the schema and the failed step; the steps before it stay applied
 */
export async function migrateSchema(
  url: string,
  { schema, migrations }: DatabaseSchema,
): Promise<void> {
  const { db, close } = openDatabase<unknown>(url, {
    application: `migrate ${schema}`,
    max: 2,
    statement_timeout: 0,
    lock_timeout: 5000,
    idle_in_transaction_session_timeout: 0,
    wait_timeout: 10_000,
    search_path: [schema, 'bus'],
  })
  try {
    await db.connection().execute(async (session) => {
      await becomeRunner(session)
      await createSchema(session, schema)
      await createTable(session, schema)
      for (const name of await missingSteps(session, { schema, migrations })) {
        await runStep(db, { schema, migrations }, name)
      }
    })
  } finally {
    await close()
  }
}

/**
 * Builds a step that creates an index while its table is in use. An interrupted attempt leaves an invalid index, which
 * would pass for the index although queries cannot use it, so it is dropped first. The creation waits for every open
 * transaction, without blocking others.
 * @param on table and columns: sql`tasks (priority)`
 */
export const indexStep = (name: string, on: RawBuilder<unknown>): MigrationStep => ({
  transactional: false,
  up: async (db) => {
    const half = await sql`
      select from pg_index where indexrelid = to_regclass(${name}) and not indisvalid`.execute(db)
    await sql`set lock_timeout = 0`.execute(db)
    if (half.rows.length > 0) await sql`drop index concurrently ${sql.id(name)}`.execute(db)
    await sql`create index concurrently if not exists ${sql.id(name)} on ${on}`.execute(db)
    await sql`reset lock_timeout`.execute(db)
  },
})

/**
 * Rejects a schema older than `migrations`; a newer one is accepted.
 * @throws Error naming the missing steps and what to do
 */
export async function assertMigrated<T>(db: Kysely<T>, wanted: DatabaseSchema): Promise<void> {
  const missing = await missingSteps(db, wanted)
  if (missing.length === 0) return
  throw new Error(
    `schema "${wanted.schema}" is older than this program: ${missing.join(', ')} not applied; run the migrations first`,
  )
}

/**
 * Polls until no other session of this database migrates. A blocking statement would be an open transaction, for whose
 * end `create index concurrently` in the other session would wait.
 */
async function becomeRunner(session: Kysely<unknown>): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ is_runner: boolean }>`
      select pg_try_advisory_lock(hashtext('migrations')) as is_runner`.execute(session)
    if (rows[0]?.is_runner) return
    await sleep(50)
  }
}

/**
 * Creates the schema after checking that it is missing: `create schema if not exists` needs a privilege on the database
 * that the owner of a schema lacks.
 */
async function createSchema(db: Kysely<unknown>, schema: string): Promise<void> {
  const found = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(db)
  if (found.rows.length === 0) await sql`create schema ${sql.id(schema)}`.execute(db)
}

/**
 * Creates the table of applied steps. Its names and types are those of the
 * migrator of Kysely, which created it in earlier releases.
 */
async function createTable(db: Kysely<unknown>, schema: string): Promise<void> {
  await sql`
    create table if not exists ${sql.id(schema, table)} (
      name varchar(255) primary key, timestamp varchar(255) not null
    )`.execute(db)
}

async function missingSteps<T>(
  db: Kysely<T>,
  { schema, migrations }: DatabaseSchema,
): Promise<string[]> {
  const known = await sql`select to_regclass(${`${schema}.${table}`}) as name`.execute(db)
  const applied = new Set<string>()
  if ((known.rows[0] as { name: string | null }).name !== null) {
    const rows = await sql<{ name: string }>`
      select name from ${sql.id(schema, table)}`.execute(db)
    for (const { name } of rows.rows) applied.add(name)
  }
  const missing = Object.keys(migrations).filter((name) => !applied.has(name))
  return missing.sort()
}

async function runStep(db: Kysely<unknown>, { schema, migrations }: DatabaseSchema, name: string) {
  const step = migrations[name]
  if (!step) return
  for (let tries = 1; ; tries++) {
    const error = await apply(db, schema, { name, ...step }).catch((thrown: unknown) => thrown)
    if (!error) return
    if (!isLockTimeout(error) || tries === lockTries) {
      throw new Error(`migration ${name} of schema "${schema}" failed: ${text(error)}`, {
        cause: error,
      })
    }
    await sleep(200 * tries)
  }
}

/** Applies a step and records it, in one transaction unless the step cannot be part of one. */
async function apply(
  db: Kysely<unknown>,
  schema: string,
  { name, up, transactional = true }: MigrationStep & { name: string },
): Promise<void> {
  const run = async (session: Kysely<unknown>) => {
    await up(session)
    await sql`insert into ${sql.id(schema, table)} (name, timestamp)
      values (${name}, ${new Date().toISOString()})`.execute(session)
  }
  await (transactional ? db.transaction().execute(run) : db.connection().execute(run))
}

const text = (error: unknown) => (error instanceof Error ? error.message : String(error))
