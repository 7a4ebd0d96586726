/** Reads YOLO archives in the layout of Darknet: an obj.data that names the lists of images. */

import type { ZipReader } from '../../archive/zip-reader.ts'
import { createMemberFinder, type MemberFinder } from '../../importing/members.ts'
import { rootOf } from '../../importing/open-archive.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf, commonFolder, withoutExtension } from '../../text/paths.ts'
import { lineOf, linesIn, linesOf } from '../../text/text-lines.ts'
import { boxFilesOf } from './box-files.ts'
import { findNamesFile, isNamesFile, readNames } from './names.ts'
import type { YoloItem, YoloSet, YoloSubset } from './set.ts'

/** Finds `obj.data`, or the only other `.data` file next to it. */
export function findDataFile({ files }: ZipReader): string | undefined {
  const names = [...files.keys()]
  const root = rootOf(names, (path) => /^[^/]+\.data$/.test(path))
  if (root === undefined) return undefined
  if (files.has(`${root}obj.data`)) return `${root}obj.data`
  return names.find(
    (name) => name.startsWith(root) && /^[^/]+\.data$/.test(name.slice(root.length)),
  )
}

/**
 * Reads an archive by its lists.
 * @throws {FormatError} when class names or all boxes are missing
 */
export async function readListed(
  zip: ZipReader,
  dataFile: string,
  run: ConversionRun,
): Promise<YoloSet> {
  const root = dataFile.slice(0, dataFile.lastIndexOf('/') + 1)
  const values = await readData(zip, dataFile)
  const members = createMemberFinder(zip.files.keys())
  const find = (path = ''): string | undefined =>
    path === '' ? undefined : members.find([path, baseOf(path)], [root, `${root}data/`], [])
  const namesFile = find(values.get('names')) ?? findNamesFile(zip.files.keys())
  if (namesFile === undefined) throw new FormatError('obj.names is missing', { file: dataFile })

  const texts = openTexts(zip, root)
  texts.take(namesFile)
  const subsets: ListedYoloSubset[] = []
  const seen = new Set<string>()
  for (const [name, value] of values) {
    if (settings.has(name)) continue
    const list = find(value)
    if (list === undefined) {
      const reason = `the list of '${name}' is not in the archive`
      run.report.note('skipped', 'ignored-file', reason, { file: value })
    } else {
      texts.take(list)
      subsets.push({ name, items: await readList({ zip, list, root, seen, run }) })
    }
  }
  nameAbsolute(subsets)
  giveBoxes(subsets, texts, members)
  addUnlisted(subsets, texts, run)
  if (subsets.length === 0) throw new FormatError('it names no list of images', { file: dataFile })
  return { zip, names: await readNames(zip, namesFile), subsets }
}

// ---- obj.data and lists

/** Maximum length in characters of a line with a path. */
const longestPath = 4096

/** Keys that are not subsets. */
const settings = new Set(['classes', 'names', 'backup'])

