/** Validates one annotation of a COCO file and converts it to geometry and flags (docs/spec/formats.md#coco). */
import { columnsToCrop, decodeRuns } from '@reticle/geometry'
import type { PictureSize } from '../../image/relative-box.ts'
import { customOf, type Flags, flagsOf, hasCrowd, isOfTrack } from '../../importing/flags.ts'
import type { PartGeometry } from '../../masks/as-polygons.ts'
import type { DatasetLabel } from '../../model/dataset.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import {
  createFieldError,
  isRecord,
  type JsonRecord,
  readInteger,
  readNumbers,
} from '../../text/json-fields.ts'
import { furthest } from '../../text/numbers.ts'

/** Id of a record. Strings of digits are read as numbers; some tools use names as ids. */
export type CocoId = number | string

/**
 * Reads an id.
 * @throws {FormatError} when the field is missing or has the wrong type
 */
export function readId(record: JsonRecord, field: string, location: ErrorLocation): CocoId {
  const value = record[field]
  if (typeof value === 'string' && value !== '' && !/^-?\d+$/.test(value)) return value
  return readInteger(record, field, location)
}

/** Reads the ids that an annotation must have. */
export function readIds(record: JsonRecord, location: ErrorLocation) {
  return {
    id: readId(record, 'id', location),
    imageId: readId(record, 'image_id', location),
    categoryId: readId(record, 'category_id', location),
  }
}

/** Geometry of an annotation. */
export interface RecordGeometry {
  /** Rings, masks or one box; parts without area are undefined. */
  parts: (PartGeometry | undefined)[]
  /** True when the box replaces a segmentation that has no area or cannot be read. */
  isBoxInstead: boolean
}

/**
 * Reads the rings and masks of an annotation, or its box.
 * @param size Size of the frame in pixels.
 * @throws {FormatError} when a mask has another size, or when neither the segmentation nor the box can be read
 */
export function readGeometry(
  record: JsonRecord,
  size: PictureSize,
  location: ErrorLocation,
): RecordGeometry {
  const segmentation = withoutEmptyRings(record.segmentation ?? [])
  if (Array.isArray(segmentation) && segmentation.length === 0)
    return { parts: [readBox(record.bbox, location)], isBoxInstead: false }
  const { parts, failure } = readParts(segmentation, size, location)
  if (parts.some((part) => part !== undefined)) return { parts, isBoxInstead: false }
  const box = usableBox(record, location)
  if (box) return { parts: [box], isBoxInstead: true }
  if (failure) throw failure
  return { parts, isBoxInstead: false }
}

/** Removes empty rings. Some tools write the numbers of the only ring, or its points, without an enclosing list. */
function withoutEmptyRings(segmentation: unknown): unknown {
  if (!Array.isArray(segmentation)) return segmentation
  const rings: unknown[] = segmentation.filter((ring) => !Array.isArray(ring) || ring.length > 0)
  const isFlat = rings.length > 0 && rings.every((value) => typeof value === 'number')
  return isFlat || arePoints(rings) ? [rings] : rings
}

/** Returns whether the value is a list of at least three points of x and y. */
const arePoints = (rings: readonly unknown[]): boolean =>
  rings.length >= 3 && rings.every((ring) => Array.isArray(ring) && ring.length === 2)

interface ReadParts {
  parts: (PartGeometry | undefined)[]
  /** Error of a segmentation that cannot be read; `parts` is empty then. */
  failure?: FormatError
}

/**
 * Reads the parts of a segmentation.
 * @throws {FormatError} for a mask of another size, because it belongs to another image
 */
function readParts(segmentation: unknown, size: PictureSize, location: ErrorLocation): ReadParts {
  try {
    if (isRecord(segmentation)) return { parts: [readMask(segmentation, size, location)] }
    if (!Array.isArray(segmentation))
      throw createFieldError('segmentation', segmentation, 'rings or runs', location)
    const parts = segmentation.map((part: unknown, at) => {
      if (isRecord(part) && part.counts !== undefined) return readMask(part, size, location)
      const ring: unknown = Array.isArray(part) && arePoints(part) ? part.flat() : part
      return readRing(ring, `segmentation[${at}]`, location)
    })
    return { parts }
  } catch (error) {
    if (error instanceof FormatError && !(error instanceof MaskSizeError))
      return { parts: [], failure: error }
    throw error
  }
}

function usableBox({ bbox }: JsonRecord, location: ErrorLocation): PartGeometry | undefined {
  try {
    return readBox(bbox, location)
  } catch (error) {
    if (error instanceof FormatError) return undefined
    throw error
  }
}

class MaskSizeError extends FormatError {}

