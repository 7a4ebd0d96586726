import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  closedFolder,
  closedSentence,
  makeOpen,
  openOutside,
  type ServerAccount,
} from '../data-dir/open-folders.ts'
import { findBinaries, prepareBinaries } from './binaries.ts'

/** Folders of the server, all accessible to its account. */
export interface PostgresHome {
  /** Contains `data/`, `server.log` and, during creation, the first password. */
  folder: string
  /** Folder of the package with `bin/`, `lib/` and `share/`. */
  native: string
  account: ServerAccount | undefined
}

export interface PostgresHomeOptions {
  dataDir: string
  /** Folder of the server when a folder above the data directory is closed to its account. */
  outside?: string
  /** Folder of the binaries, if not that of the npm package. */
  native?: string
  /** Called with a sentence for the terminal when the server is placed outside the data directory. */
  onNotice?: (sentence: string) => void
}

/**
 * Chooses the folder of the server, once: inside the data directory, or, if a folder above it is closed to the account
 * (a checkout below a home of mode 0700), an outside folder, whose path `<dataDir>/postgres-folder` contains from then
 * on.
 *
 * @throws Error naming the folder to open when neither is possible
 */
export async function preparePostgresHome({
  dataDir,
  outside,
  native,
  onNotice,
}: PostgresHomeOptions): Promise<PostgresHome> {
  await makeOpen(dataDir)
  const inside = await realpath(dataDir)
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  const elsewhere = join(outside ?? '/var/lib/reticle', nameOf(inside))
  const pointer = join(inside, 'postgres-folder')

  let folder = await readFile(pointer, 'utf8').then(
    (text) => text.trim(),
    () => join(inside, 'postgres'),
  )
  const closed = await closedFolder(dirname(folder), account)
  if (closed && existsSync(join(folder, 'data'))) throw new Error(closedSentence(closed))
  if (closed) {
    folder = join(elsewhere, 'postgres')
    await openOutside(elsewhere, account, closed)
    await writeFile(pointer, `${folder}\n`, { mode: 0o600 })
    onNotice?.(
      `The database lives in ${folder}, because ${closed} is closed to the account it runs as.`,
    )
  }

  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account) await chown(folder, account.uid, account.gid)
  return {
    folder,
    native: await prepareBinaries(native ?? (await findBinaries()), elsewhere, account),
    account,
  }
}

const nameOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)
