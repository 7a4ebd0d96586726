import { constants, type Stats } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidText, notFound } from '@reticle/kit'
import { type BlobStore, boundsOf, type Range } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/call/pieces'
import { sourceChanged } from '../source-changed.ts'
import { isInside, throwShareUnavailable } from './folder.ts'

/** File of the share: its path relative to the root of the share, and its stamp. */
export interface SharedFile extends Stamp {
  path: string
}

/** Bytes, and time of the last modification in milliseconds since 1970. A replaced file has another stamp. */
interface Stamp {
  size: number
  modified: number
}

/** Prefix that no stored key has, because these contain no colon. */
const mark = 'share'

/**
 * Returns the key of a file that stays on the share. It contains the stamp of the file, so that every read detects a
 * replaced file. The final colon distinguishes it from keys of files in several objects, for any name.
 */
export const shareKey = ({ path, size, modified }: SharedFile): string =>
  `${mark}@${size}.${modified}:${path}:`

/** Keys without a stamp belong to media that was prepared by older versions. */
const stamped = /^share@(\d+)\.(-?\d+):(.+):$/s
const unstamped = /^share:(.+)$/s

export const isShareKey = (key: string): boolean => stamped.test(key) || unstamped.test(key)

interface SharedFileKey {
  path: string
  /** Undefined: any file at the path is accepted. */
  stamp?: Stamp
}

function readShareKey(key: string): SharedFileKey | undefined {
  const [, size, modified, path] = stamped.exec(key) ?? []
  if (path !== undefined) return { path, stamp: { size: Number(size), modified: Number(modified) } }
  const [, old] = unstamped.exec(key) ?? []
  return old === undefined ? undefined : { path: old }
}

/** Wraps a blob store to also read files of the share, under keys of `shareKey`. These keys are read-only. */
export function withShare(blobs: BlobStore, root: string | undefined): BlobStore {
  return {
    ...blobs,
    get: (key, range) => {
      const sharedKey = readShareKey(key)
      return sharedKey ? readShared(root, sharedKey, range) : blobs.get(key, range)
    },
    stat: async (key) => {
      const sharedKey = readShareKey(key)
      if (!sharedKey) return blobs.stat(key)
      const { size, modified } = await findShared(root, sharedKey)
      return { key, size, etag: `"${size}-${modified}"`, modified_date: new Date(modified) }
    },
  }
}

const missing = (path: string) =>
  notFound(`There is no file ${path} on the share.`, 'object_missing')

const stampOf = ({ size, mtimeMs }: Stats): Stamp => ({ size, modified: Math.floor(mtimeMs) })

/**
 * Compares a file with the prepared one.
 *
 * @throws DomainError conflict when they differ
 */
function assertSame(found: Stats, { path, stamp }: SharedFileKey): void {
  const { size, modified } = stampOf(found)
  if (stamp && (stamp.size !== size || stamp.modified !== modified))
    throw sourceChanged(path, 'file share')
}

async function findShared(root: string | undefined, sharedKey: SharedFileKey) {
  const { path } = sharedKey
  if (root === undefined) throw missing(path)
  const file = await resolveInside(await realpath(root).catch(throwShareUnavailable), path)
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined)
  if (file === undefined || !found?.isFile()) throw missing(path)
  assertSame(found, sharedKey)
  return { file, ...stampOf(found) }
}

async function readShared(root: string | undefined, sharedKey: SharedFileKey, range?: Range) {
  const { file, size } = await findShared(root, sharedKey)
  if (range?.end !== undefined && range.end >= size)
    throw sourceChanged(sharedKey.path, 'file share')
  return { size, chunks: piecesOf(file, sharedKey, boundsOf(size, range)) }
}

/** Does not follow a link that replaced the file meanwhile, and does not block on a pipe. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads a file, opened at the first piece, so that no handle stays open when the stream is not read. The last piece is
 * only returned if the file did not change while it was read.
 */
async function* piecesOf(
  file: string,
  sharedKey: SharedFileKey,
  { first, last }: { first: number; last: number },
): AsyncGenerator<Uint8Array> {
  if (last < first) return
  const unreadable = () => {
    throw missing(sharedKey.path)
  }
  const handle = await open(file, careful).catch(unreadable)
  try {
    assertSame(await handle.stat(), sharedKey)
    for (let at = first; at <= last; ) {
      const piece = Buffer.allocUnsafe(Math.min(pieceBytes, last + 1 - at))
      const { bytesRead } = await handle.read(piece, 0, piece.length, at).catch(unreadable)
      if (bytesRead === 0) throw sourceChanged(sharedKey.path, 'file share')
      at += bytesRead
      if (at > last) assertSame(await handle.stat(), sharedKey)
      yield piece.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Resolves a path; undefined if it does not exist or leads out of the share. */
async function resolveInside(top: string, path: string): Promise<string | undefined> {
  const found = await realpath(join(top, path)).catch(() => undefined)
  return found !== undefined && isInside(top, found) ? found : undefined
}

/**
 * Yields the files at a path of the share: the file itself, or all files below the folder, sorted by name. Links are
 * followed while they stay inside, and none twice on one path.
 *
 * Yields nothing when the path does not exist.
 */
export async function* filesBelow(root: string, path: string): AsyncGenerator<SharedFile> {
  const top = await realpath(root).catch(throwShareUnavailable)
  yield* below(top, path.replace(/\/$/, ''), [])
}

async function* below(
  top: string,
  path: string,
  folders: readonly string[],
): AsyncGenerator<SharedFile> {
  const real = await resolveInside(top, path)
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined)
  if (real === undefined || !found) return
  if (found.isFile()) yield { path, ...stampOf(found) }
  if (!found.isDirectory() || folders.includes(real)) return
  const names = await readdir(real).catch(() => {
    throw invalidText(`The folder ${path} of the share cannot be read`)
  })
  for (const name of names.sort()) yield* below(top, `${path}/${name}`, [...folders, real])
}
