import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, mkdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Account,
  closedFolder,
  closedSentence,
  makeOpen,
  openOutside,
} from './open-folders.ts'
import { findBinaries, placeBinaries } from './postgres-binaries.ts'

/** Folders the server works with, all open to its account. */
export interface Home {
  /** Holds `data/`, `server.log` and, while it is made, the first password. */
  folder: string
  /** The folder of the package that holds `bin/`, `lib/` and `share/`. */
  native: string
  account: Account | undefined
}

export interface Placing {
  dataDir: string
  /** Where the server goes when a folder above the data directory is closed to its account. */
  outside?: string
  /** The folder with the binaries, where it is not that of the npm package. */
  native?: string
  /** Told, in a sentence for the terminal, that the server lives outside the data directory. */
  onNotice?: (sentence: string) => void
}

/**
 * Decides where the server lives, once: inside the data directory, or, where a folder above it is closed to the account
 * (a checkout below a home of mode 0700), in a folder outside that `<dataDir>/postgres-folder` names from then on.
 *
 * @throws Error naming the folder to open where neither is possible.
 */
export async function placeServer({ dataDir, outside, native, onNotice }: Placing): Promise<Home> {
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
    native: await placeBinaries(native ?? (await findBinaries()), elsewhere, account),
    account,
  }
}

const nameOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)
