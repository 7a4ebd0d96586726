/** Reads the masks of an image from its images of instances or classes. */
import type { ZipReader } from '../../archive/zip-reader.ts'
import type { Png } from '../../image/png.ts'
import { greyColors, labelledMasks } from '../../masks/class-pictures.ts'
import type { RasterSize } from '../../masks/instances.ts'
import { pixelValues, readMaskPicture } from '../../masks/picture.ts'
import { regionsOf } from '../../masks/regions.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import type { KittiItem } from './archive.ts'
import { background, type Classes } from './label-colors.ts'

export interface KittiMask {
  label: string
  /** True for background classes; they are skipped unless a label has that name. */
  isBackground: boolean
  isCrowd: boolean
  crop(): number[]
  location: ErrorLocation
}

/** Reads the most detailed of the available images: instances, then classes, then colours. */
export async function readKittiMasks(
  zip: ZipReader,
  item: KittiItem,
  classes: Classes,
  frame: RasterSize | undefined,
): Promise<KittiMask[]> {
  const file = item.instance ?? item.semantic ?? item.semantic_rgb
  const entry = zip.files.get(file ?? '')
  if (!entry) return []
  const location = { file }
  const png = await readMaskPicture(await zip.bytes(entry), frame, location)
  if (item.instance) return instancesIn(png, classes, location)
  if (item.semantic) return classesIn(png, classes, location)
  const masks = labelledMasks(png, undefined, classes.byColor, location)
  return masks.map((mask) => {
    const isBackground = mask.isBackground || isNothing(mask.label)
    return { ...mask, isBackground, isCrowd: false, location }
  })
}

/**
 * Reads instances: the class is in the high byte, the object number in the low one; objects without a number are a
 * crowd.
 */
function instancesIn(png: Png, classes: Classes, location: ErrorLocation): KittiMask[] {
  if (!(png.samples instanceof Uint16Array))
    throw new FormatError('instances have to be grey of 16 bits', location)
  const { samples } = png
  const regions = regionsOf(
    png,
    (at) => samples[at] ?? 0,
    () => 0,
    location,
  )
  return regions.flatMap(({ class: value, pixels, crop }) => {
    if (value === 0) return []
    const [index, id] = [value >> 8, value & 255]
    return { ...named(index, pixels, classes, location), isCrowd: id === 0, crop, location }
  })
}

function classesIn(png: Png, classes: Classes, location: ErrorLocation): KittiMask[] {
  if (png.kind !== 'grey') throw new FormatError('classes have to be grey', location)
  const regions = regionsOf(png, pixelValues(png), () => 0, location)
  const values = regions.map((region) => region.class)
  const colorOf = greyColors(png, values, classes.byColor, classes.byIndex.length)
  return regions.flatMap(({ class: value, pixels, crop }) => {
    if (value === 0) return []
    const label = colorOf
      ? labelOfColor(colorOf(value), classes)
      : named(value, pixels, classes, location)
    return { ...label, isCrowd: false, crop, location }
  })
}

function labelOfColor(color: number, { byColor }: Classes) {
  const label = byColor.find((one) => one.color === color)?.name ?? background
  return { label, isBackground: isNothing(label) }
}

function named(
  index: number,
  pixels: number,
  { byIndex, origin }: Classes,
  location: ErrorLocation,
) {
  const label = byIndex[index]?.name
  if (label !== undefined) return { label, isBackground: index === 0 || isNothing(label) }
  const reason = `class ${index} (${pixels} pixels) is none of the ${byIndex.length} labels`
  throw new FormatError(origin ? `${reason}; ${origin}` : reason, location)
}

const isNothing = (label: string): boolean => label === background || label === 'unlabeled'
