import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { copyToDisk } from '../../storage/stored-file.ts'
import { UnusableInput } from '../../work/errors.ts'
import type { StoredVideo } from './videos.ts'

export interface StagingOptions {
  blobs: Pick<BlobStore, 'get'>
  /** Folder of this process, removed on close. */
  folder: string
  /** Size limit of all copies in bytes; copies in use may exceed it. */
  mostBytes: number
}

const tooLarge = (name: string, mostBytes: number) =>
  new UnusableInput(
    `${name}: this installation keeps local copies of videos up to ${mostBytes} bytes (RETICLE_JOBS_VIDEO_CACHE_BYTES)`,
  )

/** Local copies of videos, the only files that decoders read. The least recently used copy is evicted for others. */
export interface Staging {
  /**
   * @throws UnusableInput for a video above the size limit; DomainError not_found, unavailable as the object store does
   */
  acquire: (video: StoredVideo) => Promise<{ path: string; release: () => void }>
  close: () => Promise<void>
}

interface Copy {
  path: string
  size: number
  users: number
  written: Promise<void>
}

export function openStaging({ blobs, folder, mostBytes }: StagingOptions): Staging {
  /** Sorted by use, most recent last. */
  const copies = new Map<string, Copy>()
  const closing = new AbortController()

  const write = async (video: StoredVideo, path: string) => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await copyToDisk(blobs, video, path, closing.signal)
  }
  const drop = async (key: string, { path }: Copy) => {
    copies.delete(key)
    await rm(path, { force: true })
  }
  const makeRoom = async (size: number) => {
    const taken = () => [...copies.values()].reduce((sum, copy) => sum + copy.size, 0)
    for (const [key, copy] of copies) {
      if (taken() + size <= mostBytes) return
      if (copy.users === 0) await drop(key, copy)
    }
  }
  const begin = (video: StoredVideo): Copy => {
    const path = join(folder, randomUUID())
    const written = makeRoom(video.size).then(() => write(video, path))
    return { path, size: video.size, users: 0, written }
  }

  return {
    acquire: async (video) => {
      const { key, size, name } = video
      if (size > mostBytes) throw tooLarge(name, mostBytes)
      const copy = copies.get(key) ?? begin(video)
      copies.delete(key)
      copies.set(key, copy)
      copy.users += 1
      try {
        await copy.written
      } catch (thrown) {
        copy.users -= 1
        if (copies.get(key) === copy) await drop(key, copy)
        throw thrown
      }
      let isHeld = true
      const release = () => {
        if (isHeld) copy.users -= 1
        isHeld = false
      }
      return { path: copy.path, release }
    },
    close: async () => {
      closing.abort()
      await Promise.allSettled([...copies.values()].map(({ written }) => written))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

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
