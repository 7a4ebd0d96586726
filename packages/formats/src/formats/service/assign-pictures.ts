/** Orders the images of a subset by frame, with the frame numbers that documents use. */

import { locatedImages } from '../../importing/members.ts'
import { FormatError } from '../../report/errors.ts'
import { withoutExtension } from '../../text/paths.ts'
import type { DocumentTask } from './image-folders.ts'
import type { ArchivePicture, SubsetPictures } from './pictures.ts'

export interface AssignedPicture extends ArchivePicture {
  /** Absolute number of the frame; undefined when no document states it. */
  number: number | undefined
}

interface Numbered {
  task: DocumentTask
  /** Offset of image numbers, and of frame numbers in tracks and in names of video frames. */
  offset: number
  trackOffset: number
  /** Frames of its tracks, without the offset. */
  listed: ReadonlySet<number>
}

export interface AssignedTask extends Numbered {
  /** In the order of frames. */
  pictures: AssignedPicture[]
}

/**
 * Assigns images to the tasks of one folder and subset: first images that elements name, then numbered frames of
 * videos, then the others in the order of their names, or for several tasks in the order of the archive.
 * @throws {FormatError} when an annotated image is missing, or tracks are on frames whose images cannot be determined
 */
export function assignPictures(
  tasks: readonly DocumentTask[],
  pictures: SubsetPictures,
): AssignedTask[] {
  const assigned = numberedFrom(tasks).map((one) => assignNamed(one, pictures))
  const named = new Set(assigned.flatMap((one) => one.pictures.map(({ member }) => member)))
  const free = pictures.list().filter(({ member }) => !named.has(member))
  const rest = assignNumbered(assigned, free)
  assignRest(assigned, tasks.length === 1 ? rest.toSorted(byName) : rest)
  for (const { pictures: own } of assigned)
    if (own.every(({ number }) => number !== undefined))
      own.sort((a, b) => (a.number ?? 0) - (b.number ?? 0))
  return assigned
}

const byName = (a: ArchivePicture, b: ArchivePicture): number => (a.name < b.name ? -1 : 1)

/**
 * Numbers the images of a task after those of the preceding tasks. CVAT numbers tracks the same way; our exports
 * number them in each task from the first frame of its media.
 */
function numberedFrom(tasks: readonly DocumentTask[]): Numbered[] {
  let next = 0
  const all = tasks.map((task) => {
    const offset = task.id === '' ? 0 : next
    const { about } = task
    next = about ? offset + about.start + about.step * about.size : endOf(task, offset)
    return { task, offset }
  })
  const fits = ({ task, offset }: { task: DocumentTask; offset: number }) =>
    [...task.listed].every((number) => hasNumber(task, number - offset))
  const isOffset = all.some((one) => !fits({ ...one, offset: 0 }) && fits(one))
  return all.map(({ task, offset }) => {
    const trackOffset = isOffset ? offset : 0
    const listed = new Set([...task.listed].map((number) => number - trackOffset))
    return { task, offset, trackOffset, listed }
  })
}

/** Returns the end of a task; without a description it ends with its last image. */
function endOf({ images }: DocumentTask, offset: number): number {
  const ids = images.flatMap(({ id }) => id ?? []).sort((a, b) => a - b)
  const last = ids.at(-1)
  return last === undefined ? offset : last + stepOf(ids)
}

/** Returns the smallest distance of ascending numbers. */
export function stepOf(numbers: readonly number[]): number {
  let least = Number.POSITIVE_INFINITY
  for (const [index, number] of numbers.entries()) {
    const gap = number - (numbers[index - 1] ?? Number.NEGATIVE_INFINITY)
    if (gap > 0) least = Math.min(least, gap)
  }
  return Number.isFinite(least) ? least : 1
}

/** Assigns the images that elements name, each one once. */
function assignNamed(numbered: Numbered, { find }: SubsetPictures): AssignedTask {
  const { task, offset } = numbered
  const found = new Map<string, AssignedPicture>()
  const referenced = task.images.flatMap(({ name, id, isAnnotated }) => {
    if (name === undefined) return []
    const picture = find(name)
    const number = id === undefined ? undefined : id - offset
    if (picture && !found.has(picture.member)) found.set(picture.member, { ...picture, number })
    const image = { given: name, name: () => name, member: picture?.member, isAnnotated }
    return [image]
  })
  locatedImages(referenced, [...task.files].join(', '))
  return { ...numbered, pictures: [...found.values()] }
}

