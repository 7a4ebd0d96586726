/** Reads the image of a record: name, objects, and its bytes if the record contains them. */
import { normaliseName } from '../../archive/names.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { isImageName } from '../../text/paths.ts'
import { type Example, readExample } from './example.ts'
import type { TfRecord } from './records.ts'

export interface TfPicture {
  /** Path with extension, as far as the record states it; otherwise empty. */
  name: string
  objects: readonly TfObject[]
  /** In pixels; undefined when the record has no size. */
  size: { width: number; height: number } | undefined
  /** True when the whole image has a class, which is not imported. */
  isClassified: boolean
  /** Bytes of an image file; empty when the record has no image. */
  encoded: Uint8Array
}

export interface TfObject {
  location: ErrorLocation
  /** Name of the label, or empty. */
  text: string
  /** Id in the label map. */
  id: number | undefined
  /** Left, top, right, bottom relative to width and height; absent for an object with only a mask. */
  box?: readonly [number, number, number, number]
  /** A PNG with the size of the image; pixels other than 0 belong to the object. */
  mask?: Uint8Array
}

/**
 * Reads a record.
 * @throws {FormatError} that names the record, when it is not an example, or its lists have different lengths
 */
export function readPicture({ data, location }: TfRecord): TfPicture {
  const example = readExample(data, location)
  const names = example.names()
  if (!names.some((name) => name.startsWith('image/'))) throw noPicture(names, location)
  const [encoded = new Uint8Array()] = example.bytes('image/encoded')
  const isClassified = names.some((name) => /^image\/class\/(?:text|label)$/.test(name))
  const objects = objectsIn(example, location)
  return { name: nameIn(example), objects, size: sizeOf(example), isClassified, encoded }
}

function sizeOf(example: Example): TfPicture['size'] {
  const [[width = 0], [height = 0]] = [
    example.integers('image/width'),
    example.integers('image/height'),
  ]
  return width > 0 && height > 0 ? { width, height } : undefined
}

function noPicture(names: readonly string[], location: ErrorLocation): FormatError {
  const found = names.length > 0 ? names.slice(0, 10).join(', ') : 'no feature at all'
  const reason = `the record is no picture with objects: expected image/filename, found ${found}`
  return new FormatError(reason, location)
}

/**
 * Returns the path of the frame of an image.
 * @throws {FormatError} for a path that leaves its folder
 */
export function frameName({ name }: TfPicture, location: ErrorLocation): string {
  try {
    return normaliseName(name.replace(/^(?:[a-zA-Z]:)?[\\/]+/, ''))
  } catch (error) {
    const reason = name === '' ? 'neither filename nor source_id' : `bad filename '${name}'`
    throw error instanceof FormatError ? new FormatError(reason, location) : error
  }
}

const extensions: Readonly<Record<string, string>> = { jpeg: '.jpg', jpg: '.jpg', png: '.png' }

/** Returns the file name. A source id without an extension gets the one of the image format. */
function nameIn(example: Example): string {
  const [filename = ''] = example.texts('image/filename')
  if (filename !== '') return filename
  const [id = ''] = example.texts('image/source_id')
  const [format = ''] = example.texts('image/format')
  return id === '' || isImageName(id) ? id : id + (extensions[format.toLowerCase()] ?? '')
}

const sides = ['xmin', 'ymin', 'xmax', 'ymax'] as const

function objectsIn(example: Example, location: ErrorLocation): TfObject[] {
  const texts = example.texts('image/object/class/text')
  const ids = example.integers('image/object/class/label')
  const masks = example.bytes('image/object/mask')
  const boxes = sides.map((side) => example.floats(`image/object/bbox/${side}`))
  const lists = { 'class/text': texts, 'class/label': ids, mask: masks }
  const count = countOf({
    ...lists,
    ...Object.fromEntries(sides.map((side, at) => [`bbox/${side}`, boxes[at] ?? []])),
  })
  if (typeof count === 'string') throw new FormatError(count, location)
  const other = count > 0 ? undefined : example.names().find(isOfOtherSchema)
  if (other !== undefined)
    throw new FormatError(
      `the boxes are in ${other}, expected image/object/bbox/xmin ...`,
      location,
    )
  const [xmin = [], ymin = [], xmax = [], ymax = []] = boxes
  const hasBoxes = boxes.every((list) => list.length > 0)
  if (!hasBoxes && boxes.some((list) => list.length > 0))
    throw new FormatError('the boxes lack a side: xmin, ymin, xmax and ymax are needed', location)
  if (count > 0 && !hasBoxes && masks.length === 0)
    throw new FormatError('the objects have neither boxes nor masks', location)
  return Array.from({ length: count }, (_, at): TfObject => {
    const mask = masks[at]
    return {
      location: { ...location, record: `${location.record}, object ${at + 1}` },
      text: texts[at] ?? '',
      id: ids[at],
      ...(hasBoxes && { box: [xmin[at] ?? 0, ymin[at] ?? 0, xmax[at] ?? 0, ymax[at] ?? 0] }),
      ...(mask && mask.length > 0 && { mask }),
    }
  })
}

/** Detects boxes with the feature names of other libraries, which would otherwise be lost silently. */
const isOfOtherSchema = (feature: string): boolean =>
  /(^|\/)bbox/.test(feature) && !feature.startsWith('image/object/')

/** Returns the number of objects, or an error message when lists have different lengths. Empty lists are ignored. */
function countOf(lists: Readonly<Record<string, readonly unknown[]>>): number | string {
  const given = Object.entries(lists).filter(([, list]) => list.length > 0)
  const [first] = given
  if (!first) return 0
  const other = given.find(([, list]) => list.length !== first[1].length)
  if (!other) return first[1].length
  return `${first[0]} has ${first[1].length} values, ${other[0]} has ${other[1].length}`
}
