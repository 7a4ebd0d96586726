/** Reads images whose colours are classes, together with images whose colours are objects. */
import { colorText, rgb } from '../image/colors.ts'
import type { Png } from '../image/png.ts'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import { type MapLabel, voidColor } from './label-map.ts'
import { pixelValues } from './picture.ts'
import { type MaskRegion, regionsOf } from './regions.ts'

/** A mask with the label of its class. */
export interface LabelledMask {
  label: string
  /** True for the background and borders; they are skipped unless a label has that name. */
  isBackground: boolean
  crop(): number[]
}

/**
 * Returns the masks of an image of classes: one for each class and object, or one for each class when there is no
 * image of objects.
 * @param labels Matched by colour, the first of equal ones; in a grey image by index, or else by grey colour.
 * @param onNothing Called with a class that has pixels without an object.
 * @throws {FormatError} that names colours without a label
 */
export function labelledMasks(
  classes: Png,
  objects: Png | undefined,
  labels: readonly MapLabel[],
  location: ErrorLocation,
  onNothing: (label: string) => void = () => undefined,
): LabelledMask[] {
  const regions = regionsOf(
    classes,
    pixelValues(classes),
    objects ? pixelValues(objects) : () => 0,
    location,
  )
  const found = classFinder(
    classes,
    labels,
    regions.map((region) => region.class),
  )
  assertDeclared(
    classes,
    regions.filter((region) => !found(region.class)),
    location,
  )
  if (classes.kind === 'grey' && found(greyBorder)?.label === ignored)
    assertMoreThanBorder(regions, location)
  return regions.flatMap((region) => {
    const label = found(region.class)
    const isNothing = objects !== undefined && region.object === 0
    if (isNothing && label && !label.isBackground) onNothing(label.label)
    return label && !isNothing ? [{ ...label, crop: region.crop }] : []
  })
}

const ignored = 'ignored'
const greyBorder = 255

/**
 * Refuses a grey image of 0 and 255 only: many tools draw masks like this, but 255 means border, so nothing would be
 * imported.
 */
function assertMoreThanBorder(regions: readonly MaskRegion[], location: ErrorLocation): void {
  const drawn = regions.filter((region) => region.class !== 0)
  if (drawn.length === 0 || drawn.some((region) => region.class !== greyBorder)) return
  const reason = `all that is drawn has the value ${greyBorder}, which is the border of objects: expected the indexes of labels`
  throw new FormatError(reason, location)
}

type Found = Pick<LabelledMask, 'label' | 'isBackground'>

function classFinder(
  picture: Png,
  labels: readonly MapLabel[],
  values: readonly number[],
): (value: number) => Found | undefined {
  const colorOf = picture.kind === 'grey' ? greyColors(picture, values, labels) : asItIs
  const border = colorOf ? voidColor : greyBorder
  const names = new Map<number, string>([
    [0, 'background'],
    [border, ignored],
  ])
  for (const [index, { name, color }] of [...labels.entries()].toReversed()) {
    const value = colorOf ? color : index
    if (value !== undefined) names.set(value, name)
  }
  return (raw) => {
    const value = colorOf ? colorOf(raw) : raw
    const label = names.get(value)
    if (label === undefined) return undefined
    // Black and the border colour are background for any label name.
    const isNothing = colorOf !== undefined && (value === 0 || value === voidColor)
    return { label, isBackground: isNothing || label === 'background' || label === ignored }
  }
}

type ColorOf = (value: number) => number

const asItIs: ColorOf = (value) => value

/**
 * Returns a mapping from grey values to colours, if a value exceeds the indexes and every value is the grey colour of
 * a label. Samples of other depths are scaled to a byte, or used unchanged.
 * @param count Number of indexes.
 * @returns undefined when the values are indexes
 */
export function greyColors(
  { samples, depth }: Pick<Png, 'samples' | 'depth'>,
  values: readonly number[],
  labels: readonly MapLabel[],
  count = labels.length,
): ColorOf | undefined {
  const drawn = values.filter((value) => value !== 0)
  if (drawn.every((value) => value < count)) return undefined
  const colors = new Set(labels.map(({ color }) => color))
  const most = 2 ** (depth ?? (samples instanceof Uint16Array ? 16 : 8)) - 1
  const readings: ColorOf[] = [(value) => greyOf((255 * value) / most), greyOf]
  return readings.find((colorOf) => drawn.every((value) => colors.has(colorOf(value))))
}

/** Returns NaN for a value that does not fit into a byte. */
const greyOf = (value: number): number =>
  Number.isInteger(value) && value <= 255 ? rgb(value, value, value) : Number.NaN

function assertDeclared(
  { kind }: Png,
  regions: readonly MaskRegion[],
  location: ErrorLocation,
): void {
  if (regions.length === 0) return
  const pixels = new Map<number, number>()
  for (const region of regions)
    pixels.set(region.class, (pixels.get(region.class) ?? 0) + region.pixels)
  const shown = [...pixels]
    .slice(0, 5)
    .map(([value, count]) => `${kind === 'grey' ? value : colorText(value)} (${count} pixels)`)
  const noun = kind === 'grey' ? 'class' : 'colour'
  throw new FormatError(`no label has the ${noun} ${shown.join(' or ')}`, location)
}
