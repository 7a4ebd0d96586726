/** One annotation of a COCO file (spec/formats.md 8.3): checked, and turned into geometry and flags. */
import { columnsToCrop, decodeRuns } from '@reticle/geometry'
import { FormatError, type Place } from '../errors.ts'
import { customOf, type Flags, flagsOf, hasCrowd, isOfTrack } from '../flags.ts'
import { isRecord, type JsonRecord, readInteger, readNumbers, wrong } from '../json/fields.ts'
import type { Geometry } from '../masks.ts'
import type { Label } from '../model.ts'
import { furthest } from '../numbers.ts'
import type { PictureSize } from '../relative-box.ts'

/** Numbers as texts are numbers; some tools have names instead. */
export type CocoId = number | string

/** @throws {FormatError} when the field is missing or of a wrong kind */
export function readId(record: JsonRecord, field: string, place: Place): CocoId {
  const value = record[field]
  if (typeof value === 'string' && value !== '' && !/^-?\d+$/.test(value)) return value
  return readInteger(record, field, place)
}

/** The ids an annotation must have. */
export function readIds(record: JsonRecord, place: Place) {
  return {
    id: readId(record, 'id', place),
    imageId: readId(record, 'image_id', place),
    categoryId: readId(record, 'category_id', place),
  }
}

/** The geometry of an annotation. */
export interface Outline {
  /** Rings, masks or one box; those without area are undefined. */
  parts: (Geometry | undefined)[]
  /** The box replaces a segmentation without area, or one that cannot be read. */
  isBoxInstead: boolean
}

/**
 * The rings and masks of an annotation, or its box.
 * @param size Of the frame, in pixels.
 * @throws {FormatError} when a mask is of another size, or when neither the segmentation nor the box can be read
 */
export function readGeometry(record: JsonRecord, size: PictureSize, place: Place): Outline {
  const segmentation = withoutEmptyRings(record.segmentation ?? [])
  if (Array.isArray(segmentation) && segmentation.length === 0)
    return { parts: [readBox(record.bbox, place)], isBoxInstead: false }
  const { parts, failure } = readParts(segmentation, size, place)
  if (parts.some((part) => part !== undefined)) return { parts, isBoxInstead: false }
  const box = usableBox(record, place)
  if (box) return { parts: [box], isBoxInstead: true }
  if (failure) throw failure
  return { parts, isBoxInstead: false }
}

/** Some tools write the numbers of the only ring, or its points, without a list around them. */
function withoutEmptyRings(segmentation: unknown): unknown {
  if (!Array.isArray(segmentation)) return segmentation
  const rings: unknown[] = segmentation.filter((ring) => !Array.isArray(ring) || ring.length > 0)
  const isFlat = rings.length > 0 && rings.every((value) => typeof value === 'number')
  return isFlat || arePoints(rings) ? [rings] : rings
}

/** At least three lists of x and y. */
const arePoints = (rings: readonly unknown[]): boolean =>
  rings.length >= 3 && rings.every((ring) => Array.isArray(ring) && ring.length === 2)

interface ReadParts {
  parts: (Geometry | undefined)[]
  /** Why there are none. */
  failure?: FormatError
}

/** @throws {FormatError} for a mask of another size, because it belongs to another picture */
function readParts(segmentation: unknown, size: PictureSize, place: Place): ReadParts {
  try {
    if (isRecord(segmentation)) return { parts: [readMask(segmentation, size, place)] }
    if (!Array.isArray(segmentation))
      throw wrong('segmentation', segmentation, 'rings or runs', place)
    const parts = segmentation.map((part: unknown, at) => {
      if (isRecord(part) && part.counts !== undefined) return readMask(part, size, place)
      const ring: unknown = Array.isArray(part) && arePoints(part) ? part.flat() : part
      return readRing(ring, `segmentation[${at}]`, place)
    })
    return { parts }
  } catch (error) {
    if (error instanceof FormatError && !(error instanceof MaskSizeError))
      return { parts: [], failure: error }
    throw error
  }
}

