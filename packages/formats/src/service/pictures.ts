/** Finds the images of an archive by the names that documents use. */
import { distinctNames, fileName } from '../export-files.ts'
import { normalised } from '../match-frames.ts'
import {
  imageFinder,
  isImageName,
  type MemberFinder,
  memberFinder,
  parentOf,
  spelledAs,
  withoutExtension,
} from '../members.ts'
import { isDocumentName } from './documents.ts'
import type { Place } from './places.ts'

export interface Picture {
  member: string
  /** Name of the frame. */
  name: string
}

/** The images of one subset. */
export interface Pictures {
  /** Returns the image of an `<image>` element. */
  find(name: string): Picture | undefined
  /** Returns all images in the folders of the subset, in the order of the archive. */
  list(): Picture[]
}

export type PicturesOf = (place: Place, subset: string) => Pictures

/** Creates a finder for images among the members of an archive. */
export function picturesOf(names: Iterable<string>, places: readonly Place[]): PicturesOf {
  const all = [...names].filter((name) => !isDocumentName(name))
  const finders = { exact: memberFinder(all), byStem: imageFinder(all) }
  return (place, subset) => {
    const elsewhere = places.filter((one) => one !== place).map(({ folder }) => folder)
    const own = namesOf(subset, place)
    const others = [
      ...subsetsOf(place).flatMap((one) => namesOf(one, place)),
      ...elsewhere.map(withoutSlash),
    ]
    const where = {
      ...finders,
      folders: foldersAround(place, subset),
      others: others.filter((one) => one !== '' && !own.includes(one)),
    }
    const folders = foldersOf(place, subset)
    const deeper = elsewhere.filter((folder) => folder.startsWith(place.folder))
    return {
      find: (name) => findPicture(normalised(name), where),
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
function findPicture(name: string, where: Where): Picture | undefined {
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
function namesOf(subset: string, place: Place): string[] {
  const folders = distinctNames(subsetsOf(place))
  const own = folders.get(subset) ?? fileName(subset)
  const isOfAnother = [...folders].some(([other, name]) => other !== subset && name === subset)
  return isOfAnother ? [own] : [...new Set([own, subset])]
}

const subsetsOf = ({ tasks }: Place): string[] => [...new Set(tasks.map(({ subset }) => subset))]

/** Returns the folders that contain only images of the subset. */
function foldersOf(place: Place, subset: string): string[] {
  if (!place.isSplit) return [place.folder]
  const own = namesOf(subset, place).map((name) => `${place.folder}${name}/`)
  return subsetsOf(place).length > 1 ? own : [...own, place.folder]
}

/** Returns the folders that may contain images of the subset. */
function foldersAround(place: Place, subset: string): string[] {
  const around = parentOf(place.folder)
  return [...new Set([...foldersOf(place, subset), place.folder, around])]
}

const withoutSlash = (folder: string): string => folder.replace(/\/$/, '')
