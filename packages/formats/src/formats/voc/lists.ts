/** Reads and writes the lists of `ImageSets/`: the images of a subset, and the images with a label. */
import type { ZipReader } from '../../archive/zip-reader.ts'
import { fileName } from '../../exporting/export-files.ts'
import { type ListedSubset, listedId, listLine } from '../../masks/lists.ts'
import { type Line, linesIn } from '../../text/text-lines.ts'

export interface VocLists {
  /** In order of names; ids may repeat as in the lists. */
  subsets: ListedSubset[]
  tagLists: TagList[]
}

/** A list of the images of a subset that have a label. */
export interface TagList {
  /** Label as in the name of the file. */
  label: string
  subset: string
  file: string
}

export interface ListedImage {
  id: string
  line: number
}

/**
 * Reads all lists.
 * @param root Root folder of the dataset, with its trailing `/`.
 * @param isKnown Returns whether the dataset has an image with that id.
 */
export async function readLists(
  zip: ZipReader,
  root: string,
  isKnown: (id: string) => boolean,
): Promise<VocLists> {
  const subsets = new Map<string, string[]>()
  const ofLabels: { task: string; name: string; file: string }[] = []
  for (const file of [...zip.files.keys()].sort()) {
    const [, task = '', name = ''] = listPath.exec(file.slice(root.length)) ?? []
    if (!file.startsWith(root) || name === '') continue
    if (name.includes('_') && (await isOfLabel(zip, file, isKnown)))
      ofLabels.push({ task, name, file })
    else {
      for await (const id of listedIds(zip, file, task)) addTo(subsets, name, id)
      if (!subsets.has(name)) subsets.set(name, [])
    }
  }
  const names = [...subsets.keys()]
  const tagLists = ofLabels.flatMap(({ task, name, file }) =>
    task === 'Main' ? { ...splitName(name, names), file } : [],
  )
  const sorted = names.sort().map((name) => ({ name, ids: subsets.get(name) ?? [] }))
  return { subsets: sorted, tagLists }
}

/** Returns the label of a list of tags, because file names cannot contain all characters of labels. */
export const tagLabel = (list: TagList, known: readonly { name: string }[]): string =>
  known.find(({ name }) => fileName(name) === list.label)?.name ?? list.label

/** Returns whether a name means no object, unless a known label has that name. */
export const isVoid = (name: string, known: readonly { name: string }[]): boolean =>
  (name === 'background' || name === 'ignored') && !known.some((label) => label.name === name)

/** Yields the ids of images in a list of tags that have its label. */
export async function* taggedIds(zip: ZipReader, { file }: TagList): AsyncGenerator<ListedImage> {
  for await (const { text, line } of entriesIn(zip, file)) {
    if (/\s1$/.test(text)) yield { id: listedId(withoutEntry(text, tagEntry)) ?? '', line }
  }
}

/** Formats a line of a list of tags. */
export const tagLine = (id: string, isTagged: boolean): string =>
  `${listLine(id).trimEnd()}${isTagged ? present : ' -1'}\n`

const listPath = /^ImageSets\/(Main|Segmentation|Layout|Action)\/([^/]+)\.txt$/
const present = '  1'
const tagEntry = /\s(?:-1|0|1)$/
/** Number of an object or action. */
const numberEntry = /\s\d+$/
/** Entry in the exact form of the original dataset. */
const exactEntry = /( {2}[01]| -1)$/

/**
 * Returns whether a file is a list of tags. File names join label and subset with `_`, which both may contain, so the
 * lines decide: a list of tags has an entry in every line. With a single blank it may also be a list of images whose
 * names end with a number.
 */
async function isOfLabel(
  zip: ZipReader,
  file: string,
  isKnown: (id: string) => boolean,
): Promise<boolean> {
  let [isExact, isTold, lines] = [true, false, 0]
  for await (const { text } of entriesIn(zip, file)) {
    if (!tagEntry.test(text)) return false
    isExact &&= exactEntry.test(text)
    if (!isExact && isKnown(listedId(text) ?? '')) return false
    isTold ||= isKnown(listedId(withoutEntry(text, tagEntry)) ?? '')
    lines += 1
  }
  return lines > 0 && (isExact || isTold)
}

async function* listedIds(zip: ZipReader, file: string, task: string): AsyncGenerator<string> {
  const hasNumbers = task === 'Layout' || task === 'Action'
  for await (const { text } of entriesIn(zip, file))
    yield listedId(hasNumbers ? withoutEntry(text, numberEntry) : text) ?? ''
}

/** Returns the line without the entry at its end. */
const withoutEntry = (text: string, entry: RegExp): string => text.replace(entry, '').trimEnd()

async function* entriesIn(zip: ZipReader, file: string): AsyncGenerator<Line> {
  const entry = zip.files.get(file)
  if (!entry) return
  for await (const lines of linesIn(zip.stream(entry), file))
    for (const line of lines) if (listedId(line.text) !== undefined) yield line
}

function splitName(name: string, subsets: readonly string[]): { label: string; subset: string } {
  const owners = subsets.filter((subset) => name.endsWith(`_${subset}`))
  const [longest] = owners.sort((a, b) => b.length - a.length)
  const subset = longest ?? name.slice(name.lastIndexOf('_') + 1)
  return { label: name.slice(0, -subset.length - 1), subset }
}

function addTo(subsets: Map<string, string[]>, name: string, id: string): void {
  const ids = subsets.get(name)
  if (ids) ids.push(id)
  else subsets.set(name, [id])
}
