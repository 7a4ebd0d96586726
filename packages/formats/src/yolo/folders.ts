/** YOLO files without an obj.data: what they are of is told by their folders (spec/formats.md 9.2, variants). */
import { rootOf } from '../archive/open-archive.ts'
import type { ZipReader } from '../archive/zip-reader.ts'
import { FormatError } from '../errors.ts'
import { baseOf, folderOf, isImageName, withoutExtension } from '../members.ts'
import { type ClassNames, findNamesFile, findYaml, isNamesFile, readNames } from './names.ts'
import type { YoloItem, YoloSet, YoloSubset } from './set.ts'

/** @throws {FormatError} when no text can be of boxes */
export async function readFolders(zip: ZipReader): Promise<YoloSet> {
  const members = [...zip.files.keys()]
  const namesFile = findNamesFile(members) ?? (await findYaml(zip))
  const root = rootIn(members, namesFile)
  const texts = members.filter((name) => name.startsWith(root) && isText(name)).sort()
  const pictures = members.filter((name) => name.startsWith(root) && isImageName(name)).sort()
  const layout = layouts.find((one) => texts.some((name) => one.place(below(name, root))))
  if (!layout) {
    const reason =
      'no YOLO annotations: expected obj.data, obj.names and a .txt file for each image'
    throw new FormatError(reason)
  }
  const names = namesFile === undefined ? undefined : await readNames(zip, namesFile)
  if (names) await checkTwins(zip, names)
  return { zip, names, subsets: subsetsOf(texts, pictures, root, layout) }
}

/** Some tools put the names into each folder: numbers mean the same in all of them, or nobody knows which. */
async function checkTwins(zip: ZipReader, { file, byNumber }: ClassNames): Promise<void> {
  const listOf = (names: ReadonlyMap<number, string>): string => JSON.stringify([...names])
  for (const twin of zip.files.keys()) {
    if (twin === file || baseOf(twin) !== baseOf(file) || !isNamesFile(twin)) continue
    if (listOf((await readNames(zip, twin)).byNumber) !== listOf(byNumber))
      throw new FormatError(`its class names are not those of ${file}`, { file: twin })
  }
}

/** Where the file of names is, though some put it among the texts; else where a folder of labels is: all texts are there, or it is none. */
function rootIn(members: readonly string[], namesFile: string | undefined): string {
  const texts = members.filter(isText)
  const beside = namesFile && withoutFolders(folderOf(namesFile))
  const root = beside ?? rootOf(texts, (path) => /^labels\//i.test(path)) ?? ''
  return texts.every((name) => name.startsWith(root)) ? root : ''
}

/** The part of a folder above the first one for texts or pictures. */
function withoutFolders(folder: string): string {
  const parts = folder.split('/')
  const at = parts.findIndex((part) => /^(?:labels|annotations|images)$/i.test(part))
  return at < 0
    ? folder
    : parts
        .slice(0, at)
        .map((part) => `${part}/`)
        .join('')
}

/** Splits a path at the last folder of that name that has something below. */
function splitAt(path: string, folder: RegExp): { before: string[]; rest: string } | undefined {
  const parts = path.split('/')
  const last = path.endsWith('/') ? parts.length - 2 : parts.length - 1
  const at = parts.slice(0, last).findLastIndex((part) => folder.test(part))
  return at < 0 ? undefined : { before: parts.slice(0, at), rest: parts.slice(at + 1).join('/') }
}

interface Layout {
  /** Of a text or picture, given without extension. */
  place(path: string): { subset: string; id: string } | undefined
  /** Any text may be of boxes, and need not be. */
  isGuess: boolean
}

const unnamed = 'default'

const layouts: readonly Layout[] = [
  { isGuess: false, place: placeByLabels },
  { isGuess: false, place: placeByAnnotations },
  { isGuess: true, place: placeByPath },
]

/** `labels/<subset>/a`, `<subset>/labels/a`, and `images` likewise. */
function placeByLabels(path: string) {
  const found = splitAt(path, /^(?:labels|images)$/i)
  if (!found) return undefined
  const { before, rest } = found
  if (before.join('/') !== '') return { subset: before.at(-1) ?? '', id: rest }
  const [subset = '', ...parts] = rest.split('/')
  return parts.length > 0 ? { subset, id: parts.join('/') } : { subset: unnamed, id: subset }
}

/** `Annotations/a`, `Images/a`. */
function placeByAnnotations(path: string) {
  const found = splitAt(path, /^(?:annotations|images)$/i)
  return found && { subset: unnamed, id: found.rest }
}

/** `obj_<subset>_data/a`, `train/a`, or whatever it is. */
function placeByPath(path: string) {
  const [, subset = unnamed, id = path] =
    /^(?:data\/)?obj_([^/]+)_data\/(.+)$/.exec(path) ??
    /^(train|val|valid|test)\/(.+)$/.exec(path) ??
    []
  return { subset, id }
}

/** Those that say something of the set are of no boxes. */
const isText = (name: string): boolean =>
  /\.txt$/i.test(name) && !isNamesFile(name) && !/^(?:readme|license)/i.test(baseOf(name))

const below = (name: string, root: string): string => withoutExtension(name.slice(root.length))

/** In the order of names, as frames are. */
function subsetsOf(
  texts: readonly string[],
  pictures: readonly string[],
  root: string,
  { place, isGuess }: Layout,
): YoloSubset[] {
  const subsets = new Map<string, Map<string, YoloItem>>()
  const itemOf = (path: string): YoloItem | undefined => {
    const { subset, id } = place(path) ?? {}
    if (subset === undefined || id === undefined) return undefined
    const items = subsets.get(subset) ?? new Map<string, YoloItem>()
    subsets.set(subset, items)
    const known = items.get(id)
    if (known) return known
    const paths = subset === unnamed ? [path, id] : [path, `${subset}/${id}`, id]
    const item: YoloItem = { id, paths, isGuess, pictures: paths }
    items.set(id, item)
    return item
  }
  for (const name of texts) {
    const item = itemOf(below(name, root))
    if (item) item.boxes = name
  }
  for (const name of pictures) {
    const item = itemOf(below(name, root))
    if (item) item.picture = name
  }
  const inOrder = <T>(byName: Map<string, T>): [string, T][] =>
    [...byName].sort(([a], [b]) => (a < b ? -1 : 1))
  return inOrder(subsets).map(([name, items]) => ({
    name,
    items: inOrder(items).map(([, item]) => item),
  }))
}
