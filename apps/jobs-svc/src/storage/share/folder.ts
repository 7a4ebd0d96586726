import type { Dirent } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import type { ShareEntry } from '@reticle/contracts/rest/server'
import { invalidText, unavailable } from '@reticle/kit'

/**
 * Lists one folder of the share: folders first, then by name. Paths are resolved, and entries that lead out of the
 * share are left out.
 *
 * @throws DomainError invalid for a path that is not a folder of the share, unavailable when the share itself is
 *   missing
 */
export async function readFolder(
  root: string,
  directory: string,
  search: string,
): Promise<ShareEntry[]> {
  const top = await realpath(root).catch(throwShareUnavailable)
  const refuse = () => {
    throw invalidText(`${directory.slice(0, 200)} is an invalid directory`)
  }
  const folder = await realpath(join(top, directory)).catch(refuse)
  if (!isInside(top, folder)) refuse()
  const entries = await readdir(folder, { withFileTypes: true }).catch(refuse)
  const named = entries.filter(({ name }) => name.startsWith(search))
  const found = await Promise.all(named.map((one) => entryOf(top, folder, one)))
  return found.filter((one) => one !== undefined).sort(inOrder)
}

/**
 * Reports the share as unreachable.
 *
 * @throws DomainError unavailable
 */
export function throwShareUnavailable(): never {
  throw unavailable('The share is not there.')
}

/** Returns whether a resolved path is inside the share; `realpath` has resolved `..` and links. */
export const isInside = (top: string, path: string) =>
  path === top || path.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)

/** Returns an entry; undefined for sockets, devices, and links that are broken or lead out of the share. */
async function entryOf(
  top: string,
  folder: string,
  dirent: Dirent,
): Promise<ShareEntry | undefined> {
  const { name } = dirent
  const path = join(folder, name)
  const found = dirent.isSymbolicLink() ? await followed(top, path) : dirent
  if (found?.isDirectory()) return { name, type: 'DIR', mime_type: 'DIR' }
  return found?.isFile() ? { name, type: 'REG', mime_type: familyOf(name) } : undefined
}

async function followed(top: string, link: string) {
  const path = await realpath(link).catch(() => undefined)
  return path !== undefined && isInside(top, path) ? stat(path) : undefined
}

/** Sorts names by code point, independently of the locale. */
function inOrder(one: ShareEntry, other: ShareEntry): number {
  if (one.type !== other.type) return one.type === 'DIR' ? -1 : 1
  return one.name < other.name ? -1 : 1
}

/** Media families by name endings, the same as CVAT's, because a listing opens no file. */
const families: Record<string, readonly string[]> = {
  image: ['jpg', 'jpeg', 'png', 'webp', 'tif', 'tiff', 'gif', 'bmp', 'avif', 'heic'],
  video: ['mp4', 'm4v', 'mov', 'avi', 'mkv', 'webm', 'mpg', 'mpeg', 'flv', 'wmv'],
  archive: ['zip', 'tar', 'gz', 'tgz', 'bz2', 'xz', '7z', 'rar', 'zst'],
  pdf: ['pdf'],
}

export function familyOf(name: string): string {
  const end = /[^.]\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
  return Object.entries(families).find(([, ends]) => ends.includes(end))?.[0] ?? 'unknown'
}