function readBox(value: unknown, location: ErrorLocation): PartGeometry | undefined {
  const box = readNumbers(value, 'bbox', location)
  if (box.length !== 4) {
    throw new FormatError(`bbox has ${box.length} values, expected 4`, location)
  }
  const [x = 0, y = 0, width = 0, height = 0] = box
  const points = checkRange([x, y, x + width, y + height], 'bbox', location)
  return width <= 0 || height <= 0 ? undefined : { type: 'rectangle', points }
}

function readRing(
  value: unknown,
  field: string,
  location: ErrorLocation,
): PartGeometry | undefined {
  const points = checkRange(readNumbers(value, field, location), field, location)
  if (points.length % 2 !== 0) {
    throw new FormatError(`${field} has ${points.length} values, expected an even number`, location)
  }
  return points.length < 6 ? undefined : { type: 'polygon', points }
}

/**
 * Returns the points unchanged.
 * @throws {FormatError} for a coordinate beyond `furthest`, because polygons may later be painted pixel by pixel
 */
function checkRange(points: number[], field: string, location: ErrorLocation): number[] {
  const far = points.find((value) => Math.abs(value) > furthest)
  if (far === undefined) return points
  const reason = `${field} reaches ${far}, expected coordinates within ${-furthest} to ${furthest}`
  throw new FormatError(reason, location)
}

function readMask(
  record: JsonRecord,
  { width, height }: PictureSize,
  location: ErrorLocation,
): PartGeometry | undefined {
  const size = readNumbers(record.size ?? [height, width], 'segmentation.size', location)
  if (size.length !== 2 || size[0] !== height || size[1] !== width) {
    const sizes = `mask of ${size[1]} x ${size[0]} pixels on a frame of ${width} x ${height}`
    throw new MaskSizeError(sizes, location)
  }
  try {
    const points = columnsToCrop(readCounts(record.counts, location), width, height)
    return points && { type: 'mask', points }
  } catch (error) {
    if (error instanceof RangeError) throw new FormatError(error.message, location)
    throw error
  }
}

/** Reads run lengths: a list of numbers, a compressed string, or a list of one compressed string. */
function readCounts(value: unknown, location: ErrorLocation): number[] {
  const text: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  const runs =
    typeof text === 'string'
      ? decodeRuns(text)
      : readNumbers(value, 'segmentation.counts', location)
  const bad = runs.findIndex((run) => run < 0 || !Number.isInteger(run))
  if (bad >= 0)
    throw createFieldError(`segmentation.counts[${bad}]`, runs[bad], 'a whole number', location)
  return runs
}

/** Reads the flags of an object: the attributes with reserved names, and the field `track_id`. */
export function readFlags(record: JsonRecord, location: ErrorLocation): Flags {
  return flagsOf(withTrackId(record, attributesOf(record, location)), location)
}

/**
 * Reads the attributes of an object that are not flags. `is_crowd` is among them only when the label declares it; its
 * value is then the attribute, or else the field `iscrowd`.
 */
export function readCustom(record: JsonRecord, label: DatasetLabel, location: ErrorLocation) {
  const attributes = attributesOf(record, location)
  const custom = customOf(attributes, label)
  if (record.iscrowd !== undefined && attributes.is_crowd == null && hasCrowd(label))
    custom.push(['is_crowd', Number(record.iscrowd) === 1])
  return custom
}

/** Like `readCustom` before the labels exist: reads the attributes that an import has to create for the label. */
export function readCustomAttributes(record: JsonRecord, location: ErrorLocation) {
  const all = attributesOf(record, location)
  return { attributes: customOf(all), isOfTrack: isOfTrack(withTrackId(record, all)) }
}

/** Video datasets have the field `track_id` next to the attributes. */
const withTrackId = ({ track_id }: JsonRecord, attributes: JsonRecord): JsonRecord =>
  track_id === undefined || attributes.track_id !== undefined
    ? attributes
    : { ...attributes, track_id }

/** Returns whether a record has skeleton points. Tools write zeros for points that are not labelled. */
export function hasKeypoints({ keypoints }: JsonRecord): boolean {
  const isAllZero = Array.isArray(keypoints) && keypoints.every((value) => value === 0)
  return keypoints !== undefined && keypoints !== null && !isAllZero
}

function attributesOf(record: JsonRecord, location: ErrorLocation): JsonRecord {
  const attributes = record.attributes ?? {}
  // Tools in PHP write an empty object as an empty list.
  if (Array.isArray(attributes) && attributes.length === 0) return {}
  if (!isRecord(attributes)) throw createFieldError('attributes', attributes, 'an object', location)
  return attributes
}
