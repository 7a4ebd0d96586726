/** Assigns the images of a MOT sequence to frames. */
import type { ZipReader } from '../../archive/zip-reader.ts'
import type { FileImage } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { readInteger } from '../../text/numbers.ts'
import { isImageName, withoutExtension } from '../../text/paths.ts'
import { lineOf, linesIn } from '../../text/text-lines.ts'
import type { MotSequence } from './sequences.ts'

/** A frame number as used in rows, from 1, and the image below `img1/`. */
export interface NumberedImage {
  number: number
  name: string
}

/**
 * List of frames and their images, `5,street/a.jpg`. It is written when images cannot be numbered by position,
 * because frames are left out or are not in the order of their names.
 */
export const listName = 'gt/frames.txt'

export const listLine = ({ number, name }: NumberedImage): string => `${number},${name}\n`

/** Returns whether other tools, and an import without the list, would assign the images to the same frames. */
export function isPlain(images: readonly NumberedImage[]): boolean {
  const names = images.map(({ name }) => name)
  const numbers = names.map(numberIn)
  const isNumbered = numbers.every((number) => number !== undefined)
  if (isNumbered) return images.every(({ number }, at) => number === numbers[at])
  const isCounted = images.every(({ number }, at) => number === at + 1)
  return isCounted && isSorted(names) && isSorted(names.map(padded))
}

export interface SequenceImages {
  /** In the order of frames. */
  images: FileImage[]
  /** Frame by number in rows; absent when numbers are positions of images. */
  frames?: ReadonlyMap<number, number> | undefined
}

/**
 * Finds the images of a sequence.
 * @param numbers Numbers of the frames that have rows.
 * @throws {FormatError} for rows without an image
 */
export async function findImages(
  zip: ZipReader,
  sequence: MotSequence,
  numbers: ReadonlySet<number>,
): Promise<SequenceImages> {
  const found = imagesIn(zip, sequence)
  const listed = await readList(zip, sequence)
  if (found.length === 0) return { images: found }
  return listed ? listedImages(found, listed, numbers, sequence) : guessed(found, numbers, sequence)
}

function guessed(
  found: readonly FileImage[],
  numbers: ReadonlySet<number>,
  sequence: MotSequence,
): SequenceImages {
  const images = inSequence(found)
  return { images, frames: framesOf(numbers, images, sequence) }
}

// ---- with a list

async function readList(
  zip: ZipReader,
  { root }: MotSequence,
): Promise<NumberedImage[] | undefined> {
  const entry = zip.files.get(`${root}${listName}`)
  if (!entry) return undefined
  const images: NumberedImage[] = []
  for await (const lines of linesIn(zip.stream(entry), entry.name))
    for (const line of lines.filter(({ text }) => text !== '')) {
      const [, number = '', name = ''] = /^([^,]*),(.*)$/.exec(line.text) ?? []
      const fail = (reason: string) => new FormatError(reason, lineOf(entry.name, line))
      if (name === '') throw fail('expected frame_id,image')
      images.push({ number: readInteger(number, fail), name: name.normalize('NFC') })
    }
  return images.sort((a, b) => a.number - b.number)
}

/** Assigns images by the list; images that are not listed follow the others. */
function listedImages(
  found: readonly FileImage[],
  listed: readonly NumberedImage[],
  numbers: ReadonlySet<number>,
  { root }: MotSequence,
): SequenceImages {
  const byName = new Map(found.map((image) => [image.name, image]))
  const images: FileImage[] = []
  const frames = new Map<number, number>()
  for (const { number, name } of listed) {
    const image = byName.get(name)
    if (!image || frames.has(number)) continue
    frames.set(number, images.length)
    images.push(image)
    byName.delete(name)
  }
  const lost = [...numbers].find((number) => !frames.has(number))
  if (lost !== undefined)
    throw new FormatError(`no image of img1 is that of frame_id ${lost}`, {
      file: `${root}${listName}`,
    })
  return { images: [...images, ...inSequence([...byName.values()])], frames }
}

// ---- without a list

function imagesIn({ files }: ZipReader, { root }: MotSequence): FileImage[] {
  const folder = `${root}img1/`
  return [...files.keys()]
    .filter((member) => member.startsWith(folder) && isImageName(member))
    .map((member) => ({ name: member.slice(folder.length), member }))
}

/**
 * Sorts images in the order of frames: by number when all names are numbers or sort the same by number as by text,
 * otherwise by name.
 */
function inSequence(images: readonly FileImage[]): FileImage[] {
  const names = images.map(({ name }) => name)
  const isByNumber =
    names.every((name) => numberIn(name) !== undefined) || isSorted(names.map(padded))
  const keyOf = isByNumber ? padded : (name: string) => name
  const keyed = images.map((image) => ({ image, key: keyOf(image.name) }))
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ image }) => image)
}

/**
 * Returns the frame of each number, or undefined when numbers are positions of images. Images may be missing, so
 * names or their order decide. Names that are numbers from 1 are frame numbers.
 */
function framesOf(
  numbers: ReadonlySet<number>,
  images: readonly FileImage[],
  { rows }: MotSequence,
): ReadonlyMap<number, number> | undefined {
  const sorted = [...numbers].sort((a, b) => a - b)
  const last = sorted.at(-1) ?? 0
  const isCount = last <= images.length
  const byName = new Map<number, number>()
  for (const [frame, { name }] of images.entries()) {
    const number = numberIn(name)
    if (number !== undefined) byName.set(number, frame)
  }
  const isOfFrames = byName.size === images.length && !byName.has(0)
  if ((isOfFrames || !isCount) && sorted.every((number) => byName.has(number))) return byName
  if (isCount) return undefined
  if (sorted.length === images.length)
    return new Map(sorted.map((number, frame) => [number, frame]))
  const reason = `frame_id is ${last}, img1 has ${images.length} images`
  throw new FormatError(reason, { file: rows.name })
}

const isSorted = (keys: readonly string[]): boolean =>
  keys.every((key, at) => at === 0 || (keys[at - 1] ?? '') < key)

/** Pads the numbers in a name, so that names sort numerically. */
const padded = (name: string): string => name.replace(/\d+/g, (digits) => digits.padStart(16, '0'))

/** Returns the number if the name consists only of digits. */
function numberIn(name: string): number | undefined {
  const stem = withoutExtension(name)
  return /^\d{1,15}$/.test(stem) ? Number(stem) : undefined
}
