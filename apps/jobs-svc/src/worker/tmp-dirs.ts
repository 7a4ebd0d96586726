import type { Stats } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hardLimitMs } from '../work/request-work.ts'
import type { RequestLease } from './leases/repo-leases.ts'

const prefix = 'reticle-request-'

/**
 * Returns the folder of one attempt. The worker computes it too, to remove the folder of a converter that has exited.
 */
const tmpDirOf = (root: string, { request_uuid, lease_token }: RequestLease) =>
  join(root, `${prefix}${request_uuid}-${lease_token}`)

export async function makeTmpDir(root: string, lease: RequestLease): Promise<string> {
  const dir = tmpDirOf(root, lease)
  await mkdir(dir, { recursive: true, mode: 0o700 })
  return dir
}

export function removeTmpDir(root: string, lease: RequestLease): Promise<void> {
  return rm(tmpDirOf(root, lease), { recursive: true, force: true })
}

/** Other accounts may share the folder for temporary files; their files must not be removed. */
const isOurs = ({ uid }: Stats) => uid === (process.getuid?.() ?? uid)

/** Removes folders that killed workers left, except those that may still be in use. */
export async function removeAbandonedDirs(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const oldest = Date.now() - hardLimitMs
  for (const name of await readdir(root)) {
    if (!name.startsWith(prefix)) continue
    const found = await stat(join(root, name)).catch(() => undefined)
    if (found && isOurs(found) && found.mtimeMs < oldest)
      await rm(join(root, name), { recursive: true, force: true })
  }
}
