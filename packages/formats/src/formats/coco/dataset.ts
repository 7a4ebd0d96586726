/** COCO archives with images, for imports that create tasks in a project. */

import type { RandomAccess } from '../../archive/source.ts'
import { createMemberFinder, locatedImages, noteUnusedPictures } from '../../importing/members.ts'
import type {
  ConversionRun,
  DeclaredImage,
  FileDataset,
  FileImage,
  FileSubset,
} from '../../model/dataset.ts'
import {
  createLabelCollector,
  type FileLabel,
  type LabelCollector,
} from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import type { JsonRecord } from '../../text/json-fields.ts'
import { spelledAs } from '../../text/paths.ts'
import { type CocoFile, findCocoArchive, findCocoFiles, rootOfSet } from './files.ts'
import { importCocoFiles } from './import.ts'
import { type CocoNames, pathsOf, readNames, recordsOf, scanFile, sizeOf } from './names.ts'
import { type CocoId, readId, readNewAttributes } from './record.ts'

/** Opens a COCO archive with one subset for each annotation file, ordered by file name. */
export async function openCocoDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const { files, zip } = await findCocoArchive(source, run)
  const labels = createLabelCollector()
  const seen: Seen = { parents: new Map(), used: new Set() }
  const members = createMemberFinder(zip.files.keys())
  const subsets: FileSubset[] = []
  for (const file of files) {
    const names = await readNames(file, () => run.signal.throwIfAborted())
    for (const name of names.categories.values()) labels.add(name)
    for (const [name, parent] of names.parents) seen.parents.set(name, parent)
    const annotated = await readAnnotated(file, names, { labels, used: seen.used }, run)
    const others = files.map(({ subset }) => subset).filter((name) => name !== file.subset)
    const find = (paths: readonly string[]) => members.find(paths, foldersOf(file), others)
    const images = locate(file, names, annotated, find)
    if (images.length === 0) {
      run.report.note('skipped', 'ignored-file', 'it has no images', { file: file.name })
      continue
    }
    subsets.push({
      name: file.subset,
      images,
      importAnnotations: (target, part) => importCocoFiles([file], target, part),
    })
  }
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  // Images of a panoptic file are in a folder named after the file.
  const folders = files.map(({ name }) => name.replace(/\.json$/i, '/'))
  const isPanoptic = (name: string) => folders.some((folder) => name.startsWith(folder))
  noteUnusedPictures(zip.files.keys(), subsets, run, isPanoptic)
  return { labels: nestParts(labels.read(), seen), subsets }
}

/** Parents of the categories of all files, and the categories that annotations use. */
interface Seen {
  parents: Map<string, string>
  used: Set<string>
}

/** Returns the ids of images that have annotations; records the attributes of those annotations on the way. */
async function readAnnotated(
  file: CocoFile,
  { categories }: CocoNames,
  { labels, used }: { labels: LabelCollector } & Pick<Seen, 'used'>,
  run: ConversionRun,
): Promise<Set<CocoId>> {
  const annotated = new Set<CocoId>()
  const selects = (key: string) => key === 'annotations'
  for await (const member of scanFile(file, { selects }, () => run.signal.throwIfAborted())) {
    if (member.key !== 'annotations') continue
    for (const { record, location } of recordsOf(member, file, 'annotation')) {
      annotated.add(readId(record, 'image_id', location))
      if (record.segments_info !== undefined) {
        noteAllUsed(categories, used)
        continue
      }
      const label = categories.get(readId(record, 'category_id', location)) ?? ''
      used.add(label)
      const { attributes, isOfTrack } = readNewAttributes(record, location)
      for (const [name, value] of attributes) labels.note(label, name, value, isOfTrack)
    }
  }
  return annotated
}

/** Marks all categories as used: which ones panoptic segments use is only known when their images are read. */
function noteAllUsed(categories: CocoNames['categories'], used: Set<string>): void {
  for (const name of categories.values()) used.add(name)
}

/**
 * Moves the elements of skeletons below their skeletons. CVAT lists the elements of a skeleton as child categories
 * and writes no annotation of either; other tools list a tree of classes, some of which have annotations.
 */
function nestParts(labels: readonly FileLabel[], { parents, used }: Seen): FileLabel[] {
  const names = new Set(labels.map(({ name }) => name))
  const parts = new Map<string, FileLabel[]>()
  for (const label of labels) {
    const parent = parents.get(label.name)
    if (parent === undefined || parent === label.name || !names.has(parent)) continue
    const known = parts.get(parent)
    if (known) known.push(label)
    else parts.set(parent, [label])
  }
  const isUnused = (name: string): boolean => !used.has(name)
  const isSkeleton = ([name, own]: [string, FileLabel[]]): boolean =>
    !parents.has(name) && isUnused(name) && own.every((part) => isUnused(part.name))
  if (used.size === 0) return [...labels]
  const skeletons = new Map([...parts].filter(isSkeleton))
  return labels.flatMap((label): FileLabel[] => {
    const sublabels = skeletons.get(label.name)
    if (sublabels) return [{ ...label, type: 'skeleton', sublabels }]
    return skeletons.has(parents.get(label.name) ?? '') ? [] : [label]
  })
}

/** Returns the images of a file that exist in the archive, each with its path below the folder of its subset. */
function locate(
  { name: file, subset }: CocoFile,
  { images }: CocoNames,
  annotated: ReadonlySet<CocoId>,
  find: (paths: readonly string[]) => string | undefined,
): FileImage[] {
  const selects = [...images].map(([id, { name: given }]) => {
    const paths = pathsOf(given, subset)
    const name = (member: string) => spelledAs(member, paths.at(-1) ?? given)
    return { given, name, member: find(paths), isAnnotated: annotated.has(id) }
  })
  return locatedImages(selects, file)
}

/** Folders in which tools store the images of an annotation file. */
function foldersOf({ name, subset }: CocoFile): string[] {
  const root = rootOfSet(name)
  return [`images/${subset}/`, 'images/', `${subset}/`, '', 'JPEGImages/'].map((one) => root + one)
}

/** Yields the images with the sizes that annotation files declare, under the paths that exports use. */
export async function* declaredCocoImages(
  source: RandomAccess,
  run: ConversionRun,
): AsyncGenerator<DeclaredImage> {
  for (const file of await findCocoFiles(source, run)) {
    const root = rootOfSet(file.name)
    const selects = (key: string) => key === 'images'
    for await (const member of scanFile(file, { selects }, () => run.signal.throwIfAborted())) {
      if (member.key !== 'images') continue
      for (const { record } of recordsOf(member, file, 'image')) {
        const image = imageOf(record, file.subset)
        if (image) yield { ...image, member: root + image.member }
      }
    }
  }
}

function imageOf(record: JsonRecord, subset: string): DeclaredImage | undefined {
  const { file_name, coco_url } = record
  const size = sizeOf(record)
  const name = typeof file_name === 'string' ? file_name : coco_url
  if (typeof name !== 'string' || !size) return undefined
  return { member: `images/${subset}/${pathsOf(name, subset).at(-1) ?? name}`, ...size }
}
