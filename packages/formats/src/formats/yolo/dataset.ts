/** YOLO archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import {
  createImageFinder,
  locatedImages,
  type MemberFinder,
  noteUnusedPictures,
  type ReferencedImage,
} from '../../importing/members.ts'
import type { ConversionRun, FileDataset, FileImage, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { isImageName, withoutExtension } from '../../text/paths.ts'
import { readBoxes } from './boxes.ts'
import { importYoloSet } from './import.ts'
import { openYoloSet } from './open.ts'
import type { YoloSet, YoloSubset } from './set.ts'

export async function openYoloDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const set = await openYoloSet(source, run)
  await checkTexts(set)
  const labels = createLabelCollector()
  for (const [, name] of set.names?.byNumber ?? []) labels.add(name)
  const finder = createImageFinder(set.zip.files.keys())
  const subsets: FileSubset[] = []
  for (const subset of set.subsets) {
    const images = await imagesOf(subset, set, finder)
    run.signal.throwIfAborted()
    if (images.length === 0) continue
    const only = { ...set, subsets: [subset] }
    const importAnnotations: FileSubset['importAnnotations'] = (target, part) =>
      importYoloSet(only, target, part)
    subsets.push({ name: subset.name, images, importAnnotations })
  }
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  noteUnusedPictures(set.zip.files.keys(), subsets, run)
  return { labels: labels.read(), subsets }
}

/**
 * Checks texts of unclear purpose.
 * @throws {FormatError} when no folder or list identifies the texts, and none of them has boxes
 */
async function checkTexts(set: YoloSet): Promise<void> {
  const items = set.subsets.flatMap((subset) => subset.items)
  if (items.length === 0 || items.some(({ isGuess }) => !isGuess)) return
  for (const item of items) {
    const boxes = item.boxes === undefined ? undefined : await readBoxes(item, set)
    if (boxes && (boxes.length > 0 || item.picture !== undefined)) return
  }
  const file = items.find(({ boxes }) => boxes !== undefined)?.boxes
  throw new FormatError('no YOLO annotations: no text has boxes', { file })
}

/** Returns the images of a subset. Only images without boxes may be missing. */
async function imagesOf(
  { name, items }: YoloSubset,
  set: YoloSet,
  finder: MemberFinder,
): Promise<FileImage[]> {
  const foldersOfOthers = set.subsets
    .filter((other) => other.name !== name)
    .flatMap((other) => [other.name, `obj_${other.name}_data`])
  const referenced: ReferencedImage[] = []
  for (const item of items) {
    const { id, picture, pictures } = item
    const member = picture ?? finder.find(pictures, [''], foldersOfOthers)
    const boxes = member === undefined ? await readBoxes(item, set) : []
    const isAnnotated = boxes !== undefined && boxes.length > 0
    referenced.push({ given: id, name: (found) => nameOf(id, found), member, isAnnotated })
  }
  return locatedImages(referenced, name)
}

/** Returns the path of the item with the extension of the image. */
function nameOf(id: string, member: string): string {
  const stem = isImageName(id) ? withoutExtension(id) : id
  return `${stem}${member.slice(withoutExtension(member).length)}`
}
