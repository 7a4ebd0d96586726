/** The pictures of an archive, and what documents call them (spec/formats.md 7.2). */
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
  /** As its frame is to be called. */
  name: string
}

/** The pictures of one subset. */
export interface Pictures {
  /** That of an image element. */
  find(name: string): Picture | undefined
  /** All that lie where those of the subset are, in the order of the archive. */
  list(): Picture[]
}

export type PicturesOf = (place: Place, subset: string) => Pictures

/** Finds pictures among the members of an archive. */
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

/** Frames of videos are called without the extension of their pictures. */
function findPicture(name: string, where: Where): Picture | undefined {
  const { exact, byStem, folders, others } = where
  const same = exact.find([name], folders, others)
  if (same !== undefined) return { member: same, name: spelledAs(same, name) }
  const stem = isImageName(name) ? withoutExtension(name) : name
  const member = byStem.find([stem], folders, others)
  if (member === undefined) return undefined
  return { member, name: `${stem}${member.slice(withoutExtension(member).length)}` }
}

/** A folder cannot be called as any subset, and is not called as one that has another folder. */
function namesOf(subset: string, place: Place): string[] {
  const folders = distinctNames(subsetsOf(place))
  const own = folders.get(subset) ?? fileName(subset)
  const isOfAnother = [...folders].some(([other, name]) => other !== subset && name === subset)
  return isOfAnother ? [own] : [...new Set([own, subset])]
}

const subsetsOf = ({ tasks }: Place): string[] => [...new Set(tasks.map(({ subset }) => subset))]

/** Where all pictures are those of the subset. */
function foldersOf(place: Place, subset: string): string[] {
  if (!place.isSplit) return [place.folder]
  const own = namesOf(subset, place).map((name) => `${place.folder}${name}/`)
  return subsetsOf(place).length > 1 ? own : [...own, place.folder]
}

/** Where pictures of the subset may be. */
function foldersAround(place: Place, subset: string): string[] {
  const around = parentOf(place.folder)
  return [...new Set([...foldersOf(place, subset), place.folder, around])]
}

const withoutSlash = (folder: string): string => folder.replace(/\/$/, '')
