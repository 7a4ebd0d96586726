import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ApiError, RequestFailed } from '@reticle/sdk'
import { fromPath, saveTo } from '@reticle/sdk/node'
import { Failure } from '../failures/failure.ts'
import { filesBelow } from '../files/files-below.ts'
import { openFile } from '../files/open-file.ts'
import type { CommandSession } from '../session/command-session.ts'
import { followRequest } from '../session/follow.ts'
import { formatBytes } from '../terminal/output.ts'
import { createUploadOptions } from '../transfers/upload-options.ts'
import type { MigratedKind } from './ledger.ts'
import {
  type Migration,
  type MigrationWorkspace,
  migrateObject,
  refusalOf,
  UnexpectedState,
} from './migration.ts'
import { followSource } from './source.ts'
import { type BackupKind, countHere } from './verify.ts'

/** Backups, in which projects and tasks are transferred. */

/** Restores the backups in files and folders, except those that a former run restored. */
export async function migrateArchives(
  migration: Migration,
  paths: readonly string[],
  organization: string,
): Promise<void> {
  const { ledger, session } = migration
  for (const path of await archivesIn(paths)) {
    const name = basename(path)
    session.progress.step(`Reading ${name}`)
    const from = await hashOf(path, session)
    await migrateObject(migration, { kind: 'archive', from, name }, async () => {
      if (ledger.find('archive', from).to) return
      const whole = await kindOf(path)
      const of = { kind: 'archive', from, name, whole, path, organization } as const
      const id = await restore(migration, of)
      const held = await countHere(migration, whole, id)
      await ledger.note('archive', from, { to: `${whole} ${id}`, ...held })
    })
  }
}

async function archivesIn(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    if ((await stat(path)).isFile()) found.push(path)
    else for await (const file of filesBelow(path)) if (/\.zip$/i.test(file)) found.push(file)
  }
  if (found.length === 0) throw new Failure(`There are no archives in ${paths.join(', ')}`)
  return found.sort()
}

/** Returns whether an archive is a backup of a project or a task. @throws Unfit if it is neither */
async function kindOf(path: string): Promise<BackupKind> {
  const { FormatError } = await import('@reticle/formats/report/errors')
  const { openZip } = await import('@reticle/formats/archive/zip-reader')
  const file = await openFile(path)
  try {
    const { files } = await openZip(file)
    if (files.has('project.json')) return 'project'
    if (files.has('task.json')) return 'task'
  } catch (thrown) {
    throw thrown instanceof FormatError ? new UnexpectedState(thrown.message) : thrown
  } finally {
    await file.close()
  }
  throw new UnexpectedState('it is no backup: it has neither project.json nor task.json')
}

async function hashOf(path: string, { progress, signal }: CommandSession): Promise<string> {
  const hash = createHash('sha256')
  const { size } = await stat(path)
  let done = 0
  for await (const piece of createReadStream(path, { signal })) {
    hash.update(piece)
    done += piece.length
    progress.update(done / size, formatBytes(done))
  }
  return hash.digest('hex').slice(0, 32)
}

interface Copied {
  kind: BackupKind
  from: number
  name: string
}

/** Exports a backup from the source, downloads and restores it. @returns the id at the target */
export async function copyWhole(
  migration: Migration,
  workspace: MigrationWorkspace,
  { kind, from, name }: Copied,
): Promise<number> {
  const archives = join(migration.folder, 'archives')
  await mkdir(archives, { recursive: true })
  const path = join(archives, `${kind}-${from}.zip`)
  const { organization } = workspace
  try {
    if (!(await isThere(path))) await fetchBackup(migration, workspace, { kind, from, name, path })
    const of = { kind, from, name, whole: kind, path, organization }
    const to = await restore(migration, of)
    await rm(path, { force: true })
    return to
  } catch (thrown) {
    if (refusalOf(thrown) !== undefined) await rm(path, { force: true }) // the next run exports a new backup
    throw thrown
  }
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

async function fetchBackup(
  { session, ledger }: Migration,
  { source }: MigrationWorkspace,
  { kind, from, name, path }: Copied & { path: string },
): Promise<void> {
  const { signal, progress } = session
  progress.step(`Backup of ${kind} ${name}`)
  const known = ledger.find(kind, from).exporting
  const former = known ? await followSource(session, source, known).catch(ifLost) : undefined
  const request = former ?? (await followSource(session, source, await begin()))
  progress.step(`Fetching ${kind} ${name}`)
  await saveTo(source, request, path, {
    signal,
    on_progress: (done, total) => progress.update(total ? done / total : 0, formatBytes(done)),
  })
  await ledger.note(kind, from, { exporting: null })

  async function begin(): Promise<string> {
    const input = { id: from, lightweight: false, location: 'local' }
    const call = kind === 'project' ? source.exportProjectBackup : source.exportTaskBackup
    const rq_id = await call(input, { signal }).then((answer) => answer.rq_id, sameUnderWay)
    await ledger.note(kind, from, { exporting: rq_id })
    return rq_id
  }
}

/** Servers delete results after some time. */
function ifLost(thrown: unknown): undefined {
  const isLost = thrown instanceof ApiError && thrown.status === 404
  if (!isLost && !(thrown instanceof RequestFailed)) throw thrown
}

/** Uses a running request for the same backup. */
function sameUnderWay(thrown: unknown): string {
  const rq_id = thrown instanceof ApiError && thrown.status === 409 ? thrown.rq_id : null
  if (rq_id === null) throw thrown
  return rq_id
}

interface Restored {
  /** Kind of object in the ledger. */
  kind: MigratedKind
  from: number | string
  name: string
  whole: BackupKind
  path: string
  organization: string
}

/** @returns the id of the restored project or task */
async function restore(
  { session, target, ledger }: Migration,
  { kind, from, name, whole, path, organization }: Restored,
): Promise<number> {
  const rq_id = ledger.find(kind, from).restoring ?? (await begin())
  const { result_id, report } = await followRequest(session, target, rq_id, `Restoring ${name}`)
  for (const { code, count, kind: what, reason } of report?.entries ?? [])
    await ledger.recordProblem(kind, from, {
      what: 'changed',
      code,
      reason: `${count} ${what}: ${reason}`,
    })
  if (result_id === null) throw new Error(`the restore ${rq_id} has made nothing`)
  return result_id

  async function begin(): Promise<string> {
    const call = whole === 'project' ? target.importProjectBackup : target.importTaskBackup
    const idempotency_key = await ledger.keyOf(kind, from)
    const options = {
      ...createUploadOptions(session, `Sending ${name}`),
      organization,
      idempotency_key,
    }
    const started = await call.send({ location: 'local' }, await fromPath(path), options)
    await ledger.note(kind, from, { restoring: started.rq_id })
    return started.rq_id
  }
}
