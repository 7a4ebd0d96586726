/** Pascal VOC archives with images, for imports that create tasks in a project. */
import type { RandomAccess } from '../../archive/source.ts'
import {
  createImageFinder,
  createMemberFinder,
  locatedImages,
  noteUnusedPictures,
  type ReferencedImage,
} from '../../importing/members.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import { assumedLabels, readDeclared, readMasks, vocOrigin } from '../../masks/read-masks.ts'
import type { ConversionRun, DeclaredImage, FileDataset, FileSubset } from '../../model/dataset.ts'
import { createLabelCollector, type LabelCollector, typedValue } from '../../model/file-labels.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf, isImageName, pictureName, withoutExtension } from '../../text/paths.ts'
import { openVoc, type VocArchive, type VocItem, type VocSubset } from './archive.ts'
import { importVocArchive, readItem } from './import.ts'
import { isVoid, taggedIds, tagLabel } from './lists.ts'
import { customValues, type VocDocument } from './record.ts'

/** Opens an archive with one subset for each subset of its lists, separately for each tree. */
export async function openVocDataset(
  source: RandomAccess,
  run: ConversionRun,
): Promise<FileDataset> {
  const labels = createLabelCollector()
  const subsets: FileSubset[] = []
  const trees = await openVoc(source, run)
  for (const tree of trees) subsets.push(...(await openTree(tree, labels, run)))
  if (subsets.length === 0) throw new FormatError('there are no images to make a task of')
  const isOfMasks = (name: string) => trees.some((tree) => isMaskPicture(name, tree))
  noteUnusedPictures(trees[0]?.zip.files.keys() ?? [], subsets, run, isOfMasks)
  return { labels: labels.read(), subsets }
}

async function openTree(
  archive: VocArchive,
  labels: LabelCollector,
  run: ConversionRun,
): Promise<FileSubset[]> {
  const declared = await readDeclared(archive)
  for (const { name } of declared ?? []) if (!isVoid(name, [])) labels.add(name)
  const tagged = await readTagged(archive, declared ?? [], labels)
  const finder = pictureFinder(archive)
  const subsets: FileSubset[] = []
  for (const subset of archive.subsets) {
    const name = subsetName(subset, archive)
    const referenced = await referencedImages(subset, {
      archive,
      declared,
      labels,
      tagged,
      finder,
      run,
    })
    const images = locatedImages(referenced, `subset ${name}`)
    if (images.length === 0) continue
    subsets.push({
      name,
      images,
      importAnnotations: (target, part) =>
        importVocArchive({ ...archive, subsets: [subset] }, target, part),
    })
  }
  return subsets
}

/** Names a subset; with several trees the name includes the tree, and a tree without lists is one subset. */
function subsetName({ name }: VocSubset, { name: tree }: VocArchive): string {
  if (tree === '') return name
  return name === 'default' ? tree : `${tree}_${name}`
}

interface Opened {
  archive: VocArchive
  /** Labels that the archive declares, if any. */
  declared: MapLabel[] | undefined
  labels: LabelCollector
  /** Ids of images with tags. */
  tagged: ReadonlySet<string>
  finder: PictureFinder
  run: ConversionRun
}

/** Returns the images of a subset; records the labels and attributes of its boxes on the way. */
async function referencedImages({ items }: VocSubset, opened: Opened): Promise<ReferencedImage[]> {
  const { archive, labels, tagged, finder, run } = opened
  const referenced: (ReferencedImage & { hasDocument: boolean })[] = []
  const described = new Set<string>()
  for (const item of items) {
    run.signal.throwIfAborted()
    const document = await readItem(item, archive)
    for (const object of document?.objects ?? []) {
      if (object.label !== '') labels.add(object.label)
      for (const [name, value] of customValues(object))
        labels.note(object.label, name, typedValue(value), object.isOfTrack)
    }
    const hasBoxes = (document?.objects.length ?? 0) > 0
    const hasMasks = await noteMasks(item, opened)
    const member = finder.find(item, document)
    if (document && member) described.add(member)
    referenced.push({
      given: item.id,
      name: (found) => pictureName(item.id, found),
      member,
      isAnnotated: tagged.has(item.id) || hasBoxes || hasMasks,
      hasDocument: document !== undefined,
    })
  }
  // Drops images that a document with another name already describes.
  return referenced.filter(
    ({ member, isAnnotated, hasDocument }) =>
      hasDocument || isAnnotated || !described.has(member ?? ''),
  )
}

/** Returns whether an image has masks. Without declared labels, labels are derived from the colours. */
async function noteMasks({ id }: VocItem, { archive, declared, labels }: Opened): Promise<boolean> {
  if (declared) return archive.classes.has(id)
  const masks = await readMasks(archive, id, assumedLabels([]), undefined)
  const own = masks.filter(({ isBackground }) => !isBackground)
  for (const { label } of own) labels.add(label, vocOrigin)
  return own.length > 0
}

async function readTagged(
  archive: VocArchive,
  declared: readonly MapLabel[],
  labels: LabelCollector,
): Promise<Set<string>> {
  const tagged = new Set<string>()
  for (const list of archive.tagLists.filter(({ label }) => !isVoid(label, [])))
    for await (const { id } of taggedIds(archive.zip, list)) {
      labels.add(tagLabel(list, declared))
      tagged.add(archive.idOf(id))
    }
  return tagged
}

// ---- pictures

interface PictureFinder {
  find(item: VocItem, document: VocDocument | undefined): string | undefined
}

const isMaskPicture = (name: string, { root }: VocArchive): boolean =>
  name.startsWith(root) && /^Segmentation[^/]*\//.test(name.slice(root.length))

/** Finds images in `JPEGImages/`, next to the documents, or by a name that is unique in the archive. */
function pictureFinder(archive: VocArchive): PictureFinder {
  const { zip, root } = archive
  const names = [...zip.files.keys()].filter(
    (name) => isImageName(name) && !isMaskPicture(name, archive),
  )
  const exact = createMemberFinder(names)
  const stems = createImageFinder(names)
  const folders = [`${root}JPEGImages/`, root, `${root}images/`]
  const called = (filename: string): string | undefined => {
    const names = [filename, baseOf(filename)]
    return exact.find(names, folders, []) ?? stems.find(names, folders, [])
  }
  return {
    find({ id }, document) {
      const filename = document?.filename?.replaceAll('\\', '/')
      const isOwn = filename !== undefined && withoutExtension(filename) === id
      return (
        exact.find(isOwn ? [filename, id] : [id], folders, []) ??
        stems.find([id], folders, []) ??
        (filename ? called(filename) : undefined)
      )
    },
  }
}

/** Yields images with the sizes that their documents declare, under the paths that exports use. */
export async function* declaredVocImages(
  source: RandomAccess,
  run: ConversionRun,
): AsyncGenerator<DeclaredImage> {
  for (const tree of await openVoc(source, run))
    for (const item of tree.subsets.flatMap(({ items }) => items)) {
      run.signal.throwIfAborted()
      const { size, filename = '' } = (await readItem(item, tree)) ?? {}
      const [extension = '.jpg'] = /\.[^./]+$/.exec(filename) ?? []
      if (size) yield { member: `${tree.root}JPEGImages/${item.id}${extension}`, ...size }
    }
}
