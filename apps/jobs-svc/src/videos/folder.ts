import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const named = /^reticle-videos-(\d+)-/

/** Returns a folder for the local copies of this process, below the folder for temporary files. */
export const newVideoFolder = (root: string): string =>
  join(root, `reticle-videos-${process.pid}-${randomUUID().slice(0, 8)}`)

/** Removes the folders of dead processes, and of an earlier process with the same id. */
export async function removeLeftVideos(root: string, own: string): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const pid = Number(named.exec(name)?.[1])
    const folder = join(root, name)
    const isLeft = pid === process.pid ? folder !== own : pid > 0 && !isAlive(pid)
    if (isLeft) await rm(folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (thrown) {
    return thrown instanceof Error && Reflect.get(thrown, 'code') === 'EPERM'
  }
}
