/** MOT archives with images, for imports that create a task for each sequence. */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { noteUnusedPictures } from '../../importing/members.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { ConversionRun, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { findImages } from './images.ts'
import { attributesOf, importSequence } from './import.ts'
import { type MotRow, rowsIn } from './rows.ts'
import {
  findSequences,
  type MotSequence,
  officialLabels,
  officialOrigin,
  readLabels,
} from './sequences.ts'

export async function openMotDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const zip = await openArchive(source, run)
  const labels = createLabelCollector()
  const subsets: FileSubset[] = []
  for (const sequence of findSequences(zip)) {
    const names = await readLabels(zip, sequence)
    for (const name of names ?? []) if (name !== '') labels.add(name)
    const { numbers, hasClasses } = await readNumbers(zip, sequence, names, labels, run)
    const { images, frames } = await findImages(zip, sequence, numbers)
    if (!names && hasClasses)
      run.report.note('converted', 'unlabelled', officialNames, { file: sequence.rows.name })
    if (images.length === 0) {
      run.report.note('skipped', 'ignored-file', 'it has no images', { file: sequence.rows.name })
      continue
    }
    subsets.push({
      name: sequence.name,
      images,
      importAnnotations: (target, part) => importSequence({ zip, sequence, frames }, target, part),
    })
  }
  if (subsets.length === 0)
    throw new FormatError('there are no images in img1 to make a task of: media is required')
  noteUnusedPictures(zip.files.keys(), subsets, run)
  // Files of the first years, and detections, have no classes; the challenge is about pedestrians.
  if (labels.read().length === 0) labels.add(officialLabels[0] ?? '', officialOrigin)
  return { labels: labels.read(), subsets }
}

const officialNames =
  'there is no gt/labels.txt: new labels have the official names of the MOT challenge'

/** Returns the frames that have rows, and whether rows have classes; records labels and attributes on the way. */
async function readNumbers(
  zip: ZipReader,
  sequence: MotSequence,
  names: readonly string[] | undefined,
  labels: LabelCollector,
  run: ConversionRun,
): Promise<{ numbers: Set<number>; hasClasses: boolean }> {
  const numbers = new Set<number>()
  let hasClasses = false
  const onRead = () => run.signal.throwIfAborted()
  for await (const rows of rowsIn(zip, sequence.rows, onRead)) {
    for (const row of rows) {
      numbers.add(row.frame)
      hasClasses ||= row.classId !== undefined
      const label = nameOf(row, names)
      if (label === undefined) continue
      labels.add(label, names ? undefined : officialOrigin)
      if (!sequence.isDetections) noteAttributes(label, row, labels)
    }
  }
  return { numbers, hasClasses }
}

/** Returns the label of a row; the only label when the row has no class. */
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
