/** Parts of the paths that archive members and items of files have; folders end with `/`. */

/** Extensions of images that tasks accept. */
export const isImageName = (name: string): boolean =>
  /\.(avif|bmp|gif|heic|heif|jfif|jp2|jpe?g|pgm|png|pnm|ppm|tiff?|webp)$/i.test(name)

/** Returns the folder that all names share, with its trailing `/`. */
export function commonFolder(names: readonly string[]): string {
  const [first = ''] = names
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  while (!names.every((name) => name.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}

/** Returns the path that a file states for a member, percent-decoded if the member's name is not encoded. */
export const spelledAs = (member: string, path: string): string =>
  `/${member}`.endsWith(`/${path}`) ? path : percentDecoded(path)

/** Removes only the last extension: `img.v2.jpg` becomes `img.v2`. */
export const withoutExtension = (path: string): string => path.replace(/\.[^./]+$/, '')

/** Returns the folder of a member, with its trailing `/`; empty at the top level. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** Returns the parent of a folder, both with trailing `/`. */
export const parentOf = (folder: string): string => folderOf(folder.slice(0, -1))

/** Returns the name without its folders. */
export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Decodes `my%20picture.png` to `my picture.png`; invalid sequences stay unchanged. */
export function percentDecoded(path: string): string {
  if (!path.includes('%')) return path
  const text = path.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
  return text.normalize('NFC')
}

/** Returns the name of an image whose file entry is its path with or without extension. */
export function pictureName(id: string, member: string): string {
  const isWhole = `/${member}`.endsWith(`/${id}`)
  return isWhole ? id : `${id}${member.slice(withoutExtension(member).length)}`
}
