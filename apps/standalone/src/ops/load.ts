import type { DatabaseSchema } from '@reticle/kit/db/migrate'
import { readArchive, type TarFile } from '@reticle/kit/ops/dump/archive'
import { type DatabaseLoad, openLoad } from '@reticle/kit/ops/dump/load'
import {
  type Checksums,
  checksums,
  type DumpManifest,
  layout,
  manifest,
  newestFormat,
  sequences,
} from '@reticle/kit/ops/dump/manifest'
import { z } from 'zod'
import { allSchemas, prepareDatabase } from '../postgres/databases.ts'
import { version } from './backup.ts'

const order = Object.values(layout)

/** Receiver of the parts of a backup other than rows. */
export interface BackupReceiver {
  /**
   * Called after the keys and before the first row: returns the administrator's address of a database without our
   * schemas.
   */
  database: () => Promise<{ url: string; passwordOf: (role: string) => string }>
  key: (name: string, content: Buffer) => Promise<void>
  object: (member: TarFile) => Promise<void>
  /** Called before the rows are committed. @throws Error when the objects differ from the written ones */
  verify: (objects: Checksums['objects']) => void
}

/**
 * Reads a backup completely. The rows are loaded into schemas of the backup's version, in one transaction that is
 * committed when all checksums match; then the schemas are migrated.
 *
 * @throws Error with one sentence: newer than this program, damaged, cut off
 */
export async function loadBackup(path: string, receiver: BackupReceiver): Promise<DumpManifest> {
  const members = readArchive(path, order)
  const head = await members.next()
  if (head.done || head.value.name !== layout.manifest) {
    throw new Error(`${path} is no backup of Reticle: it does not begin with ${layout.manifest}`)
  }
  const backupManifest = readManifest(await textOf(head.value))
  let rows: { load: DatabaseLoad; url: string; passwordOf: (role: string) => string } | undefined
  let isComplete = false
  try {
    for await (const member of members) {
      const [top, ...rest] = member.name.split('/')
      if (top === layout.keys) await receiver.key(rest.join('/'), await bytesOf(member))
      else {
        rows ??= await openRows(backupManifest, receiver)
        isComplete = await loadMember(member, rows.load, receiver)
      }
    }
    if (!rows || !isComplete) throw new Error(`${path} was cut off: its last part is missing`)
  } finally {
    await rows?.load.close()
  }
  await prepareDatabase(rows.url, rows.passwordOf)
  return backupManifest
}

async function openRows(backupManifest: DumpManifest, receiver: BackupReceiver) {
  const { url, passwordOf } = await receiver.database()
  await prepareDatabase(url, passwordOf, stepsOf(backupManifest))
  return { load: await openLoad(url, backupManifest), url, passwordOf }
}

/** Handles a member; returns true for the last one. */
async function loadMember(
  member: TarFile,
  load: DatabaseLoad,
  receiver: BackupReceiver,
): Promise<boolean> {
  const [top = '', schema = '', table = ''] = member.name.split('/')
  if (top === layout.tables) await load.addPart(schema, table, member.chunks)
  else if (top === layout.sequences) {
    await load.setSequences(parse(sequences, member.name, await textOf(member)))
  } else if (top === layout.objects) await receiver.object(member)
  else if (top === layout.checksums) {
    const written = parse(checksums, member.name, await textOf(member))
    receiver.verify(written.objects)
    await load.commit(written.tables)
  } else throw new Error(`the backup has ${member.name}, which this Reticle does not know`)
  return top === layout.checksums
}

/**
 * Parses the manifest.
 *
 * @throws Error with one sentence when a newer version wrote it
 */
export function readManifest(text: string): DumpManifest {
  const { format, version: from } = parse(
    z.object({ format: z.number(), version: z.string() }),
    layout.manifest,
    text,
  )
  const newer = (what: string) =>
    new Error(
      `the backup was made by Reticle ${from}, and this is ${version}: ${what}; update Reticle, then restore`,
    )
  if (format > newestFormat) throw newer(`its form ${format} is newer than ${newestFormat}`)
  const backupManifest = parse(manifest, layout.manifest, text)
  for (const { schema, steps } of backupManifest.schemas) {
    const known = allSchemas.find((one) => one.schema === schema)
    const unknown = steps.filter((step) => !(step in (known?.migrations ?? {})))
    if (unknown.length > 0) throw newer(`${schema} has ${unknown.join(', ')}, unknown here`)
  }
  return backupManifest
}

/** Returns the migrations of the backup that this program knows. */
const stepsOf = ({ schemas }: DumpManifest): DatabaseSchema[] =>
  schemas.flatMap(({ schema, steps }) => {
    const known = allSchemas.find((one) => one.schema === schema)
    if (!known) return []
    const had = Object.entries(known.migrations).filter(([name]) => steps.includes(name))
    return [{ schema, migrations: Object.fromEntries(had) }]
  })

function parse<S extends z.ZodType>(schema: S, name: string, text: string): z.output<S> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(`the backup is damaged: ${name} cannot be read`, { cause })
  }
}

async function bytesOf({ chunks }: TarFile): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all)
}

const textOf = async (member: TarFile): Promise<string> => (await bytesOf(member)).toString()
