/** Finds the members of an archive that an annotation file names. */

import type { ConversionRun, FileImage, FileSubset } from '../model/dataset.ts'
import { FormatError } from '../report/errors.ts'
import { baseOf, isImageName, percentDecoded, withoutExtension } from '../text/paths.ts'

export interface MemberFinder {
  /**
   * Returns the member that one of the paths refers to: below one of the folders, most likely first, or else the only
   * member that ends with the path and is not below a folder named in `others`. Then the same for percent-decoded
   * paths.
   */
  find(
    paths: readonly string[],
    folders: readonly string[],
    others: readonly string[],
  ): string | undefined
}

export function createMemberFinder(names: Iterable<string>): MemberFinder {
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

/** Creates a finder for images by their paths without extension; the first of several wins. */
export function createImageFinder(names: Iterable<string>): MemberFinder {
  const byStem = new Map<string, string>()
  for (const name of names) {
    const stem = withoutExtension(name)
    if (isImageName(name) && !byStem.has(stem)) byStem.set(stem, name)
  }
  const stems = createMemberFinder(byStem.keys())
  return { find: (...referenced) => byStem.get(stems.find(...referenced) ?? '') }
}

export interface ReferencedImage {
  /** Name in the annotation file, for messages. */
  given: string
  /** Returns the name of the frame; it takes the extension from the member. */
  name(member: string): string
  /** Member of the archive, or undefined when it is missing. */
  member: string | undefined
  isAnnotated: boolean
}

/**
 * Returns the images of a subset that are in the archive.
 * @throws {FormatError} when none of the images is present, an annotated one is missing, or two have the same name
 */
export function locatedImages(images: Iterable<ReferencedImage>, file: string): FileImage[] {
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
 * Reports images of an archive that become no frame because no document or list names them.
 * @param isAnnotation Returns whether an image contains masks or other annotations.
 */
export function noteUnusedPictures(
  names: Iterable<string>,
  subsets: readonly FileSubset[],
  { report }: Pick<ConversionRun, 'report'>,
  isAnnotation: (name: string) => boolean = () => false,
): void {
  const used = new Set(subsets.flatMap(({ images }) => images.map(({ member }) => member)))
  const reason = 'no document or list names the picture, it becomes no frame'
  for (const file of names)
    if (isImageName(file) && !used.has(file) && !isAnnotation(file))
      report.note('skipped', 'ignored-file', reason, { file })
}
