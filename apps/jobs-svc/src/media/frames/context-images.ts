import type { StoredImage } from '@reticle/contracts/rest/media'
import { type ArchiveFile, writeZip } from '@reticle/formats/archive/zip-writer'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { readSourceOrNothing } from './source.ts'

/** Fixed date, so that archives of the same files are identical. */
export const noTime = new Date(0)

/**
 * Writes the context images of a frame, as uploaded, into one archive. Their names are relative to their common folder.
 */
export function contextImages(
  blobs: Pick<BlobStore, 'get'>,
  images: readonly StoredImage[],
): AsyncGenerator<Uint8Array> {
  const above = commonFolder(images.map(({ name }) => name)).length
  const files = images.map(
    (image): ArchiveFile => ({
      path: image.name.slice(above),
      content: readSourceOrNothing(blobs, image),
      isStored: true,
    }),
  )
  return writeZip(files, noTime)
}

/** Returns the longest common prefix that ends in "/"; empty if none. */
function commonFolder(names: readonly string[]): string {
  const [first = ''] = names
  const parts = first.split('/').slice(0, -1)
  const isShared = (count: number) => {
    const folder = folderOf(parts.slice(0, count))
    return names.every((name) => name.startsWith(folder))
  }
  while (!isShared(parts.length)) parts.pop()
  return folderOf(parts)
}

const folderOf = (parts: readonly string[]) => parts.map((part) => `${part}/`).join('')
