/** Reads the layout of a Segmentation mask archive: lists of images, and images of their classes and objects. */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { openArchive, rootOf } from '../../importing/open-archive.ts'
import { type ListedSubset, listedId, withoutRepeats } from '../../masks/lists.ts'
import { type MaskPictures, maskPath, maskPictures } from '../../masks/read-masks.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { isImageName, withoutExtension } from '../../text/paths.ts'
import { linesOf } from '../../text/text-lines.ts'

export interface MaskArchive extends MaskPictures {
  /** In order of names; each image is in one of them. */
  subsets: ListedSubset[]
}

/**
 * Opens a Segmentation mask archive.
 * @throws {FormatError} when the upload is not an archive, has neither lists nor class images, or contains several
 * datasets
 */
export async function openMaskArchive(
  source: RandomAccess,
  run: ConversionRun,
): Promise<MaskArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const root = rootOf(names, isMarker)
  const other = names.map((name) => rootOf([name], isMarker) ?? root).find((one) => one !== root)
  if (other !== undefined)
    throw new FormatError(`there are masks in ${root || '/'} and ${other}: send one of them`)
  if (root === undefined)
    throw new FormatError(
      'no segmentation masks: expected ImageSets/Segmentation/<subset>.txt or SegmentationClass/<image>.png',
    )
  const pictures = maskPictures(zip, root)
  const { classes, objects } = pictures
  const document = names.find((name) => name.startsWith(`${root}Annotations/`))
  if (classes.size + objects.size === 0 && document !== undefined)
    throw new FormatError('looks like Pascal VOC, import it as Pascal VOC 1.1', { file: document })
  noteOthers(names, root, classes.size > 0, run)
  const lists = await readLists(zip, root)
  if (lists.length === 0) {
    const ids = [...new Set([...classes.keys(), ...objects.keys()])].sort()
    return { ...pictures, subsets: [{ name: 'default', ids }] }
  }
  const listed = new Set(lists.flatMap(({ ids }) => ids))
  // Some lists contain file names with extension.
  const idOf = (id: string): string => {
    const stem = withoutExtension(id)
    return isImageName(id) && !listed.has(stem) && classes.has(stem) ? stem : id
  }
  const subsets = lists.map(({ name, ids }) => ({ name, ids: ids.map(idOf) }))
  for (const { ids } of subsets) for (const id of ids) listed.add(id)
  const [anyId] = classes.keys()
  if (anyId !== undefined && [...classes.keys()].every((id) => !listed.has(id)))
    throw new FormatError(`it has none of the masks, expected lines like "${anyId}"`, {
      file: `${root}ImageSets/Segmentation/${lists[0]?.name}.txt`,
    })
  for (const [id, file] of [...classes, ...objects])
    if (!listed.has(id)) run.report.note('skipped', 'ignored-file', 'no list has it', { file })
  return { ...pictures, subsets: withoutRepeats(subsets) }
}

/**
 * Reports unused mask files.
 * @throws {FormatError} when there are mask files but none of them is a class image in PNG
 */
function noteOthers(
  names: readonly string[],
  root: string,
  hasMasks: boolean,
  run: ConversionRun,
): void {
  for (const file of names) {
    const path = file.slice(root.length)
    if (!file.startsWith(root) || !likeMaskFolder.test(path) || maskPath.test(path)) continue
    const reason = maskFolder.test(path)
      ? 'masks have to be PNG pictures'
      : 'masks have to be in SegmentationClass and SegmentationObject'
    if (!hasMasks && isImageName(file)) throw new FormatError(reason, { file })
    run.report.note('skipped', 'ignored-file', reason, { file })
  }
}

const maskFolder = /^Segmentation(Class|Object)(PNG)?\//i

/** Folders like those of VOC, which extensions of the dataset add. */
const likeMaskFolder = /^Segmentation[^/]*\//i
export const isMaskFolder = (path: string): boolean => likeMaskFolder.test(path)

const isMarker = (path: string): boolean => list.test(path) || maskFolder.test(path)

const list = /^ImageSets\/Segmentation\/([^/]+)\.txt$/

async function readLists(zip: ZipReader, root: string): Promise<ListedSubset[]> {
  const subsets: ListedSubset[] = []
  for (const [file, entry] of zip.files) {
    const name = file.startsWith(root) ? list.exec(file.slice(root.length))?.[1] : undefined
    if (name === undefined) continue
    const lines = linesOf(await zip.bytes(entry), file)
    subsets.push({ name, ids: lines.flatMap(({ text }) => listedId(text) ?? []) })
  }
  return subsets.sort((a, b) => (a.name < b.name ? -1 : 1))
}