function usableBox({ bbox }: JsonRecord, place: Place): Geometry | undefined {
  try {
    return readBox(bbox, place)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

class MaskSizeError extends FormatError {}

function readBox(value: unknown, place: Place): Geometry | undefined {
  const box = readNumbers(value, 'bbox', place)
  if (box.length !== 4) {
    throw new FormatError(`bbox has ${box.length} values, expected 4`, place)
  }
  const [x = 0, y = 0, width = 0, height = 0] = box
  const points = within([x, y, x + width, y + height], 'bbox', place)
  return width <= 0 || height <= 0 ? undefined : { type: 'rectangle', points }
}

function readRing(value: unknown, field: string, place: Place): Geometry | undefined {
  const points = within(readNumbers(value, field, place), field, place)
  if (points.length % 2 !== 0) {
    throw new FormatError(`${field} has ${points.length} values, expected an even number`, place)
  }
  return points.length < 6 ? undefined : { type: 'polygon', points }
}

/** What is painted later is walked pixel by pixel. */
function within(points: number[], field: string, place: Place): number[] {
  const far = points.find((value) => Math.abs(value) > furthest)
  if (far === undefined) return points
  const reason = `${field} reaches ${far}, expected coordinates within ${-furthest} to ${furthest}`
  throw new FormatError(reason, place)
}

function readMask(
  record: JsonRecord,
  { width, height }: PictureSize,
  place: Place,
): Geometry | undefined {
  const size = readNumbers(record.size ?? [height, width], 'segmentation.size', place)
  if (size.length !== 2 || size[0] !== height || size[1] !== width) {
    const sizes = `mask of ${size[1]} x ${size[0]} pixels on a frame of ${width} x ${height}`
    throw new MaskSizeError(sizes, place)
  }
  try {
    const points = columnsToCrop(readCounts(record.counts, place), width, height)
    return points && { type: 'mask', points }
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError(error.message, place)
    throw error
  }
}

/** Runs come as numbers, as the compressed text, or as a list of one such text. */
function readCounts(value: unknown, place: Place): number[] {
  const text: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  const runs =
    typeof text === 'string' ? decodeRuns(text) : readNumbers(value, 'segmentation.counts', place)
  const bad = runs.findIndex((run) => run < 0 || !Number.isInteger(run))
  if (bad >= 0) throw wrong(`segmentation.counts[${bad}]`, runs[bad], 'a whole number', place)
  return runs
}

/** What the file says of the object beside geometry and attributes of its label. */
export function readFlags(record: JsonRecord, place: Place): Flags {
  return flagsOf(withTrackId(record, attributesOf(record, place)), place)
}

/** What is for a label to declare: `is_crowd` is where it does, and then follows the field `iscrowd`. */
export function readCustom(record: JsonRecord, label: Label, place: Place) {
  const attributes = attributesOf(record, place)
  const custom = customOf(attributes, label)
  if (record.iscrowd !== undefined && attributes.is_crowd == null && hasCrowd(label))
    custom.push(['is_crowd', Number(record.iscrowd) === 1])
  return custom
}

/** What among the attributes of a record is for a label to declare. */
export function readCustomAttributes(record: JsonRecord, place: Place) {
  const all = attributesOf(record, place)
  return { attributes: customOf(all), isOfTrack: isOfTrack(withTrackId(record, all)) }
}

/** Data sets of videos have the field `track_id` beside the attributes. */
const withTrackId = ({ track_id }: JsonRecord, attributes: JsonRecord): JsonRecord =>
  track_id === undefined || attributes.track_id !== undefined
    ? attributes
    : { ...attributes, track_id }

/** Whether it has points of a skeleton: those that are not labelled are 0. */
export function hasKeypoints({ keypoints }: JsonRecord): boolean {
  const isNothing = Array.isArray(keypoints) && keypoints.every((value) => value === 0)
  return keypoints !== undefined && keypoints !== null && !isNothing
}

function attributesOf(record: JsonRecord, place: Place): JsonRecord {
  const attributes = record.attributes ?? {}
  // Tools whose language knows one kind of list write what is empty so.
  if (Array.isArray(attributes) && attributes.length === 0) return {}
  if (!isRecord(attributes)) throw wrong('attributes', attributes, 'an object', place)
  return attributes
}
