import type { Dirent } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders whose files belong to their owner alone; that of the database has its own account, and closes itself. */
const folders = new Set(['objects', 'mail'])
/** Names the process that holds the data directory; other accounts may read it. */
const lock = 'lock'

/** Modes that let the group or others in. */
const others = 0o077

/**
 * Removes the rights of group and others on files of the data directory that an earlier version, a copy or a restore left
 * open. A folder is closed after its content, so that the next start repeats an interrupted attempt.
 */
export async function closeToOthers(dataDir: string): Promise<void> {
  if (process.platform === 'win32') return
  for (const entry of await readdir(dataDir, { withFileTypes: true })) {
    const path = join(dataDir, entry.name)
    if (folders.has(entry.name)) await closeFolder(path)
    else if (entry.isFile() && !entry.name.startsWith(lock)) await close(path)
  }
}

async function closeFolder(path: string): Promise<void> {
  if (!(await isOpen(path))) return
  await closeBelow(path)
  await close(path)
}

/** Folders below an open one may be closed, and hold open files. */
async function closeBelow(folder: string): Promise<void> {
  for (const entry of await listEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await closeBelow(path)
    if (entry.isDirectory() || entry.isFile()) await close(path)
  }
}

/** Nothing where the folder was removed meanwhile. */
const listEntries = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(unlessMissing<Dirent[]>([]))

async function isOpen(path: string): Promise<boolean> {
  const { mode = 0 } = await stat(path).catch(unlessMissing({ mode: 0 }))
  return (mode & others) !== 0
}

async function close(path: string): Promise<void> {
  const found = await stat(path).catch(unlessMissing(undefined))
  if (!found || (found.mode & others) === 0) return
  await chmod(path, found.mode & 0o700).catch(unlessMissing(undefined))
}

const unlessMissing =
  <T>(instead: T) =>
  (thrown: unknown): T => {
    if (thrown instanceof Error && Reflect.get(thrown, 'code') === 'ENOENT') return instead
    throw thrown
  }
