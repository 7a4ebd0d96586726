import { constants } from 'node:fs'
import { open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { invalidText, notFound } from '@reticle/kit'
import { type BlobStore, boundsOf, type Range } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/pieces'
import { away, isInside } from './folder.ts'

/** A file of the share: its path from there on, and its bytes. */
export interface SharedFile {
  path: string
  size: number
}

/** Keys of our own never hold a colon. */
const mark = 'share:'

/** The key of a file that stays where it is, on the share. */
export const shareKey = (path: string): string => `${mark}${path}`

export const isShareKey = (key: string): boolean => key.startsWith(mark)

/** A store that also gives the files of the share, under keys of `shareKey`; nothing is ever written there. */
export function withShare(blobs: BlobStore, root: string | undefined): BlobStore {
  return {
    ...blobs,
    get: (key, range) =>
      isShareKey(key) ? readShared(root, key.slice(mark.length), range) : blobs.get(key, range),
  }
}

const missing = (path: string) =>
  notFound(`There is no file ${path} on the share.`, 'object_missing')

async function readShared(root: string | undefined, path: string, range?: Range) {
  if (root === undefined) throw missing(path)
  const file = await resolveInside(await realpath(root).catch(away), path)
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined)
  if (file === undefined || !found?.isFile()) throw missing(path)
  const { size } = found
  return { size, chunks: piecesOf(file, path, boundsOf(size, range)) }
}

/** Neither a link that took the place of the file meanwhile is followed, nor a pipe waited for. */
const careful = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Opened at the first piece, so that nothing stays open when nobody reads. */
async function* piecesOf(
  file: string,
  path: string,
  { first, last }: { first: number; last: number },
): AsyncGenerator<Uint8Array> {
  if (last < first) return
  const handle = await open(file, careful).catch(() => {
    throw missing(path)
  })
  const bounds = { start: first, end: last, highWaterMark: pieceBytes }
  for await (const piece of handle.createReadStream(bounds)) yield piece as Uint8Array
}

/** Where a path really leads; undefined when that is nowhere, or out of the share. */
async function resolveInside(top: string, path: string): Promise<string | undefined> {
  const found = await realpath(join(top, path)).catch(() => undefined)
  return found !== undefined && isInside(top, found) ? found : undefined
}

/**
 * The files that a path of the share stands for: itself, or all that is in the folder and the folders in it, in the order of
 * their names. Links are followed as far as they stay inside, and none twice on one way down.
 *
 * @returns nothing at all when there is no such file or folder
 */
export async function* filesBelow(root: string, path: string): AsyncGenerator<SharedFile> {
  const top = await realpath(root).catch(away)
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
  if (found.isFile()) yield { path, size: found.size }
  if (!found.isDirectory() || folders.includes(real)) return
  const names = await readdir(real).catch(() => {
    throw invalidText(`The folder ${path} of the share cannot be read`)
  })
  for (const name of names.sort()) yield* below(top, `${path}/${name}`, [...folders, real])
}
