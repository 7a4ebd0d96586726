/** Reads panoptic COCO files: one image of segments for each image, one colour for each segment. */
import { flipsToRuns } from '@reticle/geometry'
import sharp from 'sharp'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import {
  createFieldError,
  isRecord,
  type JsonRecord,
  readInteger,
  readText,
} from '../../text/json-fields.ts'
import type { CocoFile } from './files.ts'

/** Maximum number of pixels of an image. */
const pixelsInPicture = 178_956_970

export interface LocatedRecord {
  record: JsonRecord
  location: ErrorLocation
}

/**
 * Returns the segments of one annotation as instance records with run lengths.
 * @param firstId Id of the first record; segment ids of the file are unique only within an image.
 */
export async function segmentRecords(
  { record, location }: LocatedRecord,
  file: CocoFile,
  firstId: number,
): Promise<LocatedRecord[]> {
  const segments = record.segments_info
  if (!Array.isArray(segments))
    throw createFieldError('segments_info', segments, 'a list', location)
  const name = readText(record, 'file_name', location)
  if (!file.picture) throw new FormatError('its pictures are missing: send them in a ZIP', location)
  const picture = await file.picture(name)
  const declared = new Set(segments.map((segment: unknown) => isRecord(segment) && segment.id))
  const isDeclared = (id: number): boolean => declared.has(id)
  const { masks, size } = await readSegments(picture, isDeclared, { ...location, record: name })
  const image = `image ${String(record.image_id)}`
  return segments.map((segment: unknown, index) => {
    if (!isRecord(segment))
      throw createFieldError(`segments_info[${index}]`, segment, 'an object', location)
    const segmentId = readInteger(segment, 'id', { ...location, record: image })
    const counts = masks.get(segmentId) ?? [size[0] * size[1]]
    const { category_id, iscrowd } = segment
    return {
      record: {
        id: firstId + index,
        image_id: record.image_id,
        category_id,
        iscrowd,
        segmentation: { counts, size },
      },
      location: { ...location, record: `${image}: segment ${segmentId}` },
    }
  })
}

/** Returns column-wise run lengths by segment id (red + 256 green + 65536 blue); undeclared colours are ignored. */
async function readSegments(
  picture: Uint8Array,
  isDeclared: (id: number) => boolean,
  location: ErrorLocation,
) {
  const { data, info } = await decode(picture, location)
  const { width, height, channels } = info
  const flips = new Map<number, number[]>()
  const flip = (id: number, at: number): void => {
    if (!isDeclared(id)) return
    const own = flips.get(id)
    if (own) own.push(at)
    else flips.set(id, [at])
  }
  let last = -1
  for (let at = 0; at < width * height; at += 1) {
    const pixel = ((at % height) * width + Math.floor(at / height)) * channels
    const [red = 0, green = 0, blue = 0] = [data[pixel], data[pixel + 1], data[pixel + 2]]
    const id = red + 256 * green + 65_536 * blue
    if (id === last) continue
    if (last >= 0) flip(last, at)
    flip(id, at)
    last = id
  }
  const masks = new Map<number, number[]>()
  for (const [id, own] of flips) masks.set(id, flipsToRuns(own, width * height))
  const size: [height: number, width: number] = [height, width]
  return { masks, size }
}

async function decode(picture: Uint8Array, location: ErrorLocation) {
  try {
    return await sharp(picture, { limitInputPixels: pixelsInPicture, sequentialRead: true })
      .toColourspace('srgb')
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new FormatError(`the picture cannot be read: ${reason}`, location)
  }
}
