import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** What is downloaded or built once lies outside of every checkout: `<cache>/<component>/<version>/`. */

function root() {
  const { RETICLE_CACHE_DIR: given, XDG_CACHE_HOME: caches = join(homedir(), '.cache') } =
    process.env
  return given ?? join(caches, 'reticle')
}

/** `4.4.0-1f3a5b7c`: a version together with the content of the files that pin it. */
export function versionOf(version, ...pins) {
  const hash = createHash('sha256')
  for (const pin of pins) hash.update(readFileSync(pin))
  return `${version}-${hash.digest('hex').slice(0, 8)}`
}

/**
 * The folder of a component, made by `make(folder)` when it is not there. It appears complete or not at all. Of several
 * starts at once one makes it and the others wait.
 */
export async function cached(component, version, make) {
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

/** Saves double work only: what is made appears by one rename, with or without the lock. */
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

/** Linked, so that the lock is never seen without the pid in it. */
const taken = (draft, path) =>
  link(draft, path).then(
    () => true,
    (error) => {
      if (error.code === 'EEXIST') return false
      throw error
    },
  )

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