/** Assigns frames of videos by the number in their names; returns the remaining images. */
function assignNumbered(
  assigned: readonly AssignedTask[],
  free: readonly ArchivePicture[],
): ArchivePicture[] {
  const numbered = free.map(({ name }) => numberIn(name))
  const numbers = new Set(numbered.flatMap((one) => one?.number ?? []))
  const videos = assigned.filter((one) => isVideo(one, numbers))
  return free.filter((picture, index) => {
    const found = numbered[index]
    if (!found) return true
    const numberOf = ({ trackOffset }: Numbered): number => found.number - trackOffset
    // Exports distinguish frames of several videos with the same number by a suffix.
    const own = videos.filter((one) => hasNumber(one.task, numberOf(one)))[found.before]
    own?.pictures.push({ ...picture, number: numberOf(own) })
    return own === undefined
  })
}

/**
 * Returns the number in a name, and how many frames with the same number precede it: `frame_000010`,
 * `frame_000010_1`.
 */
function numberIn(name: string): { number: number; before: number } | undefined {
  const [, digits, more = ''] = /^frame_(\d{6,15})((?:_1)*)$/.exec(withoutExtension(name)) ?? []
  return digits === undefined ? undefined : { number: Number(digits), before: more.length / 2 }
}

/** Returns whether a task is a video; without a description the frames of its tracks decide. */
const isVideo = ({ task, listed }: Numbered, numbers: ReadonlySet<number>): boolean =>
  task.about?.isVideo ?? [...listed].every((number) => numbers.has(number))

function hasNumber({ about }: DocumentTask, number: number): boolean {
  if (!about) return true
  const index = (number - about.start) / about.step
  return Number.isInteger(index) && index >= 0 && index < about.count
}

/**
 * Assigns the remaining images to frames without one, if they suffice for all of these frames or for those with
 * tracks.
 */
function assignRest(assigned: readonly AssignedTask[], free: readonly ArchivePicture[]): void {
  const last = assigned.at(-1)
  if (free.length === 0 || !last) return
  const needed = assigned.map(neededNumbers)
  const count = (all: readonly number[][]) => all.reduce((sum, { length }) => sum + length, 0)
  const open = assigned.reduce((sum, one) => sum + openCount(one, free.length), 0)
  if (open === free.length) {
    take(
      assigned,
      assigned.map((one) => openNumbers(one, free.length)),
      free,
    )
  } else if (count(needed) === free.length) {
    take(assigned, needed, free)
  } else if (count(needed) === 0) {
    for (const picture of free.toSorted(byName))
      last.pictures.push({ ...picture, number: undefined })
  } else {
    const file = [...new Set(assigned.flatMap(({ task }) => [...task.files]))].join(', ')
    const reason = `${free.length} images for ${open} frames, and no names that say which of them its tracks are on`
    throw new FormatError(reason, { file })
  }
}

function take(
  assigned: readonly AssignedTask[],
  numbers: readonly (readonly number[])[],
  free: readonly ArchivePicture[],
): void {
  let next = 0
  for (const [index, { pictures }] of assigned.entries())
    for (const number of numbers[index] ?? []) {
      const picture = free[next++]
      if (picture) pictures.push({ ...picture, number })
    }
}

/** Returns whether frames of a video were found, so that the remaining images do not belong to it. */
const isFound = ({ task, pictures }: AssignedTask): boolean =>
  task.about?.isVideo === true && pictures.some(({ name }) => numberIn(name) !== undefined)

const usedNumbers = ({ task, pictures }: AssignedTask): Set<number> =>
  new Set(pictures.flatMap(({ number = -1 }) => (hasNumber(task, number) ? number : [])))

/** Returns the number of frames without an image; for a task without a description it is `limit`. */
function openCount(one: AssignedTask, limit: number): number {
  if (isFound(one)) return 0
  const { about } = one.task
  return about ? about.count - usedNumbers(one).size : limit
}

function openNumbers(one: AssignedTask, limit: number): number[] {
  const { start, step } = one.task.about ?? { start: 0, step: 1 }
  const used = usedNumbers(one)
  const numbers: number[] = []
  for (let at = start; numbers.length < openCount(one, limit); at += step)
    if (!used.has(at)) numbers.push(at)
  return numbers
}

function neededNumbers(one: AssignedTask): number[] {
  const used = usedNumbers(one)
  const numbers = isFound(one) ? [] : [...one.listed]
  const open = numbers.filter((number) => hasNumber(one.task, number) && !used.has(number))
  return open.sort((a, b) => a - b)
}
