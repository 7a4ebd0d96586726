import { createHash, type Hash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { DomainError } from '@reticle/kit/call/errors'
import type { ArchiveWriter, TarFile } from '@reticle/kit/ops/dump/archive'
import { type Checksums, layout } from '@reticle/kit/ops/dump/manifest'
import { objectsOf } from '../data-dir/objects.ts'

type Sum = Checksums['objects']

/**
 * Adds every object, one after another. Objects that are removed meanwhile are skipped: the snapshot of the rows was
 * taken before, and objects are removed long after their rows.
 */
export async function writeObjects(archive: ArchiveWriter, dataDir: string): Promise<Sum> {
  const blobs = await diskBlobs(objectsOf(dataDir))
  const sum = countObjects()
  for (const top of await topOf(dataDir)) {
    for await (const { key } of blobs.list(top)) {
      if (key !== top && !key.startsWith(`${top}/`)) continue // another name with the same prefix, which is listed by itself
      const opened = await open(blobs, key)
      if (!opened) continue
      const hash = createHash('sha256')
      await archive.add(`${layout.objects}/${key}`, opened.size, hashed(opened.chunks, hash))
      sum.add({ key, size: opened.size, sha256: hash.digest('hex') })
    }
  }
  return sum.result()
}

/** Creates a reader that stores the objects of an archive, one per call, in order. */
export async function objectReader(dataDir: string) {
  const blobs = await diskBlobs(objectsOf(dataDir))
  const sum = countObjects()
  return {
    take: async ({ name, chunks }: TarFile) => {
      const key = name.slice(layout.objects.length + 1)
      const { size, sha256 } = await blobs.put(key, chunks)
      sum.add({ key, size, sha256 })
    },
    /** @throws Error when they differ from the written ones */
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

/** Sum for a backup whose objects are stored elsewhere. */
export const noObjects: Sum = countObjects().result()

/** Lists the first segments of keys; names that start with a dot are internal to the store. */
async function topOf(dataDir: string): Promise<string[]> {
  const names = await readdir(objectsOf(dataDir))
  return names.filter((name) => !name.startsWith('.')).sort()
}

/** Opens an object and reads its first piece, so that it stays readable even if it is removed. */
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
