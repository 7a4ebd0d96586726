/** Finds the members of an archive that a file of annotations names (spec/formats.md 4.1 and 4.2). */
import { FormatError } from './errors.ts'
import type { FileImage, FileSubset, Run } from './model.ts'

export interface MemberFinder {
  /**
   * The member that one of these paths means: below one of the folders, the likeliest first, else the only one of the archive that
   * ends with the path, where that is not in a folder called as one of the others; then the same with the paths percent-decoded.
   */
  find(
    paths: readonly string[],
    folders: readonly string[],
    others: readonly string[],
  ): string | undefined
}

export function memberFinder(names: Iterable<string>): MemberFinder {
  const all = new Set<string>()
  const byBase = new Map<string, string[]>()
  for (const name of names) {
    all.add(name)
    const others = byBase.get(baseOf(name))
    if (others) others.push(name)
    else byBase.set(baseOf(name), [name])
  }
  const find: MemberFinder['find'] = (paths, folders, others) => {
    for (const folder of folders)
      for (const path of paths) if (all.has(`${folder}${path}`)) return `${folder}${path}`
    for (const path of paths) {
      const ending = (byBase.get(baseOf(path)) ?? []).filter(
        (name) =>
          name.endsWith(`/${path}`) && !others.some((one) => `/${name}`.includes(`/${one}/`)),
      )
      if (ending.length === 1) return ending[0]
    }
    return undefined
  }
  return {
    find(paths, folders, others) {
      const found = find(paths, folders, others)
      if (found !== undefined || paths.every((path) => !path.includes('%'))) return found
      return find(paths.map(percentDecoded), folders, others)
    },
  }
}

/** Finds pictures by their paths without extension; of several that have one the first. */
export function imageFinder(names: Iterable<string>): MemberFinder {
  const byStem = new Map<string, string>()
  for (const name of names) {
    const stem = withoutExtension(name)
    if (isImageName(name) && !byStem.has(stem)) byStem.set(stem, name)
  }
  const stems = memberFinder(byStem.keys())
  return { find: (...wanted) => byStem.get(stems.find(...wanted) ?? '') }
}

/** Endings of pictures that tasks are made of (spec/api-workspace.md 4.2). */
export const isImageName = (name: string): boolean =>
  /\.(avif|bmp|gif|heic|heif|jfif|jp2|jpe?g|pgm|png|pnm|ppm|tiff?|webp)$/i.test(name)

export interface WantedImage {
  /** As the file of annotations calls it, for messages. */
  given: string
  /** Of the frame, where the member's is not known yet: with the extension of the member. */
  name(member: string): string
  /** Found in the archive, or undefined. */
  member: string | undefined
  isAnnotated: boolean
}

/**
 * The pictures of a subset that are in the archive.
 * @throws {FormatError} when there are none of several, one is missing that has annotations, or two have one name
 */
export function locatedImages(images: Iterable<WantedImage>, file: string): FileImage[] {
  const found = new Map<string, FileImage>()
  const missing: string[] = []
  let count = 0
  for (const { given, name, member, isAnnotated } of images) {
    count += 1
    const other = member === undefined ? undefined : found.get(name(member))
    if (other && other.member !== member)
      throw new FormatError(`${other.member} and ${member} are both called ${other.name}`, { file })
    if (member !== undefined) found.set(name(member), { name: name(member), member })
    else if (isAnnotated) missing.push(given)
  }
  if (count > 0 && found.size === 0)
    throw new FormatError('none of its images is in the archive: media is required', { file })
  if (missing.length > 0) {
    const names = missing.slice(0, 10).join(', ')
    const reason = `${missing.length} images that have annotations are not in the archive: ${names}`
    throw new FormatError(reason, { file })
  }
  return [...found.values()]
}

/**
 * Reports the pictures of an archive that become no frame because no document or list names them.
 * @param isAnnotation Whether a picture holds masks or other annotations.
 */
export function noteUnusedPictures(
  names: Iterable<string>,
  subsets: readonly FileSubset[],
  { report }: Pick<Run, 'report'>,
  isAnnotation: (name: string) => boolean = () => false,
): void {
  const used = new Set(subsets.flatMap(({ images }) => images.map(({ member }) => member)))
  const reason = 'no document or list names the picture, it becomes no frame'
  for (const file of names)
    if (isImageName(file) && !used.has(file) && !isAnnotation(file))
      report.note('skipped', 'ignored-file', reason, { file })
}

/** The folder that all names share, with its last `/`. */
export function commonFolder(names: readonly string[]): string {
  const [first = ''] = names
  let folder = first.slice(0, first.lastIndexOf('/') + 1)
  while (!names.every((name) => name.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf('/', folder.length - 2) + 1)
  return folder
}

/** What a picture is called of which only the path without extension is said, or all of it. */
export function pictureName(id: string, member: string): string {
  const isWhole = `/${member}`.endsWith(`/${id}`)
  return isWhole ? id : `${id}${member.slice(withoutExtension(member).length)}`
}

/** The path that a file gives for a member, percent-decoded where the name of the member is. */
export const spelledAs = (member: string, path: string): string =>
  `/${member}`.endsWith(`/${path}`) ? path : percentDecoded(path)

/** Without the last extension only: `img.v2.jpg` is `img.v2`. */
export const withoutExtension = (path: string): string => path.replace(/\.[^./]+$/, '')

/** The folder that a member is in, with the last `/`; empty at the top. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** The folder around a folder, both with the last `/`. */
export const parentOf = (folder: string): string => folderOf(folder.slice(0, -1))

/** Without its folders. */
export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** `my%20picture.png` as `my picture.png`; other bytes stay as they are. */
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
