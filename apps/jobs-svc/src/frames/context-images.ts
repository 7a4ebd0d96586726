import type { StoredImage } from '@reticle/contracts/rest/media'
import { type ArchiveFile, writeZip } from '@reticle/formats/archive/zip-writer'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { readSourceOrNothing } from './source.ts'

/** Every archive of the same files is the same. */
export const noTime = new Date(0)

/** The context images of a frame as they were uploaded, in one archive; called as they are below the folder that all are in. */
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

/** The longest beginning of all names that ends in "/"; none has one. */
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