/** Reads lines of `key = value`, with values as paths of members. */
async function readData(zip: ZipReader, file: string): Promise<Map<string, string>> {
  const entry = zip.files.get(file)
  const values = new Map<string, string>()
  for (const line of entry ? linesOf(await zip.bytes(entry), file, longestPath) : []) {
    if (/^\s*(?:#|$)/.test(line.text)) continue
    const sign = line.text.indexOf(' = ', 1) > 0 ? ' = ' : '=' // names of subsets may have = in them
    const at = line.text.indexOf(sign, 1)
    if (at < 0) throw new FormatError('expected key = value', lineOf(file, line))
    values.set(line.text.slice(0, at).trim(), memberPath(line.text.slice(at + sign.length)))
  }
  return values
}

interface List {
  zip: ZipReader
  list: string
  root: string
  /** Images of the preceding lists. */
  seen: Set<string>
  run: ConversionRun
}

/** An image of a list. */
interface ListedItem extends YoloItem {
  /** True for a path from the root of the machine on which the list was made. */
  isAbsolute: boolean
  path: string
}

interface ListedYoloSubset extends YoloSubset {
  items: ListedItem[]
}

async function readList({ zip, list, root, seen, run }: List): Promise<ListedItem[]> {
  const entry = zip.files.get(list)
  const items: ListedItem[] = []
  if (!entry) return items
  for await (const lines of linesIn(zip.stream(entry), list, longestPath)) {
    run.signal.throwIfAborted()
    for (const line of lines) {
      const path = memberPath(line.text)
      if (path === '') continue
      if (seen.has(path)) {
        const reason = 'the image is listed twice, it is read once'
        run.report.note('skipped', 'duplicate-entry', reason, { file: list, item: path })
      } else items.push(itemOf(path, absolutePath.test(line.text), root, zip))
      seen.add(path)
    }
  }
  return items
}

function itemOf(path: string, isAbsolute: boolean, root: string, zip: ZipReader): ListedItem {
  const id = path.slice(path.indexOf('/') + 1)
  const picture = [`${root}${path}`, `${root}data/${path}`].find((name) => zip.files.has(name))
  const paths = [id, path, ...endsOf(path).slice(1)]
  const pictures = picture ? [] : paths.map(withoutExtension)
  return { id, paths, path, isAbsolute, picture, pictures }
}

/** Removes the common folder of absolute paths, which belongs to the machine on which the list was made. */
function nameAbsolute(subsets: readonly ListedYoloSubset[]): void {
  const items = subsets.flatMap((subset) => subset.items).filter(({ isAbsolute }) => isAbsolute)
  const shared = commonFolder(items.map(({ path }) => path))
  for (const item of items) {
    item.id = item.path.slice(shared.length)
    item.paths.unshift(item.id)
  }
}

/** Converts a path of these files to a member path below the folder of obj.data. */
const memberPath = (text: string): string =>
  text
    .trim()
    .replaceAll('\\', '/')
    .normalize('NFC')
    .replace(/^[a-zA-Z]:\//, '')
    .replace(/^(?:\.?\/)+/, '')
    .replace(/^data\//, '')

const absolutePath = /^\s*(?:[a-zA-Z]:)?[\\/]/

/** Maximum number of folders by which paths from other machines are compared. */
const mostFolders = 64

/** Returns the path without its first folder, without its first two, and so on; the last one has one folder. */
function endsOf(path: string): string[] {
  const parts = path.split('/')
  const first = Math.max(1, parts.length - mostFolders)
  return parts.slice(first, -1).map((_, at) => parts.slice(first + at).join('/'))
}

// ---- texts of boxes

interface Texts {
  root: string
  /** Texts that are not assigned yet. */
  left: Set<string>
  /** Takes a text if it is not assigned yet. */
  take(name: string): string | undefined
}

function openTexts({ files }: ZipReader, root: string): Texts {
  const left = new Set<string>()
  for (const name of files.keys()) if (/\.txt$/i.test(name) && !isNamesFile(name)) left.add(name)
  return { root, left, take: (name) => (left.delete(name) ? name : undefined) }
}

/**
 * Assigns a text to each image: at its expected place, or else the only one whose path ends the same way or whose
 * name is equal.
 */
function giveBoxes(
  subsets: readonly ListedYoloSubset[],
  texts: Texts,
  members: MemberFinder,
): void {
  const items = subsets.flatMap((subset) => subset.items)
  for (const item of items) {
    const candidates = [...withTwin(item.path), `labels/${item.id}`].flatMap(boxFilesOf)
    for (const folder of [texts.root, `${texts.root}data/`])
      for (const name of candidates) item.boxes ??= texts.take(`${folder}${name}`)
  }
  const lost = items.filter(({ boxes }) => boxes === undefined)
  for (const item of lost) {
    const ends = [item.path, ...endsOf(item.path)].filter((path) => path.includes('/'))
    const found = members.find(ends.flatMap(withTwin).flatMap(boxFilesOf), [''], [])
    if (found !== undefined) item.boxes = texts.take(found)
  }
  const orphans = byKey(
    lost.filter(({ boxes }) => boxes === undefined),
    ({ id }) => baseOf(boxFilesOf(id)[0]),
  )
  const leftByBase = byKey([...texts.left], baseOf)
  for (const [base, [item, ...others]] of orphans) {
    const [name, ...more] = leftByBase.get(base) ?? []
    if (item && name && others.length + more.length === 0) item.boxes = texts.take(name)
  }
}

/** Returns a path, and the same path in the `labels` folder next to the one of images, where Darknet looks. */
const withTwin = (path: string): string[] => [
  path,
  path.replace(/^(.*\/)?(?:JPEGI|i)mages\//, '$1labels/'),
]

function byKey<T>(values: readonly T[], keyOf: (value: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>()
  for (const value of values) {
    const others = found.get(keyOf(value))
    if (others) others.push(value)
    else found.set(keyOf(value), [value])
  }
  return found
}

/** Adds texts that no list names. */
function addUnlisted(subsets: YoloSubset[], { root, left }: Texts, run: ConversionRun): void {
  for (const boxes of [...left].filter((name) => name.startsWith(root)).sort()) {
    const path = withoutExtension(boxes.slice(root.length)).replace(/^data\//, '')
    const id = path.slice(path.indexOf('/') + 1)
    const item: YoloItem = { id, paths: [id, path], boxes, isGuess: true, pictures: [path, id] }
    const [, named] = /^obj_([^/]+)_data\//.exec(path) ?? []
    const [first] = subsets
    const subset = subsets.find(({ name }) => name === named) ?? first
    if (subset) subset.items.push(item)
    else subsets.push({ name: named ?? 'train', items: [item] })
    if (path.includes('/')) {
      const reason = 'the file is in no list, its boxes are read all the same'
      run.report.note('converted', 'ignored-file', reason, { file: boxes })
    }
  }
}
