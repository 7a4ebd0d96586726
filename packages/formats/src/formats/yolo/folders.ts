/** Reads YOLO archives without an obj.data, whose folders determine subsets and images. */

import type { ZipReader } from '../../archive/zip-reader.ts'
import { rootOf } from '../../importing/open-archive.ts'
import { FormatError } from '../../report/errors.ts'
import { baseOf, folderOf, isImageName, withoutExtension } from '../../text/paths.ts'
import { type ClassNames, findNamesFile, findYaml, isNamesFile, readNames } from './names.ts'
import type { YoloItem, YoloSet, YoloSubset } from './set.ts'

/**
 * Reads an archive by its folders.
 * @throws {FormatError} when no text can contain boxes
 */
export async function readFolders(zip: ZipReader): Promise<YoloSet> {
  const members = [...zip.files.keys()]
  const namesFile = findNamesFile(members) ?? (await findYaml(zip))
  const root = rootIn(members, namesFile)
  const texts = members.filter((name) => name.startsWith(root) && isText(name)).sort()
  const pictures = members.filter((name) => name.startsWith(root) && isImageName(name)).sort()
  const layout = layouts.find((one) => texts.some((name) => one.locate(below(name, root))))
  if (!layout) {
    const reason =
      'no YOLO annotations: expected obj.data, obj.names and a .txt file for each image'
    throw new FormatError(reason)
  }
  const names = namesFile === undefined ? undefined : await readNames(zip, namesFile)
  if (names) await checkTwins(zip, names)
  return { zip, names, subsets: subsetsOf(texts, pictures, root, layout) }
}

/**
 * Checks that repeated files of class names are equal, because otherwise class numbers would be ambiguous. Some tools
 * write one into each folder.
 */
async function checkTwins(zip: ZipReader, { file, byNumber }: ClassNames): Promise<void> {
  const listOf = (names: ReadonlyMap<number, string>): string => JSON.stringify([...names])
  for (const twin of zip.files.keys()) {
    if (twin === file || baseOf(twin) !== baseOf(file) || !isNamesFile(twin)) continue
    if (listOf((await readNames(zip, twin)).byNumber) !== listOf(byNumber))
      throw new FormatError(`its class names are not those of ${file}`, { file: twin })
  }
}

/**
 * Returns the root: the folder of the class names, even if it is one of texts or images, or else the parent of a
 * `labels` folder. It must contain all texts; otherwise the root is the whole archive.
 */
function rootIn(members: readonly string[], namesFile: string | undefined): string {
  const texts = members.filter(isText)
  const beside = namesFile && withoutFolders(folderOf(namesFile))
  const root = beside ?? rootOf(texts, (path) => /^labels\//i.test(path)) ?? ''
  return texts.every((name) => name.startsWith(root)) ? root : ''
}

/** Returns the part of a folder above the first folder for texts or images. */
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

/** Splits a path at the last folder with a matching name that has content. */
function splitAt(path: string, folder: RegExp): { before: string[]; rest: string } | undefined {
  const parts = path.split('/')
  const last = path.endsWith('/') ? parts.length - 2 : parts.length - 1
  const at = parts.slice(0, last).findLastIndex((part) => folder.test(part))
  return at < 0 ? undefined : { before: parts.slice(0, at), rest: parts.slice(at + 1).join('/') }
}

interface Layout {
  /** Returns subset and id of a text or image, from its path without extension. */
  locate(path: string): { subset: string; id: string } | undefined
  /** True when it is unknown whether a text contains boxes. */
  isGuess: boolean
}

const unnamed = 'default'

const layouts: readonly Layout[] = [
  { isGuess: false, locate: locateByLabels },
  { isGuess: false, locate: locateByAnnotations },
  { isGuess: true, locate: locateByPath },
]

/** Handles `labels/<subset>/a` and `<subset>/labels/a`, and the same with `images`. */
function locateByLabels(path: string) {
  const found = splitAt(path, /^(?:labels|images)$/i)
  if (!found) return undefined
  const { before, rest } = found
  if (before.join('/') !== '') return { subset: before.at(-1) ?? '', id: rest }
  const [subset = '', ...parts] = rest.split('/')
  return parts.length > 0 ? { subset, id: parts.join('/') } : { subset: unnamed, id: subset }
}

/** Handles `Annotations/a` and `Images/a`. */
function locateByAnnotations(path: string) {
  const found = splitAt(path, /^(?:annotations|images)$/i)
  return found && { subset: unnamed, id: found.rest }
}

/** Handles `obj_<subset>_data/a`, `train/a`, and any other path. */
function locateByPath(path: string) {
  const [, subset = unnamed, id = path] =
    /^(?:data\/)?obj_([^/]+)_data\/(.+)$/.exec(path) ??
    /^(train|val|valid|test)\/(.+)$/.exec(path) ??
    []
  return { subset, id }
}

/** Returns whether a text may contain boxes; descriptions of the dataset do not. */
const isText = (name: string): boolean =>
  /\.txt$/i.test(name) && !isNamesFile(name) && !/^(?:readme|license)/i.test(baseOf(name))

const below = (name: string, root: string): string => withoutExtension(name.slice(root.length))

/** Returns the subsets in the order of names, like frames. */
function subsetsOf(
  texts: readonly string[],
  pictures: readonly string[],
  root: string,
  { locate, isGuess }: Layout,
): YoloSubset[] {
  const subsets = new Map<string, Map<string, YoloItem>>()
  const itemOf = (path: string): YoloItem | undefined => {
    const { subset, id } = locate(path) ?? {}
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
