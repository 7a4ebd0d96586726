/** COCO with its images (spec/formats.md 8): what an import into a project makes tasks of. */
import type { RandomAccess } from '../archive/source.ts'
import { FormatError } from '../errors.ts'
import { type LabelCollector, labelCollector } from '../file-labels.ts'
import { locatedImages, memberFinder, noteUnusedPictures, spelledAs } from '../members.ts'
import type { FileDataset, FileImage, FileSubset, Run } from '../model.ts'
import { type CocoFile, findCocoArchive, rootOfSet } from './files.ts'
import { importCocoFiles } from './import.ts'
import { type CocoNames, pathsOf, readNames, recordsOf, scanFile } from './names.ts'
import { type CocoId, readCustomAttributes, readId } from './record.ts'

/** A subset for each file of annotations, in the order of their names. */
export async function openCocoDataset(source: RandomAccess, run: Run): Promise<FileDataset> {
  const { files, zip } = await findCocoArchive(source, run)
  const labels = labelCollector()
  const members = memberFinder(zip.files.keys())
  const subsets: FileSubset[] = []
  for (const file of files) {
    const names = await readNames(file, () => run.signal.throwIfAborted())
    for (const name of names.categories.values()) labels.add(name)
    const annotated = await readAnnotated(file, names, labels, run)
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
  // Pictures of a panoptic file are in a folder of its name.
  const folders = files.map(({ name }) => name.replace(/\.json$/i, '/'))
  const isPanoptic = (name: string) => folders.some((folder) => name.startsWith(folder))
  noteUnusedPictures(zip.files.keys(), subsets, run, isPanoptic)
  return { labels: labels.read(), subsets }
}

/** Ids of images that have annotations; on the way it is noted which attributes those have. */
async function readAnnotated(
  file: CocoFile,
  { categories }: CocoNames,
  labels: LabelCollector,
  run: Run,
): Promise<Set<CocoId>> {
  const annotated = new Set<CocoId>()
  const wanted = (key: string) => key === 'annotations'
  for await (const member of scanFile(file, { wanted }, () => run.signal.throwIfAborted())) {
    if (member.key !== 'annotations') continue
    for (const { record, place } of recordsOf(member, file, 'annotation')) {
      annotated.add(readId(record, 'image_id', place))
      if (record.segments_info !== undefined) continue
      const label = categories.get(readId(record, 'category_id', place)) ?? ''
      const { attributes, isOfTrack } = readCustomAttributes(record, place)
      for (const [name, value] of attributes) labels.note(label, name, value, isOfTrack)
    }
  }
  return annotated
}

/** The pictures of a file in the archive, each under the path that it has below the folder of its subset. */
function locate(
  { name: file, subset }: CocoFile,
  { images }: CocoNames,
  annotated: ReadonlySet<CocoId>,
  find: (paths: readonly string[]) => string | undefined,
): FileImage[] {
  const wanted = [...images].map(([id, { name: given }]) => {
    const paths = pathsOf(given, subset)
    const name = (member: string) => spelledAs(member, paths.at(-1) ?? given)
    return { given, name, member: find(paths), isAnnotated: annotated.has(id) }
  })
  return locatedImages(wanted, file)
}

/** Where tools put the images of a file. */
function foldersOf({ name, subset }: CocoFile): string[] {
  const root = rootOfSet(name)
  return [`images/${subset}/`, 'images/', `${subset}/`, '', 'JPEGImages/'].map((one) => root + one)
}
