import pg from 'pg'
import type { SchemaContent, Sequences, TableContent } from './manifest.ts'

/** Tables that the runner of migrations maintains and creates itself. */
const ofMigrations = ['migrations', 'migrations_lock']

/** Returns the quoted name `"schema"."name"`. */
export const quoted = (schema: string, name: string): string =>
  `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`

/** Reads the applied migrations and the tables of each existing schema among `schemas`. */
export async function contentOf(
  client: pg.Client,
  schemas: readonly string[],
): Promise<SchemaContent[]> {
  const found = await client.query<{ schema: string }>(
    'select nspname as schema from pg_namespace where nspname = any($1)',
    [schemas],
  )
  const existing = new Set(found.rows.map(({ schema }) => schema))
  const contents: SchemaContent[] = []
  for (const schema of schemas.filter((one) => existing.has(one))) {
    const [steps, tables] = [await stepsOf(client, schema), await tablesOf(client, schema)]
    contents.push({ schema, steps, tables })
  }
  return contents
}

async function stepsOf(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select name from ${quoted(schema, 'migrations')} order by name`,
  )
  return rows.map(({ name }) => name)
}

async function tablesOf(client: pg.Client, schema: string): Promise<TableContent[]> {
  const { rows } = await client.query<TableContent>(
    `select c.relname as name,
      array(
        select attname::text from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum
      ) as columns,
      coalesce((
        select jsonb_agg(jsonb_build_object('name', part.relname,
          'bound', pg_get_expr(part.relpartbound, part.oid)) order by part.relname)
        from pg_inherits join pg_class part on part.oid = inhrelid where inhparent = c.oid
      ), '[]') as partitions
    from pg_class c
    where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> all($2)
    order by c.relname`,
    [pg.escapeIdentifier(schema), ofMigrations],
  )
  return rows
}

/**
 * Reads the values of the sequences. Sequences are not transactional: read after the rows, they are never behind them.
 */
export async function sequencesOf(
  client: pg.Client,
  schemas: readonly string[],
): Promise<Sequences> {
  const { rows } = await client.query<{ schema: string; name: string; last: string }>(
    `select schemaname as schema, sequencename as name, last_value::text as last
    from pg_sequences where schemaname = any($1) and last_value is not null`,
    [schemas],
  )
  const all: Sequences = {}
  for (const { schema, name, last } of rows) {
    all[schema] = { ...all[schema], [name]: Number(last) }
  }
  return all
}

/** Returns the major version of the server, such as 18. */
export async function majorOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query('show server_version_num')
  return Math.trunc(Number(rows[0].server_version_num) / 10_000)
}
