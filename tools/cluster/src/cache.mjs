// @ts-check
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Downloads and builds are stored outside of every checkout: `<cache>/<component>/<version>/`. */

function root() {
  const { RETICLE_CACHE_DIR: given, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } =
    process.env
  return given ?? join(caches, 'reticle')
}

/**
 * Returns a version together with a hash of the files that pin it: `4.4.0-1f3a5b7c`.
 * @param {string} version
 * @param {string[]} pins
 */
export function versionOf(version, ...pins) {
  const hash = createHash('sha256')
  for (const pin of pins) hash.update(readFileSync(pin))
  return `${version}-${hash.digest('hex').slice(0, 8)}`
}

/**
 * Returns the folder of a component, created by `make(folder)` if it is missing. It appears complete or not at all. Of
 * several concurrent starts one creates it and the others wait.
 *
 * @param {string} component
 * @param {string} version
 * @param {(folder: string) => Promise<unknown>} make
 */
export async function ensureCached(component, version, make) {
  const folder = join(root(), component, version)
  if (existsSync(folder)) return folder
  await mkdir(dirname(folder), { recursive: true })
  const unlock = await lock(`${folder}.lock`)
  try {
    if (!existsSync(folder)) await makeWhole(folder, make)
  } finally {
    await unlock()
  }
  return folder
}

/**
 * @param {string} folder
 * @param {(folder: string) => Promise<unknown>} make
 */
async function makeWhole(folder, make) {
  const halves = (await readdir(dirname(folder)))
    .map((name) => join(dirname(folder), name))
    .filter((path) => path.startsWith(`${folder}.tmp-`))
  for (const left of halves) await rm(left, { recursive: true, force: true }) // of makers that were killed
  const half = `${folder}.tmp-${process.pid}`
  await mkdir(half)
  try {
    await make(half)
    await rename(half, folder)
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

/**
 * Only avoids duplicate work: the result appears by one rename, with or without the lock.
 * @param {string} path
 */
async function lock(path) {
  const draft = `${path}.${process.pid}`
  await writeFile(draft, String(process.pid))
  try {
    while (!(await taken(draft, path))) {
      const holder = Number(await readFile(path, 'utf8').catch(() => Number.NaN))
      if (Number.isInteger(holder) && !isAlive(holder)) await rm(path, { force: true })
      else await sleep(250)
    }
  } finally {
    await rm(draft, { force: true })
  }
  return () => rm(path, { force: true })
}

/**
 * Creates the lock as a link, so that it always contains the pid.
 * @type {(draft: string, path: string) => Promise<boolean>}
 */
const taken = (draft, path) =>
  link(draft, path).then(
    () => true,
    (/** @type {NodeJS.ErrnoException} */ error) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
