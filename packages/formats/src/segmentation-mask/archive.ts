/** What a Segmentation mask archive holds (spec/formats.md 11.1): lists of images, and pictures of their classes and objects. */
import { openArchive, rootOf } from '../archive/open-archive.ts'
import type { RandomAccess } from '../archive/source.ts'
import type { ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import type { Run } from '../model.ts'
import { linesOf } from '../text-lines.ts'

export interface MaskArchive {
  zip: ZipReader
  /** The folder of the data set, with its last `/`. */
  root: string
  /** In order of names; an image is in one of them. */
  subsets: MaskSubset[]
  /** Members by the ids of their images. */
  classes: ReadonlyMap<string, string>
  objects: ReadonlyMap<string, string>
}

export interface MaskSubset {
  name: string
  /** Paths of images without extension. */
  ids: string[]
}

/** @throws {FormatError} for what is no archive, or has neither lists nor pictures of classes */
export async function openMaskArchive(source: RandomAccess, run: Run): Promise<MaskArchive> {
  const zip = await openArchive(source, run)
  const names = [...zip.files.keys()].sort()
  const root = rootOf(names, (path) => list.test(path) || picture.test(path))
  if (root === undefined)
    throw new FormatError(
      'no segmentation masks: expected ImageSets/Segmentation/<subset>.txt or SegmentationClass/<image>.png',
    )
  const classes = new Map<string, string>()
  const objects = new Map<string, string>()
  for (const name of names) {
    const [, kind, id = ''] = picture.exec(name.slice(root.length)) ?? []
    if (kind && name.startsWith(root)) (kind === 'Class' ? classes : objects).set(id, name)
  }
  const lists = await readLists(zip, root)
  if (lists.length === 0) {
    const ids = [...new Set([...classes.keys(), ...objects.keys()])].sort()
    return { zip, root, subsets: [{ name: 'default', ids }], classes, objects }
  }
  const listed = new Set(lists.flatMap(({ ids }) => ids))
  for (const [id, file] of [...classes, ...objects])
    if (!listed.has(id)) run.report.note('skipped', 'ignored-file', 'no list has it', { file })
  return { zip, root, subsets: withoutRepeats(lists), classes, objects }
}

const list = /^ImageSets\/Segmentation\/([^/]+)\.txt$/
const picture = /^Segmentation(Class|Object)(?:PNG)?\/(.+)\.png$/i

async function readLists(zip: ZipReader, root: string): Promise<MaskSubset[]> {
  const subsets: MaskSubset[] = []
  for (const [file, entry] of zip.files) {
    const name = file.startsWith(root) ? list.exec(file.slice(root.length))?.[1] : undefined
    if (name === undefined) continue
    const lines = linesOf(await zip.bytes(entry), file).map(({ text }) => text.trimStart())
    const ids = lines.filter((text) => text !== '' && !text.startsWith('#')).map(unquoted)
    subsets.push({ name, ids: ids.map((id) => id.normalize('NFC')) })
  }
  return subsets.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A line of a list: an id that would be read as something else stands in quotes. */
export const listLine = (id: string): string => `${/^[\s"#]|\s$/.test(id) ? `"${id}"` : id}\n`

const unquoted = (text: string): string => /^"(.*)"$/.exec(text)?.[1] ?? text

/** An image in several lists is of the shortest: `trainval` repeats `train` and `val`. */
function withoutRepeats(lists: readonly MaskSubset[]): MaskSubset[] {
  const owners = new Map<string, string>()
  for (const { name, ids } of lists.toSorted((a, b) => a.ids.length - b.ids.length))
    for (const id of ids) if (!owners.has(id)) owners.set(id, name)
  return lists.map(({ name, ids }) => ({
    name,
    ids: [...new Set(ids)].filter((id) => owners.get(id) === name),
  }))
}
