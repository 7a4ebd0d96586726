import { createHash, randomUUID } from 'node:crypto'
import type { Stats, WriteStream } from 'node:fs'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { unavailable } from '../call/errors.ts'
import { pieceBytes } from '../call/pieces.ts'
import { untilAborted } from './abort.ts'
import {
  type BlobInfo,
  type BlobStore,
  boundsOf,
  checkKey,
  checkPrefix,
  missingBlob,
  type StoredBlob,
} from './blob.ts'
import { ownFile, removeDraft, writeDraft } from './disk-draft.ts'

/** Folder mode: access for the owner only. */
const ownFolder = 0o700

/** Folder of unfinished files. It cannot collide with an object because no key begins with a dot. */
const drafts = '.drafts'

/**
 * Opens a store that keeps each object in a file below `root`, creating folders as needed. Several processes and
 * threads may open the same `root`. File modes keep other accounts of the machine out, independent of the umask.
 */
export async function diskBlobs(root: string): Promise<BlobStore> {
  await mkdir(join(root, drafts), { recursive: true, mode: ownFolder })
  const pathOf = (key: string) => {
    checkKey(key)
    return join(root, key)
  }

  return {
    put: (key, chunks, options) => put(root, pathOf(key), chunks, options?.signal),
    putInSteps: async (key, chunks, steps) => {
      const path = pathOf(key)
      const draft = draftOf(root, key)
      try {
        const { ino } = await writeDraft(draft, key, chunks, steps)
        if ((await stat(draft).catch(() => undefined))?.ino !== ino) throw overtaken()
        await moveInto(draft, path)
      } catch (thrown) {
        throw steps.signal?.aborted ? steps.signal.reason : roomOr(thrown)
      }
      const found = await stat(path)
      return { size: found.size, etag: etagOf(found) }
    },
    abandon: (key) => {
      checkKey(key)
      return removeDraft(draftOf(root, key))
    },
    get: async (key, range) => {
      const { size } = await statFile(pathOf(key), key)
      return { size, chunks: read(pathOf(key), key, boundsOf(size, range)) }
    },
    stat: async (key) => infoOf(key, await statFile(pathOf(key), key)),
    remove: async (key) => {
      await rm(pathOf(key), { force: true })
      await removeEmpty(root, dirname(key))
    },
    removePrefix: async (prefix) => {
      checkPrefix(prefix)
      let removed = 0
      for await (const { key } of walk(root, prefix)) {
        await rm(pathOf(key), { force: true })
        await removeEmpty(root, dirname(key))
        removed++
      }
      return removed
    },
    list: (prefix) => {
      checkPrefix(prefix)
      return walk(root, prefix)
    },
    removeUnfinished: (before) => removeDrafts(join(root, drafts), before),
  }
}

/** Returns the path of the draft of a put in steps, which follows from the key. */
const draftOf = (root: string, key: string) =>
  join(root, drafts, createHash('sha256').update(key).digest('hex'))

const overtaken = () => unavailable('Another process goes on with this object.')

async function removeDrafts(dir: string, before: Date): Promise<number> {
  let removed = 0
  for (const name of await readdir(dir)) {
    const found = await stat(join(dir, name)).catch(() => undefined)
    if (!found || found.mtime >= before) continue
    await rm(join(dir, name), { force: true })
    removed++
  }
  return removed
}

/**
 * Writes to a draft, flushes it to the disk and renames it, so that neither a reader nor a crash sees a partial object.
 */
async function put(
  root: string,
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> {
  const draft = join(root, drafts, randomUUID())
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of signal ? untilAborted(chunks, signal) : chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  let file: WriteStream | undefined
  try {
    signal?.throwIfAborted()
    file = createWriteStream(draft, { flush: true, mode: ownFile })
    await pipeline(hashed, file, { signal })
    await moveInto(draft, path)
  } catch (thrown) {
    if (file) await closed(file) // otherwise a file that is still being created would appear after its removal
    await rm(draft, { force: true })
    throw signal?.aborted ? signal.reason : roomOr(thrown)
  }
  const found = await stat(path)
  return { size: found.size, sha256: hash.digest('hex'), etag: etagOf(found) }
}

async function closed(file: WriteStream): Promise<void> {
  if (!file.closed) await new Promise<void>((resolve) => file.once('close', () => resolve()))
}

/**
 * Renames the draft. Its target folder may be removed as empty between `mkdir` and `rename`; both are then repeated.
 */
async function moveInto(draft: string, path: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: ownFolder })
      await rename(draft, path)
      break
    } catch (error) {
      if (!isMissing(error) || tries === 10) throw error
    }
  }
  await flushFolder(dirname(path))
}

/** Flushes the folder, which makes the rename durable. Windows cannot open folders and does not need this. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const folder = await open(path).catch(() => undefined)
  await folder?.sync().finally(() => folder.close())
}

/** Opens the file at the first read, so that an unread object leaves no open file. */
async function* read(path: string, key: string, { first, last }: { first: number; last: number }) {
  if (last < first) return
  const file = await open(path).catch((error) => {
    throw isMissing(error) ? missingBlob(key) : error
  })
  try {
    for (let at = first; at <= last; ) {
      const room = Buffer.allocUnsafe(Math.min(pieceBytes, last + 1 - at))
      const { bytesRead } = await file.read(room, 0, room.length, at)
      if (bytesRead === 0) return
      yield room.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function* walk(root: string, prefix: string, folder = ''): AsyncGenerator<BlobInfo> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  const named = entries.map((entry) => ({
    entry,
    key: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`,
  }))
  for (const { entry, key } of named.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    if (key.startsWith('.')) continue
    if (entry.isDirectory() && (key.startsWith(prefix) || prefix.startsWith(key))) {
      yield* walk(root, prefix, key)
    } else if (entry.isFile() && key.startsWith(prefix)) {
      const found = await stat(join(root, key)).catch(() => undefined)
      if (found) yield infoOf(key, found)
    }
  }
}

async function statFile(path: string, key: string): Promise<Stats> {
  const found = await stat(path).catch((error) => {
    throw isMissing(error) ? missingBlob(key) : error
  })
  if (!found.isFile()) throw missingBlob(key)
  return found
}

async function removeEmpty(root: string, folder: string): Promise<void> {
  for (let at = folder; at !== '.'; at = dirname(at)) {
    const removed = await rmdir(join(root, at)).then(
      () => true,
      () => false,
    )
    if (!removed) return
  }
}

const infoOf = (key: string, found: Stats): BlobInfo => ({
  key,
  size: found.size,
  etag: etagOf(found),
  modified_date: found.mtime,
})
/**
 * Builds the entity tag. Every put creates a new file, so the inode
 * distinguishes files of equal size and modification time.
 */
const etagOf = ({ size, mtimeMs, ino }: Stats) =>
  [size, Math.trunc(mtimeMs * 1000), ino].map((n) => n.toString(36)).join('-')

const missingCodes = new Set<unknown>(['ENOENT', 'ENOTDIR'])
const isMissing = (error: unknown) => missingCodes.has(codeOf(error))

const codeOf = (error: unknown): unknown =>
  error instanceof Error ? Reflect.get(error, 'code') : undefined

const fullCodes = new Set<unknown>(['ENOSPC', 'EDQUOT'])
const fullSeconds = 60

/** Converts the error of a full disk to `unavailable`: it is temporary, like a store that cannot be reached. */
function roomOr(thrown: unknown): unknown {
  if (!fullCodes.has(codeOf(thrown))) return thrown
  const full = unavailable('There is no room left in the object storage.', fullSeconds)
  return Object.assign(full, { cause: thrown })
}
