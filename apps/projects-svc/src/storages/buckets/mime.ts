import type { mimeTypes } from '@reticle/contracts/rest/cloud-storages'

type MimeType = (typeof mimeTypes)[number]

/** File types by extension. */
const extensions: Partial<Record<MimeType, string>> = {
  image: 'jpg jpeg jpe png webp tif tiff gif bmp avif',
  video: 'mp4 m4v mov avi mkv webm mpg mpeg wmv flv',
  archive: 'zip tar gz tgz bz2 xz zst 7z rar',
  pdf: 'pdf',
}

const known = new Map(
  Object.entries(extensions).flatMap(([type, names]) =>
    names.split(' ').map((name) => [name, type as MimeType] as const),
  ),
)

export function mimeTypeOf(name: string): MimeType {
  const [, extension = ''] = /\.([^./]+)$/.exec(name.toLowerCase()) ?? []
  return known.get(extension) ?? 'unknown'
}
