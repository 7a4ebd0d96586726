import type { Dirent } from 'node:fs'
import { chmod, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders whose files only their owner may read; the database has another account, and closes its folder itself. */
const folders = new Set(['objects', 'mail'])
/** Name of the lock file, which other accounts may read. */
const lock = 'lock'

/** Mode bits that grant access to the group or others. */
const others = 0o077

/**
 * Removes the permissions of group and others on files of the data directory that an earlier version, a copy or a
 * restore left open. A folder is closed after its content, so that the next start repeats an interrupted attempt.
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

/** Closes files and folders below; folders may be closed already and still contain open files. */
async function closeBelow(folder: string): Promise<void> {
  for (const entry of await listEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await closeBelow(path)
    if (entry.isDirectory() || entry.isFile()) await close(path)
  }
}

/** Lists a folder; empty if it was removed meanwhile. */
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
