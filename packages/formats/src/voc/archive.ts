/** What a Pascal VOC archive holds (spec/formats.md 10.3): the full tree, or documents anywhere in it. */
import { openArchive, rootOf } from '../archive/open-archive.ts'
import type { RandomAccess } from '../archive/source.ts'
import type { ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import { withoutRepeats } from '../masks/lists.ts'
import { type MaskPictures, maskPictures } from '../masks/read-masks.ts'
import { commonFolder, isImageName, withoutExtension } from '../members.ts'
import type { Run } from '../model.ts'
import { readLists, type TagList } from './lists.ts'

export interface VocArchive extends MaskPictures {
  /** In order of names; an image is in one of them. */
  subsets: VocSubset[]
  tagLists: TagList[]
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

/** @throws {FormatError} for what is no archive, or has nothing of a Pascal VOC data set */
export async function openVoc(source: RandomAccess, run: Run): Promise<VocArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const root = rootOf(names, (path) => treeFolder.test(path))
  const archive = root === undefined ? flatArchive(zip, names) : await treeArchive(zip, root, run)
  if (archive.subsets.every(({ items }) => items.length === 0))
    throw new FormatError('no Pascal VOC annotations: expected Annotations/<image>.xml')
  return archive
}

const treeFolder = /^(Annotations|ImageSets|SegmentationClass|SegmentationObject)\//
const isDocument = (name: string): boolean => /\.xml$/i.test(name)

/** Documents anywhere are one subset. */
function flatArchive(zip: ZipReader, names: readonly string[]): VocArchive {
  const documents = names.filter(isDocument)
  const root = commonFolder(documents)
  const items = documents.map((document) => ({ id: idBelow(root, document), document }))
  return { ...maskPictures(zip, root), subsets: [{ name: 'default', items }], tagLists: [] }
}

const idBelow = (folder: string, member: string): string =>
  withoutExtension(member.slice(folder.length))

/** The lists tell the subsets; where there are none, all images are one. */
async function treeArchive(zip: ZipReader, root: string, run: Run): Promise<VocArchive> {
  const below = (folder: string, isWanted: (name: string) => boolean): [string, string][] =>
    [...zip.files.keys()]
      .filter((name) => name.startsWith(root + folder) && isWanted(name))
      .map((name) => [idBelow(root + folder, name), name])
  const documents = new Map(below('Annotations/', isDocument))
  const pictures = maskPictures(zip, root)
  const { subsets, tagLists } = await readLists(zip, root)
  if (subsets.length === 0) {
    const images = below('JPEGImages/', isImageName).map(([id]) => id)
    const ids = [...documents.keys(), ...pictures.classes.keys(), ...images].sort()
    subsets.push({ name: 'default', ids })
  }
  const lists = withoutRepeats(subsets)
  const listed = new Set(lists.flatMap(({ ids }) => ids))
  const read = new Set([...documents].flatMap(([id, file]) => (listed.has(id) ? file : [])))
  for (const file of [...zip.files.keys()].filter(isDocument))
    if (!read.has(file)) run.report.note('skipped', 'ignored-file', 'no list has it', { file })
  const named = lists.map(({ name, ids }) => ({
    name,
    items: ids.map((id) => ({ id, document: documents.get(id) })),
  }))
  return { ...pictures, subsets: named, tagLists }
}
