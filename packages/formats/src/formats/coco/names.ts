/** Reads the images and categories of a COCO file, the part that an import keeps in memory. */

import type { FileItem } from '../../importing/item-frames.ts'
import { createFrameMatcher, deepestOf } from '../../importing/match-frames.ts'
import {
  createScanner,
  isBatch,
  type RootMember,
  ScanError,
  type ScanOptions,
} from '../../json/scan.ts'
import type { TargetFrames } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { createFieldError, isRecord, type JsonRecord, readText } from '../../text/json-fields.ts'
import type { CocoFile } from './files.ts'
import { type CocoId, readId } from './record.ts'

export interface CocoIndex {
  images: Map<CocoId, FileItem>
  /** Names of categories by id. */
  categories: Map<CocoId, string>
}

/** Images and categories of a file by id, with the names as written. */
export interface CocoNames {
  images: Map<CocoId, NamedImage>
  categories: Map<CocoId, string>
  /** Parent names by category name, for categories that have a parent. */
  parents: Map<string, string>
}

/** Image with the size that the file declares. */
export type NamedImage = Pick<FileItem, 'name' | 'size'>

/** Reads the images of a file with their frames, and its categories. */
export async function readIndex(
  file: CocoFile,
  target: TargetFrames,
  onBytes: (bytes: number) => void,
): Promise<CocoIndex> {
  const { images, categories } = await readNames(file, onBytes)
  return { images: matchImages(images, target, file.subset), categories }
}

/**
 * Reads images and categories. The root keys may have any order: official files have the annotations before the
 * categories. Annotations are skipped, and reading stops once images and categories are complete.
 * @throws {FormatError} when the file is not a COCO file or an image id is duplicate
 */
export async function readNames(
  file: CocoFile,
  onBytes: (bytes: number) => void,
): Promise<CocoNames> {
  const names = new Map<CocoId, NamedImage>()
  const categories = new Map<CocoId, string>()
  const parents = new Map<string, string>()
  const keys = new Set<string>()
  let isComplete = false
  const selects = (key: string): boolean => {
    keys.add(key)
    const isIndex = key === 'images' || key === 'categories'
    // When a key arrives, the values of all earlier keys have been read completely.
    isComplete = !isIndex && expectedKeys.every((expected) => keys.has(expected))
    return isIndex
  }
  for await (const member of scanFile(file, { selects }, onBytes, () => isComplete)) {
    if (member.key === 'images') readImages(member, file, names)
    if (member.key === 'categories') readCategories(member, file, { categories, parents })
  }
  const missing = expectedKeys.filter((key) => !keys.has(key))
  if (missing.length > 0) {
    const reason = `expected an object with ${expectedKeys.join(', ')}: ${missing.join(', ')} missing`
    throw new FormatError(reason, { file: file.name })
  }
  return { images: names, categories, parents }
}

const expectedKeys = ['images', 'categories', 'annotations']

/**
 * Yields the members of a file. Syntax errors become a `FormatError` with file and byte.
 * @param onBytes called with numbers of bytes that have been read, or are skipped at an early end; their sum is the
 * size of the file
 * @param isEnough called after each piece; true ends the scan early
 */
export async function* scanFile(
  file: CocoFile,
  options: ScanOptions,
  onBytes: (bytes: number) => void,
  isEnough: () => boolean = () => false,
): AsyncGenerator<RootMember> {
  const scanner = createScanner(options)
  let remaining = file.size
  try {
    for await (const piece of file.read()) {
      remaining -= piece.length
      onBytes(piece.length)
      yield* scanner.feed(piece)
      if (isEnough()) return onBytes(remaining)
    }
    scanner.end()
  } catch (error) {
    if (!(error instanceof ScanError)) throw error
    const isWrongRoot = error.reason === 'expected an object'
    const reason = isWrongRoot ? 'expected an object with images and annotations' : error.reason
    throw new FormatError(reason, { file: file.name, record: error.where, offset: error.offset })
  }
}

