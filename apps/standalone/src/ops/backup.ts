import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ArchiveWriter, createArchive } from '@reticle/kit/ops/dump/archive'
import { openSnapshot } from '@reticle/kit/ops/dump/dump'
import { type Checksums, layout } from '@reticle/kit/ops/dump/manifest'
import { pauseRelay } from '@reticle/kit/ops/pause'
import { z } from 'zod'
import type { StandaloneConfig } from '../config.ts'
import { objectsOf } from '../data-dir/objects.ts'
import { allSchemas, schemas as schemasOfServices } from '../postgres/databases.ts'
import { noObjects, writeObjects } from './objects.ts'
import { withDatabase } from './reach.ts'

/** Key files of a data directory, without which its rows are unreadable. */
export const keyFiles = ['installation-key', 'secret-keys', 'admin-password']

const packageFile = new URL('../../package.json', import.meta.url)

/** Version of this program. */
export const version: string = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile, 'utf8'))).version

type PrintLine = (line: string) => void
export type Installation = Pick<StandaloneConfig, 'databaseUrl' | 'dataDir' | 'kafka' | 's3'>

/**
 * Writes a backup of the whole installation to `to`: rows of one snapshot, then objects, and the keys of both. A
 * running Reticle continues meanwhile.
 *
 * @throws Error with one sentence; the backup is then removed
 */
export async function writeBackup(
  installation: Installation,
  to: string,
  print: PrintLine,
): Promise<void> {
  const archive = await createArchive(to)
  try {
    const { sums, hasKeys } = await withDatabase(installation, (url) =>
      writeAll(installation, { archive, url, say: print }),
    )
    await addJson(archive, layout.checksums, sums)
    await archive.close()
    const rows = Object.values(sums.tables).reduce((sum, { rows }) => sum + rows, 0)
    const { count, bytes } = sums.objects
    const keys = hasKeys ? 'the keys' : 'no keys'
    print(`${to}: ${rows} rows, ${count} objects (${bytes} bytes), ${keys}`)
    if (!hasKeys)
      print(
        `There are no secret-keys in ${installation.dataDir}: keep RETICLE_SECRET_KEYS beside it.`,
      )
    if (!hasObjects(installation)) print('Objects are in a bucket: keep its state of now as well.')
  } catch (thrown) {
    await archive.discard()
    throw thrown
  }
}

async function writeAll(
  installation: Installation,
  { archive, url, say: print }: { archive: ArchiveWriter; url: string; say: PrintLine },
): Promise<{ sums: Checksums; hasKeys: boolean }> {
  const schemas = allSchemas.map(({ schema }) => schema)
  const { databaseUrl, dataDir, kafka } = installation
  const objects = hasObjects(installation) ? 'included' : 'outside'
  const onTable = (name: string, rows: number) => print(`${name}: ${rows}`)
  const resume = databaseUrl || kafka ? await pauseRelays(url) : async () => undefined
  const snapshot = await openSnapshot({ url, schemas, version, objects, onTable }).finally(resume)
  try {
    await addJson(archive, layout.manifest, snapshot.manifest)
    for (const name of keyFiles) await addFile(archive, dataDir, name)
    const tables = await snapshot.writeTo(archive)
    const writtenObjects = hasObjects(installation)
      ? await writeObjects(archive, dataDir)
      : noObjects
    const hasKeys = existsSync(join(dataDir, 'secret-keys'))
    return { sums: { tables, objects: writtenObjects }, hasKeys }
  } finally {
    await snapshot.close()
  }
}

/**
 * Returns whether the objects are in the backup. In a cluster they are in a bucket, and only the database is backed up.
 */
const hasObjects = ({ s3, dataDir }: Installation) => !s3 && existsSync(objectsOf(dataDir))

/** Time in milliseconds for consumers to handle published events. */
const settleMs = 2000

/**
 * Pauses the relays: with an external broker, no event may be in transit when the snapshot is taken. The embedded bus
 * is part of the snapshot.
 */
async function pauseRelays(url: string): Promise<() => Promise<void>> {
  const resume: (() => Promise<void>)[] = []
  for (const { schema } of schemasOfServices) resume.push(await pauseRelay(url, schema))
  await sleep(settleMs)
  return async () => {
    for (const each of resume) await each()
  }
}

export function addJson(archive: ArchiveWriter, name: string, content: unknown): Promise<void> {
  const text = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  return archive.add(name, text.length, [text])
}

/** Adds a file if it exists; keys may be configured by settings instead. */
async function addFile(archive: ArchiveWriter, dataDir: string, name: string): Promise<void> {
  const content = await readFile(join(dataDir, name)).catch(() => undefined)
  if (content) await archive.add(`${layout.keys}/${name}`, content.length, [content])
}
