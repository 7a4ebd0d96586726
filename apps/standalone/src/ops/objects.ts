import { createHash, type Hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import type { ArchiveWriter, Member } from '@reticle/kit/dump/archive'
import { type Checksums, layout } from '@reticle/kit/dump/manifest'
import { DomainError } from '@reticle/kit/errors'
import { objectsOf } from '../objects.ts'

type Sum = Checksums['objects']

/**
 * Adds every object, one after another. What is removed meanwhile is left out: the snapshot of the rows came first, and
 * objects are removed long after their rows (`reliability.md` 16.1).
 */
export async function writeObjects(archive: ArchiveWriter, dataDir: string): Promise<Sum> {
  const blobs = await diskBlobs(objectsOf(dataDir))
  const sum = countObjects()
  for (const top of await topOf(dataDir)) {
    for await (const { key } of blobs.list(top)) {
      if (key !== top && !key.startsWith(`${top}/`)) continue // begins alike, and comes later
      const opened = await open(blobs, key)
      if (!opened) continue
      const hash = createHash('sha256')
      await archive.add(`${layout.objects}/${key}`, opened.size, hashed(opened.chunks, hash))
      sum.add({ key, size: opened.size, sha256: hash.digest('hex') })
    }
  }
  return sum.result()
}

/** Takes in the objects of an archive, one call each, in its order. */
export async function objectReader(dataDir: string) {
  const blobs = await diskBlobs(objectsOf(dataDir))
  const sum = countObjects()
  return {
    take: async ({ name, chunks }: Member) => {
      const key = name.slice(layout.objects.length + 1)
      const { size, sha256 } = await blobs.put(key, chunks)
      sum.add({ key, size, sha256 })
    },
    /** @throws Error when they are not those that were written */
    verify: (written: Sum) => {
      const read = sum.result()
      if (read.sha256 === written.sha256) return
      throw new Error(
        read.count === written.count
          ? 'the backup is damaged: objects were changed'
          : `the backup is damaged: it has ${read.count} objects, ${written.count} were written`,
      )
    },
  }
}

function countObjects() {
  const hash = createHash('sha256')
  let [count, bytes] = [0, 0]
  return {
    add: ({ key, size, sha256 }: { key: string; size: number; sha256: string }) => {
      hash.update(`${sha256} ${size} ${key}\n`)
      count++
      bytes += size
    },
    result: (): Sum => ({ count, bytes, sha256: hash.copy().digest('hex') }),
  }
}

/** Of a backup whose objects are elsewhere. */
export const noObjects: Sum = countObjects().result()

/** First names of keys; names with a dot are the store's own. */
async function topOf(dataDir: string): Promise<string[]> {
  const names = await readdir(objectsOf(dataDir))
  return names.filter((name) => !name.startsWith('.')).sort()
}

/** With its first piece read, so that the file is held even when it is removed. */
async function open(blobs: BlobStore, key: string) {
  try {
    const { size, chunks } = await blobs.get(key)
    const pieces = chunks[Symbol.asyncIterator]()
    const first = await pieces.next()
    return { size, chunks: from(first, pieces) }
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') return undefined
    throw thrown
  }
}

async function* from(first: IteratorResult<Uint8Array>, pieces: AsyncIterator<Uint8Array>) {
  for (let next = first; !next.done; next = await pieces.next()) yield next.value
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hash: Hash) {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}
