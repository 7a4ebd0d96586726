import { type Kysely, sql } from 'kysely'

interface Column {
  table: string
  name: string
  type: string
  is_nullable: boolean
  has_default: boolean
  /** Check constraints of this column alone. */
  checks: string[] | null
}
interface Table {
  name: string
  /** Name of its types without the suffix `Table` or `Row`. */
  typeName: string
  columns: Column[]
}

export interface RowTypeNames {
  /** Name of the interface of the whole schema, such as `ProjectsDb`. */
  database: string
  /** Names after which the types of a table are called instead of after the table. */
  aliases?: Readonly<Record<string, string>>
}

/**
 * Generates the row types of a migrated schema as TypeScript (`db/schema.ts` of a service). Enumerations are read from
 * `in (...)` checks. The table of migrations and partitions are omitted.
 * @param db any connection to the database
 */
export async function rowTypes<T>(
  db: Kysely<T>,
  schema: string,
  { database, aliases = {} }: RowTypeNames,
): Promise<string> {
  const columns = await readColumns(db, schema)
  const names = [...new Set(columns.map((one) => one.table))]
  const tables = names.map(
    (name): Table => ({
      name,
      typeName: pascal(aliases[name] ?? name),
      columns: columns.filter((one) => one.table === name),
    }),
  )
  const rows = tables.map(rowText).join('\n')
  const parts = [...tables.map(tableText), databaseText(database, tables), rows]
  return `${header(parts.join('\n'))}\n${parts.join('\n\n')}\n`
}

async function readColumns<T>(db: Kysely<T>, schema: string): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as "table", a.attname as name, format_type(a.atttypid, null) as type,
      not a.attnotnull as is_nullable, a.atthasdef or a.attidentity <> '' as has_default,
      (select array_agg(pg_get_constraintdef(k.oid)) from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = ${schema}::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname not in ('migrations', 'migrations_lock')
    order by c.relname, a.attnum`.execute(db)
  return rows
}

function header(body: string): string {
  const timestamp = body.includes('Timestamp')
  const names = [...(timestamp ? ['ColumnType'] : []), 'Generated', 'Selectable']
  const used = names.filter((one) => one === 'ColumnType' || body.includes(`${one}<`))
  return [
    '// Written by `npm run codegen` from the migrated database. Do not edit.',
    `import type { ${used.join(', ')} } from 'kysely'`,
    ...(timestamp ? ['', 'type Timestamp = ColumnType<Date, Date | string, Date | string>'] : []),
    '',
  ].join('\n')
}

function tableText({ typeName, columns }: Table): string {
  return `export interface ${typeName}Table {\n${columns.map(columnText).join('\n')}\n}`
}

function columnText({ name, type, is_nullable, has_default, checks }: Column): string {
  const plain = words(checks ?? []) ?? typeOf(type)
  const nullable = is_nullable ? `${plain} | null` : plain
  // Kysely does not unwrap a `ColumnType` inside of `Generated`.
  const generated = plain === 'Timestamp' ? nullable.replace('Timestamp', 'Date') : nullable
  return `  ${name}: ${has_default ? `Generated<${generated}>` : nullable}`
}

const types: Record<string, string> = {
  smallint: 'number',
  integer: 'number',
  bigint: 'number',
  real: 'number',
  'double precision': 'number',
  boolean: 'boolean',
  bytea: 'Buffer',
  jsonb: 'unknown',
  json: 'unknown',
  'timestamp with time zone': 'Timestamp',
}

function typeOf(type: string): string {
  if (type.endsWith('[]')) return `${typeOf(type.slice(0, -2))}[]`
  return types[type] ?? 'string'
}

/** Returns the values of a column from its check: `CHECK ((status = ANY (ARRAY['a'::text, 'b'::text])))`. */
function words(checks: string[]): string | undefined {
  const list = checks.find((one) => one.includes('= ANY (ARRAY['))
  const found = list && [...list.matchAll(/'((?:[^']|'')*)'::/g)].map(([, word]) => `'${word}'`)
  return found && found.length > 0 ? found.join(' | ') : undefined
}

function databaseText(database: string, tables: Table[]): string {
  const lines = tables.map(({ name, typeName }) => `  ${name}: ${typeName}Table`)
  return `export interface ${database} {\n${lines.join('\n')}\n}`
}

function rowText({ typeName }: Table): string {
  return `export type ${singular(typeName)}Row = Selectable<${typeName}Table>`
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`
  return name.replace(/(?<=ch)es$|s$/, '')
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
