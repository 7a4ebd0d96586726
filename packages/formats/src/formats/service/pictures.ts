/** Finds the images of an archive by the names that documents use. */
import { distinctNames, fileName } from '../../exporting/export-files.ts'
import { normalizePath } from '../../importing/match-frames.ts'
import {
  createImageFinder,
  createMemberFinder,
  type MemberFinder,
} from '../../importing/members.ts'
import { isImageName, parentOf, spelledAs, withoutExtension } from '../../text/paths.ts'
import { isDocumentName } from './documents.ts'
import type { ImageFolder } from './image-folders.ts'

export interface ArchivePicture {
  member: string
  /** Name of the frame. */
  name: string
}

/** The images of one subset. */
export interface SubsetPictures {
  /** Returns the image of an `<image>` element. */
  find(name: string): ArchivePicture | undefined
  /** Returns all images in the folders of the subset, in the order of the archive. */
  list(): ArchivePicture[]
}

export type PicturesOf = (imageFolder: ImageFolder, subset: string) => SubsetPictures

/** Creates a finder for images among the members of an archive. */
export function picturesOf(
  names: Iterable<string>,
  imageFolders: readonly ImageFolder[],
): PicturesOf {
  const all = [...names].filter((name) => !isDocumentName(name))
  const finders = { exact: createMemberFinder(all), byStem: createImageFinder(all) }
  return (imageFolder, subset) => {
    const elsewhere = imageFolders.filter((one) => one !== imageFolder).map(({ folder }) => folder)
    const own = namesOf(subset, imageFolder)
    const others = [
      ...subsetsOf(imageFolder).flatMap((one) => namesOf(one, imageFolder)),
      ...elsewhere.map(withoutSlash),
    ]
    const where = {
      ...finders,
      folders: foldersAround(imageFolder, subset),
      others: others.filter((one) => one !== '' && !own.includes(one)),
    }
    const folders = foldersOf(imageFolder, subset)
    const deeper = elsewhere.filter((folder) => folder.startsWith(imageFolder.folder))
    return {
      find: (name) => findPicture(normalizePath(name), where),
      list: () =>
        all.flatMap((member) => {
          const folder = folders.find((one) => member.startsWith(one))
          const isElsewhere = deeper.some((one) => member.startsWith(one))
          if (folder === undefined || isElsewhere || !isImageName(member)) return []
          return [{ member, name: member.slice(folder.length) }]
        }),
    }
  }
}

interface Where {
  exact: MemberFinder
  byStem: MemberFinder
  folders: readonly string[]
  others: readonly string[]
}

/** Finds an image. Frames of videos are named without the extension of their images. */
function findPicture(name: string, where: Where): ArchivePicture | undefined {
  const { exact, byStem, folders, others } = where
  const same = exact.find([name], folders, others)
  if (same !== undefined) return { member: same, name: spelledAs(same, name) }
  const stem = isImageName(name) ? withoutExtension(name) : name
  const member = byStem.find([stem], folders, others)
  if (member === undefined) return undefined
  return { member, name: `${stem}${member.slice(withoutExtension(member).length)}` }
}

/**
 * Returns the possible folder names of a subset: not every subset name is a valid folder name, and names of other
 * subsets are excluded.
 */
function namesOf(subset: string, imageFolder: ImageFolder): string[] {
  const folders = distinctNames(subsetsOf(imageFolder))
  const own = folders.get(subset) ?? fileName(subset)
  const isOfAnother = [...folders].some(([other, name]) => other !== subset && name === subset)
  return isOfAnother ? [own] : [...new Set([own, subset])]
}

const subsetsOf = ({ tasks }: ImageFolder): string[] => [
  ...new Set(tasks.map(({ subset }) => subset)),
]

/** Returns the folders that contain only images of the subset. */
function foldersOf(imageFolder: ImageFolder, subset: string): string[] {
  if (!imageFolder.isSplit) return [imageFolder.folder]
  const own = namesOf(subset, imageFolder).map((name) => `${imageFolder.folder}${name}/`)
  return subsetsOf(imageFolder).length > 1 ? own : [...own, imageFolder.folder]
}

/** Returns the folders that may contain images of the subset. */
function foldersAround(imageFolder: ImageFolder, subset: string): string[] {
  const around = parentOf(imageFolder.folder)
  return [...new Set([...foldersOf(imageFolder, subset), imageFolder.folder, around])]
}

const withoutSlash = (folder: string): string => folder.replace(/\/$/, '')
