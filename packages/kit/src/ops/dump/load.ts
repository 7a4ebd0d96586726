import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { quoted } from './catalog.ts'
import { openSession } from './dump.ts'
import type { Checksums, DumpManifest, SchemaContent, Sequences, TableContent } from './manifest.ts'

/** Load of rows into a database with the same migrations as the backup, in one transaction. */
export interface DatabaseLoad {
  /** Adds one part of a table, compressed as it was written. */
  addPart: (schema: string, table: string, chunks: AsyncIterable<Uint8Array>) => Promise<void>
  setSequences: (sequences: Sequences) => Promise<void>
  /**
   * Commits if the rows match the checksums.
   * @throws Error naming the table whose rows differ; then nothing is kept
   */
  commit: (expected: Checksums['tables']) => Promise<void>
  /** Ends the session, and rolls back without a commit. */
  close: () => Promise<void>
}

interface ForeignKey {
  table: string
  name: string
  definition: string
}

/**
 * Opens a load: empties the tables and drops their foreign keys until
 * `commit`, so that tables can be filled in any order.
 * @param url address with a role that owns the tables, or is a member of the roles that do
 */
export async function openLoad(url: string, { schemas }: DumpManifest): Promise<DatabaseLoad> {
  const client = await openSession(url, 'restore')
  const known = new Map(
    schemas.flatMap(({ schema, tables }) =>
      tables.map((table) => [`${schema}.${table.name}`, table] as const),
    ),
  )
  const sums = new Map<string, { rows: number; hash: Hash }>()
  const sumOf = (name: string) => {
    const sum = sums.get(name) ?? { rows: 0, hash: createHash('sha256') }
    sums.set(name, sum)
    return sum
  }
  let keys: ForeignKey[] = []
  try {
    await client.query('begin')
    keys = await foreignKeys(client, schemas)
    await dropForeignKeys(client, keys)
    for (const one of schemas) await emptySchema(client, one)
  } catch (thrown) {
    await client.end().catch(() => undefined)
    throw thrown
  }
  return {
    addPart: async (schema, name, chunks) => {
      const table = known.get(`${schema}.${name}`)
      if (!table)
        throw new Error(`the backup has rows of ${schema}.${name}, which it does not list`)
      const sum = sumOf(`${schema}.${name}`)
      sum.rows += await copyPart(client, { schema, table }, { chunks, hash: sum.hash })
    },
    setSequences: (sequences) => setSequences(client, sequences),
    commit: async (expected) => {
      for (const name of known.keys()) {
        const { rows, hash } = sumOf(name)
        assertSame(name, { rows, sha256: hash.digest('hex') }, expected[name])
      }
      await addForeignKeys(client, keys)
      await client.query('commit')
      await client.query('analyze')
    },
    close: () => client.end(),
  }
}

async function copyPart(
  client: pg.Client,
  { schema, table }: { schema: string; table: TableContent },
  { chunks, hash }: { chunks: AsyncIterable<Uint8Array>; hash: Hash },
): Promise<number> {
  const list = table.columns.map(pg.escapeIdentifier).join(', ')
  const copy = client.query(copyFrom(`copy ${quoted(schema, table.name)} (${list}) from stdin`))
  const hashed = async function* (rows: AsyncIterable<Uint8Array>) {
    for await (const piece of rows) {
      hash.update(piece)
      yield piece
    }
  }
  await pipeline(chunks, createGunzip(), hashed, copy)
  return copy.rowCount
}

/**
 * Empties the tables of a schema, and creates partitions of the backup that migrations do not create, because each row
 * needs one. Partitions belong to the owner of the table.
 */
async function emptySchema(client: pg.Client, { schema, tables }: SchemaContent): Promise<void> {
  for (const { name, partitions } of tables) {
    const table = quoted(schema, name)
    for (const part of partitions) {
      const { rowCount } = await client.query(
        'select 1 from pg_tables where schemaname = $1 and tablename = $2',
        [schema, part.name],
      )
      if (rowCount === 0) await addPartition(client, { schema, table, part })
    }
    await client.query(`truncate ${table} cascade`)
  }
}

async function addPartition(
  client: pg.Client,
  {
    schema,
    table,
    part,
  }: { schema: string; table: string; part: TableContent['partitions'][number] },
): Promise<void> {
  const name = quoted(schema, part.name)
  await client.query(`create table ${name} partition of ${table} ${part.bound}`)
  const { rows } = await client.query<{ owner: string }>(
    'select relowner::regrole::text as owner from pg_class where oid = $1::regclass',
    [table],
  )
  if (rows[0]) await client.query(`alter table ${name} owner to ${rows[0].owner}`)
}

async function foreignKeys(
  client: pg.Client,
  schemas: readonly SchemaContent[],
): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace::regnamespace::text = any($1)`,
    [schemas.map(({ schema }) => schema)],
  )
  return rows
}

async function dropForeignKeys(client: pg.Client, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint ${pg.escapeIdentifier(name)}`)
}

async function addForeignKeys(client: pg.Client, keys: readonly ForeignKey[]): Promise<void> {
  for (const { table, name, definition } of keys)
    await client.query(
      `alter table ${table} add constraint ${pg.escapeIdentifier(name)} ${definition}`,
    )
}

async function setSequences(client: pg.Client, sequences: Sequences): Promise<void> {
  for (const [schema, counters] of Object.entries(sequences)) {
    for (const [name, last] of Object.entries(counters))
      await client.query('select setval($1::regclass, $2)', [quoted(schema, name), last])
  }
}

function assertSame(
  table: string,
  read: Checksums['tables'][string],
  written: Checksums['tables'][string] | undefined,
): void {
  if (read.rows === written?.rows && read.sha256 === written.sha256) return
  const sentence = `the backup is damaged: ${table} has ${read.rows} rows, ${written?.rows ?? 0} were written`
  throw new Error(
    read.rows === written?.rows ? `the backup is damaged: rows of ${table} were changed` : sentence,
  )
}
