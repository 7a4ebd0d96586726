/** Reads the layout of a Pascal VOC archive: full trees of folders, or documents in any folder. */

import type { RandomAccess } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { openArchive, rootOf } from '../../importing/open-archive.ts'
import { type ListedSubset, withoutRepeats } from '../../masks/lists.ts'
import { type MaskPictures, maskPictures } from '../../masks/read-masks.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { commonFolder, isImageName, withoutExtension } from '../../text/paths.ts'
import { readLists, type TagList } from './lists.ts'

/** A tree of folders, or the whole archive when it has none. */
export interface VocArchive extends MaskPictures {
  /** Empty when the archive has only one tree, otherwise the name of the folder around it. */
  name: string
  /** In order of names; each image is in one of them. */
  subsets: VocSubset[]
  tagLists: TagList[]
  /** Returns the id of an image from its entry in a list. */
  idOf(listed: string): string
}

export interface VocSubset {
  name: string
  items: VocItem[]
}

export interface VocItem {
  /** Path without extension, below `Annotations/` or the root. */
  id: string
  /** Member with the boxes. */
  document?: string | undefined
}

/**
 * Opens the trees of an archive, such as one for each year or for each subset.
 * @throws {FormatError} when the upload is not an archive, or contains no Pascal VOC dataset
 */
export async function openVoc(source: RandomAccess, run: ConversionRun): Promise<VocArchive[]> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const roots = treeRoots(names)
  const trees: VocArchive[] = []
  for (const root of roots) {
    const name = roots.length > 1 ? (root.split('/').at(-2) ?? '') : ''
    trees.push(await treeArchive(zip, root, name))
  }
  if (roots.length === 0) trees.push(flatArchive(zip, names))
  const items = trees.flatMap(({ subsets }) => subsets.flatMap((subset) => subset.items))
  if (items.length === 0)
    throw new FormatError('no Pascal VOC annotations: expected Annotations/<image>.xml')
  const read = new Set(items.map(({ document }) => document))
  for (const file of zip.files.keys())
    if (isDocument(file) && !read.has(file))
      run.report.note('skipped', 'ignored-file', 'no list has it', { file })
  return trees
}

/** Returns the root folders of trees: all at the depth of the least nested one. */
function treeRoots(names: readonly string[]): string[] {
  const first = rootOf(names, (path) => treeFolder.test(path))
  if (first === undefined) return []
  const depth = first.split('/').length - 1
  const roots = names.flatMap((name) => {
    const root = name
      .split('/')
      .slice(0, depth)
      .map((folder) => `${folder}/`)
      .join('')
    return treeFolder.test(name.slice(root.length)) ? root : []
  })
  return [...new Set(roots)]
}

const treeFolder = /^(Annotations|ImageSets|SegmentationClass|SegmentationObject)\//
const isDocument = (name: string): boolean => /\.xml$/i.test(name)

/** Reads documents in any folder as one subset. */
function flatArchive(zip: ZipReader, names: readonly string[]): VocArchive {
  const documents = names.filter(isDocument)
  const root = commonFolder(documents)
  const items = documents.map((document) => ({ id: idBelow(root, document), document }))
  const subsets = [{ name: 'default', items }]
  return { ...maskPictures(zip, root), name: '', subsets, tagLists: [], idOf: (id) => id }
}

const idBelow = (folder: string, member: string): string =>
  withoutExtension(member.slice(folder.length))

/**
 * Reads the subsets from the lists. Without lists all images form one subset; if lists name none of the documents,
 * the documents form the default subset.
 */
async function treeArchive(zip: ZipReader, root: string, name: string): Promise<VocArchive> {
  const below = (folder: string, isSelected: (name: string) => boolean): [string, string][] =>
    [...zip.files.keys()]
      .filter((name) => name.startsWith(root) && isSelected(name))
      .filter((name) => name.slice(root.length).toLowerCase().startsWith(folder.toLowerCase()))
      .map((name) => [idBelow(root + folder, name), name])
  const documents = new Map(below('Annotations/', isDocument))
  const pictures = maskPictures(zip, root)
  const images = below('JPEGImages/', isImageName).map(([id]) => id)
  const known = new Set([...documents.keys(), ...pictures.classes.keys(), ...images])
  const idOf = (listed: string): string => idsOf(listed).find((id) => known.has(id)) ?? listed
  const { subsets, tagLists } = await readLists(zip, root, (id) => known.has(idOf(id)))
  for (const subset of subsets) subset.ids = subset.ids.map(idOf)
  const isListed = subsets.some(({ ids }) => ids.some((id) => documents.has(id)))
  if (subsets.length === 0) subsets.push({ name: 'default', ids: [...known].sort() })
  else if (!isListed && documents.size > 0) addDefault(subsets, [...documents.keys()].sort())
  const named = withoutRepeats(subsets).map(({ name, ids }) => ({
    name,
    items: ids.map((id) => ({ id, document: documents.get(id) })),
  }))
  return { ...pictures, name, subsets: named, tagLists, idOf }
}

function addDefault(subsets: ListedSubset[], ids: readonly string[]): void {
  const known = subsets.find(({ name }) => name === 'default')
  if (known) known.ids.push(...ids)
  else subsets.push({ name: 'default', ids: [...ids] })
}

/** Returns the possible ids of a list entry, because some tools list names or paths of images. */
function idsOf(listed: string): string[] {
  const path = listed.replaceAll('\\', '/')
  const stem = isImageName(path) || isDocument(path) ? withoutExtension(path) : path
  return [listed, stem, stem.replace(/^.*(?:JPEGImages|Annotations)\//, '')]
}
