/** MOT with its images (spec/formats.md 14.2): what an import into a project makes tasks of, one of each sequence. */
import { openArchive } from '../archive/open-archive.ts'
import type { RandomAccess } from '../archive/source.ts'
import type { ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import { type LabelCollector, labelCollector } from '../file-labels.ts'
import { isImageName, withoutExtension } from '../members.ts'
import type { FileDataset, FileImage, FileSubset, Run } from '../model.ts'
import { attributesOf, importSequence } from './import.ts'
import { type MotRow, rowsIn } from './rows.ts'
import { findSequences, type MotSequence, officialLabels, readLabels } from './sequences.ts'

export async function openMotDataset(source: RandomAccess, run: Run): Promise<FileDataset> {
  const zip = await openArchive(source, run)
  const labels = labelCollector()
  const subsets: FileSubset[] = []
  for (const sequence of findSequences(zip)) {
    const names = await readLabels(zip, sequence)
    for (const name of names ?? []) if (name !== '') labels.add(name)
    const numbers = await readNumbers(zip, sequence, names, labels, run)
    const images = imagesOf(zip, sequence)
    if (images.length === 0) {
      run.report.note('skipped', 'ignored-file', 'it has no images', { file: sequence.rows.name })
      continue
    }
    const frames = framesOf(numbers, images, sequence)
    subsets.push({
      name: sequence.name,
      images,
      importAnnotations: (target, part) => importSequence({ zip, sequence, frames }, target, part),
    })
  }
  if (subsets.length === 0)
    throw new FormatError('there are no images in img1 to make a task of: media is required')
  // Files of the first years, and detections, tell no classes: pedestrians are what the challenge is about.
  if (labels.read().length === 0) labels.add(officialLabels[0] ?? '')
  return { labels: labels.read(), subsets }
}

/** The frames that have rows; on the way labels and attributes are noted. */
async function readNumbers(
  zip: ZipReader,
  sequence: MotSequence,
  names: readonly string[] | undefined,
  labels: LabelCollector,
  run: Run,
): Promise<Set<number>> {
  const numbers = new Set<number>()
  const onRead = () => run.signal.throwIfAborted()
  for await (const rows of rowsIn(zip, sequence.rows, onRead)) {
    for (const row of rows) {
      numbers.add(row.frame)
      const label = nameOf(row, names)
      if (label === undefined) continue
      labels.add(label)
      if (!sequence.isDetections) noteAttributes(label, row, labels)
    }
  }
  return numbers
}

/** Of the only class where a row says none. */
function nameOf({ classId }: MotRow, names: readonly string[] | undefined): string | undefined {
  if (classId === undefined) return names?.length === 1 ? names[0] : undefined
  return (names ?? officialLabels)[classId - 1]
}

function noteAttributes(label: string, row: MotRow, labels: LabelCollector): void {
  const isOfTrack = row.track > 0
  for (const [name, value] of attributesOf(row)) {
    labels.note(label, name, value, isOfTrack)
    const ends = name === 'visibility' ? [0, 1] : []
    for (const end of ends) labels.note(label, name, end, isOfTrack)
  }
}

/**
 * The frame of each number, where rows do not just count the images: some of the sequence may be missing, so that names, or their
 * order, tell.
 * @throws {FormatError} for rows of images that are not there
 */
function framesOf(
  numbers: ReadonlySet<number>,
  images: readonly FileImage[],
  { rows }: MotSequence,
): ReadonlyMap<number, number> | undefined {
  const sorted = [...numbers].sort((a, b) => a - b)
  const last = sorted.at(-1) ?? 0
  if (last <= images.length) return undefined
  const byName = new Map<number, number>()
  for (const [frame, { name }] of images.entries()) {
    const number = numberIn(name)
    if (number !== undefined) byName.set(number, frame)
  }
  if (sorted.every((number) => byName.has(number))) return byName
  if (sorted.length === images.length)
    return new Map(sorted.map((number, frame) => [number, frame]))
  const reason = `frame_id is ${last}, img1 has ${images.length} images`
  throw new FormatError(reason, { file: rows.name })
}

/**
 * As the frames of the sequence follow one another: by their numbers where names are nothing else, or where the archive has them in
 * that order, as ours does; else by name.
 */
function imagesOf({ files }: ZipReader, { root }: MotSequence): FileImage[] {
  const folder = `${root}img1/`
  const images: FileImage[] = []
  for (const member of files.keys())
    if (member.startsWith(folder) && isImageName(member))
      images.push({ name: member.slice(folder.length), member })
  const keyed = images.map((image) => ({ image, key: padded(image.name) }))
  const byNumber = keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({ image }) => image)
  const isNumbered = images.every(({ name }) => numberIn(name) !== undefined)
  if (isNumbered || images.every((image, index) => image === byNumber[index])) return byNumber
  return images.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Numbers in a name of one length, so that texts compare as they do. */
const padded = (name: string): string => name.replace(/\d+/g, (digits) => digits.padStart(16, '0'))

/** Of a name that is nothing but a number. */
function numberIn(name: string): number | undefined {
  const stem = withoutExtension(name)
  return /^\d{1,15}$/.test(stem) ? Number(stem) : undefined
}