function readImages(member: RootMember, file: CocoFile, names: Map<CocoId, NamedImage>): void {
  for (const { record, location } of recordsOf(member, file, 'image')) {
    const id = readId(record, 'id', location)
    if (names.has(id)) throw new FormatError('the id is given twice', location)
    names.set(id, { name: readText(record, nameField(record), location), size: sizeOf(record) })
  }
}

/** Returns the size that a record declares in pixels; undefined when a side is not a positive integer. */
export function sizeOf({ width, height }: JsonRecord): NamedImage['size'] {
  return isSide(width) && isSide(height) ? { width, height } : undefined
}

const isSide = (value: unknown): value is number => Number.isInteger(value) && Number(value) > 0

/** Returns the field with the file name. LVIS has only the URL of an image. */
const nameField = ({ file_name, coco_url }: JsonRecord): string =>
  file_name === undefined && typeof coco_url === 'string' ? 'coco_url' : 'file_name'

function readCategories(
  member: RootMember,
  file: CocoFile,
  { categories, parents }: Pick<CocoNames, 'categories' | 'parents'>,
): void {
  for (const { record, location } of recordsOf(member, file, 'category')) {
    const id = readId(record, 'id', location)
    if (categories.has(id)) throw new FormatError('the id is given twice', location)
    const name = readText(record, 'name', location)
    categories.set(id, name)
    const { supercategory } = record
    if (typeof supercategory === 'string' && supercategory !== '') parents.set(name, supercategory)
  }
}

/**
 * Yields the elements of a list as records, each with its location for error messages.
 * @param noun name of an element in messages, such as `image`
 */
export function* recordsOf(member: RootMember, file: CocoFile, noun: string) {
  if (!isBatch(member))
    throw createFieldError(member.key, member.value, 'a list', { file: file.name })
  for (let index = 0; index < member.items.length; index += 1) {
    const record = member.items[index]
    const position = member.first + index
    if (!isRecord(record)) {
      throw createFieldError(`${member.key}[${position}]`, record, 'an object', { file: file.name })
    }
    yield {
      record,
      location: new RecordLocation(file.name, record.id, { noun, list: member.key, position }),
    }
  }
}

/** Location of a record. Few of millions of records appear in messages, so the name is built only when it is read. */
class RecordLocation implements ErrorLocation {
  readonly file: string
  readonly #id: unknown
  readonly #place: { noun: string; list: string; position: number }

  constructor(file: string, id: unknown, place: { noun: string; list: string; position: number }) {
    this.file = file
    this.#id = id
    this.#place = place
  }

  get record(): string {
    const { noun, list, position } = this.#place
    const hasId = typeof this.#id === 'number' || typeof this.#id === 'string'
    return hasId ? `${noun} ${this.#id}` : `${list}[${position}]`
  }
}

function matchImages(
  names: Map<CocoId, NamedImage>,
  target: TargetFrames,
  subset: string,
): Map<CocoId, FileItem> {
  const paths = [...names.values()].map(({ name }) => name)
  const matcher = createFrameMatcher(target, deepestOf(paths))
  const images = new Map<CocoId, FileItem>()
  for (const [id, { name, size }] of names)
    images.set(id, { name, size, frame: matcher.match({ paths: pathsOf(name, subset) }) })
  return images
}

/** Returns the path as written, then the paths without each folder that tools add; the shortest path is last. */
export function pathsOf(name: string, subset: string): string[] {
  if (/^https?:\/\//.test(name)) return [lastOfUrl(name)]
  const toolFolders = [`images/${subset}/`, 'images/', `${subset}/`, 'JPEGImages/']
  const path = name.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')
  const prefixes = toolFolders.filter((folder) => path.startsWith(folder))
  const shortened = prefixes.map((folder) => path.slice(folder.length))
  return [path, ...shortened.sort((a, b) => b.length - a.length)]
}

/** Returns the file name at the end of a URL. */
function lastOfUrl(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const name = path.slice(path.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
