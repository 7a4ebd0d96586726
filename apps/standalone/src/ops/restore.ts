import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ownerOf, writerOf } from '@reticle/kit/db/provision'
import pg from 'pg'
import { readKeys } from '../data-dir/keys.ts'
import { lockDataDir } from '../data-dir/lock.ts'
import { clearUnfinished, markUnfinished } from '../data-dir/unfinished.ts'
import { allSchemas } from '../postgres/databases.ts'
import { startPostgres } from '../postgres/server.ts'
import { type Installation, keyFiles } from './backup.ts'
import { loadBackup } from './load.ts'
import { objectReader } from './objects.ts'

type PrintLine = (line: string) => void
type Stop = () => Promise<void>

/**
 * Restores a data directory, or an external database and a data directory, from a backup. Both have to be empty.
 *
 * @throws Error with one sentence; everything is then as before
 */
export async function restoreBackup(
  installation: Installation,
  from: string,
  print: PrintLine,
): Promise<void> {
  const { dataDir, databaseUrl } = installation
  await assertEmpty(dataDir)
  if (databaseUrl) {
    await assertNoSchemas(databaseUrl)
    await assertRolesAreFree(databaseUrl)
  }
  const unlock = await lockDataDir(dataDir)
  const stops: Stop[] = []
  try {
    const advice = `A restore into ${dataDir} was cut off: empty that directory and restore again.`
    await markUnfinished(dataDir, advice)
    const { version, created_date, objects } = await load(installation, from, stops)
    await stopAll(stops)
    await clearUnfinished(dataDir)
    print(`${dataDir}: restored from ${from}, made by Reticle ${version} at ${created_date}`)
    if (objects === 'outside') print('Its objects are in a bucket: put that into the same state.')
  } catch (thrown) {
    await stopAll(stops)
    await empty(dataDir)
    if (databaseUrl) await dropSchemas(databaseUrl)
    throw thrown
  } finally {
    await unlock()
  }
}

async function load({ dataDir, databaseUrl }: Installation, from: string, stops: Stop[]) {
  await mkdir(dataDir, { recursive: true })
  const objects = await objectReader(dataDir)
  const database = async () => {
    const { passwordOf } = await readKeys(dataDir, '') // the keys of secrets are those of the backup
    if (databaseUrl) return { url: databaseUrl, passwordOf }
    const postgres = await startPostgres({ dataDir })
    stops.push(postgres.stop)
    return { url: postgres.url, passwordOf }
  }
  const key = async (name: string, content: Buffer) => {
    if (!keyFiles.includes(name)) throw new Error(`the backup has a key "${name}", unknown here`)
    await writeFile(join(dataDir, basename(name)), content, { mode: 0o600 })
  }
  return loadBackup(from, { database, key, object: objects.take, verify: objects.verify })
}

async function stopAll(stops: Stop[]): Promise<void> {
  for (const stop of stops.splice(0)) await stop()
}

async function assertEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir).catch(() => [])
  if (names.length === 0) return
  throw new Error(
    `${dataDir} is not empty (it has ${names.slice(0, 3).join(', ')}): name a new directory with RETICLE_DATA_DIR, nothing is ever overwritten`,
  )
}

const names = allSchemas.map(({ schema }) => schema)

async function assertNoSchemas(url: string): Promise<void> {
  const existing = await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      'select nspname as name from pg_namespace where nspname = any($1) order by 1',
      [names],
    )
    return rows.map(({ name }) => name).join(', ')
  })
  if (existing === '') return
  throw new Error(
    `the database has the schemas ${existing} already: name an empty one with RETICLE_DATABASE_URL, nothing is ever overwritten`,
  )
}

/**
 * Checks that the roles are unused. They belong to the whole server: new passwords would lock out a Reticle on another
 * database.
 */
async function assertRolesAreFree(url: string): Promise<void> {
  const roles = names.flatMap((schema) => [ownerOf(schema), writerOf(schema)])
  const databases = await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct datname as name from pg_stat_activity
       where usename = any($1) and datname <> current_database() order by 1`,
      [roles],
    )
    return rows.map(({ name }) => name).join(', ')
  })
  if (databases === '') return
  throw new Error(
    `a Reticle works in ${databases} on the same server, and a restore gives its roles new passwords: restore on a server of its own, or stop that Reticle`,
  )
}

/** Drops the schemas, none of which existed before. */
function dropSchemas(url: string): Promise<void> {
  return onDatabase(url, async (client) => {
    for (const name of names)
      await client.query(`drop schema if exists ${pg.escapeIdentifier(name)} cascade`)
  })
}

async function onDatabase<R>(url: string, work: (client: pg.Client) => Promise<R>): Promise<R> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return work(client).finally(() => client.end())
}

/** Removes the files of a failed restore, except the lock, which is released afterwards. */
async function empty(dataDir: string): Promise<void> {
  const outside = await readFile(join(dataDir, 'postgres-folder'), 'utf8').catch(() => undefined)
  if (outside) await rm(outside.trim(), { recursive: true, force: true })
  for (const name of await readdir(dataDir)) {
    if (name !== 'lock') await rm(join(dataDir, name), { recursive: true, force: true })
  }
}
