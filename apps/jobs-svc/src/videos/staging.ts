import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { copyToDisk } from '../media/local-copy.ts'
import { UnusableInput } from '../operations/operation.ts'
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
