import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { ArchiveWriter } from './archive.ts'
import { contentOf, majorOf, quoted, sequencesOf } from './catalog.ts'
import {
  type Checksums,
  type DumpManifest,
  layout,
  newestFormat,
  type SchemaContent,
  type TableContent,
} from './manifest.ts'

const compress = promisify(gzip)
const partBytes = 4 << 20
const lineFeed = 10

export interface DumpOptions {
  /** Address with a role that may read every schema. */
  url: string
  /** Schemas to back up; missing ones are skipped. */
  schemas: readonly string[]
  /** Version of this program. */
  version: string
  objects: DumpManifest['objects']
  onTable?: (name: string, rows: number) => void
}

/** Snapshot of a database: all reads through it show the same moment. */
export interface Snapshot {
  manifest: DumpManifest
  /** Writes every table as parts `tables/<schema>/<table>/<number>.gz`, then the sequences. */
  writeTo: (archive: ArchiveWriter) => Promise<Checksums['tables']>
  close: () => Promise<void>
}

/**
 * Opens a snapshot of whole schemas. Writing it does not block the
 * services, and its memory does not grow with the tables.
 */
export async function openSnapshot(options: DumpOptions): Promise<Snapshot> {
  const { url, schemas, version, objects } = options
  const client = await openSession(url, 'backup')
  try {
    await client.query('begin isolation level repeatable read read only')
    const manifest: DumpManifest = {
      format: newestFormat,
      version,
      created_date: new Date().toISOString(),
      postgres: await majorOf(client),
      objects,
      schemas: await contentOf(client, schemas),
    }
    return {
      manifest,
      writeTo: (archive) => writeTables(client, archive, manifest.schemas, options.onTable),
      close: () => client.end(),
    }
  } catch (thrown) {
    await client.end().catch(() => undefined)
    throw thrown
  }
}

/** Opens a session without timeouts that formats values independently of the server settings. */
export async function openSession(url: string, application: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: application })
  client.on('error', () => undefined) // the running statement reports the error
  await client.connect()
  await client.query(
    `set search_path = pg_catalog; set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
    set datestyle = 'ISO'; set intervalstyle = 'iso_8601'; set bytea_output = 'hex'`,
  )
  return client
}

async function writeTables(
  client: pg.Client,
  archive: ArchiveWriter,
  schemas: readonly SchemaContent[],
  onTable: DumpOptions['onTable'],
): Promise<Checksums['tables']> {
  const sums: Checksums['tables'] = {}
  for (const { schema, tables } of schemas) {
    for (const table of tables) {
      const sum = await writeTable(client, archive, schema, table)
      sums[`${schema}.${table.name}`] = sum
      onTable?.(`${schema}.${table.name}`, sum.rows)
    }
  }
  const counters = await sequencesOf(
    client,
    schemas.map(({ schema }) => schema),
  )
  const text = Buffer.from(JSON.stringify(counters))
  await archive.add(layout.sequences, text.length, [text])
  return sums
}

async function writeTable(
  client: pg.Client,
  archive: ArchiveWriter,
  schema: string,
  { name, columns }: TableContent,
): Promise<Checksums['tables'][string]> {
  const list = columns.map(pg.escapeIdentifier).join(', ')
  const query = `copy (select ${list} from ${quoted(schema, name)}) to stdout`
  const rows = client.query(copyTo(query))
  const hash = createHash('sha256')
  let number = 0
  for await (const part of wholeLines(rows)) {
    hash.update(part)
    const packed = await compress(part, { level: constants.Z_BEST_SPEED })
    const file = `${String(++number).padStart(6, '0')}.gz`
    await archive.add(`${layout.tables}/${schema}/${name}/${file}`, packed.length, [packed])
  }
  return { rows: rows.rowCount, sha256: hash.digest('hex') }
}

/** Cuts the rows after the end of a row, so that each part can be read alone. */
async function* wholeLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    held.push(chunk)
    bytes += chunk.length
    if (bytes < partBytes || !chunk.includes(lineFeed)) continue
    const all = Buffer.concat(held)
    const end = all.lastIndexOf(lineFeed) + 1
    yield all.subarray(0, end)
    held = [all.subarray(end)]
    bytes = all.length - end
  }
  if (bytes > 0) yield Buffer.concat(held)
}
