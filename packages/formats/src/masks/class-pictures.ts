/** Pictures whose colours are classes, and beside them pictures whose colours are objects (spec/formats.md 10.3 and 11.2). */
import { colorText, rgb } from '../colors.ts'
import { FormatError, type Place } from '../errors.ts'
import type { Png } from '../image/png.ts'
import { type MapLabel, voidColor } from './label-map.ts'
import { pixelValues } from './picture.ts'
import { type Region, regionsOf } from './regions.ts'

/** A mask with the label that its class has. */
export interface LabelledMask {
  label: string
  /** It is left out where nobody has a label of that name: everything that is nothing else, or a border. */
  isBackground: boolean
  crop(): number[]
}

/**
 * The masks of a picture of classes: one for each object on each class, or of a picture without objects one for each class.
 * @param labels by their colours, of equal ones the first; a grey picture has their indexes, or else their grey colours
 * @param onNothing told of a class that has pixels which are of no object
 * @throws {FormatError} naming colours that no label has
 */
export function labelledMasks(
  classes: Png,
  objects: Png | undefined,
  labels: readonly MapLabel[],
  place: Place,
  onNothing: (label: string) => void = () => undefined,
): LabelledMask[] {
  const regions = regionsOf(
    classes,
    pixelValues(classes),
    objects ? pixelValues(objects) : () => 0,
    place,
  )
  const found = classFinder(
    classes,
    labels,
    regions.map((region) => region.class),
  )
  assertDeclared(
    classes,
    regions.filter((region) => !found(region.class)),
    place,
  )
  if (classes.kind === 'grey' && found(greyBorder)?.label === ignored)
    assertMoreThanBorder(regions, place)
  return regions.flatMap((region) => {
    const label = found(region.class)
    const isNothing = objects !== undefined && region.object === 0
    if (isNothing && label && !label.isBackground) onNothing(label.label)
    return label && !isNothing ? [{ ...label, crop: region.crop }] : []
  })
}

const ignored = 'ignored'
const greyBorder = 255

/** Black and white is no picture of classes, though many draw masks so: nothing of it would be left. */
function assertMoreThanBorder(regions: readonly Region[], place: Place): void {
  const drawn = regions.filter((region) => region.class !== 0)
  if (drawn.length === 0 || drawn.some((region) => region.class !== greyBorder)) return
  const reason = `all that is drawn has the value ${greyBorder}, which is the border of objects: expected the indexes of labels`
  throw new FormatError(reason, place)
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
    // Black is nothing, whatever it is called, and so is the border.
    const isNothing = colorOf !== undefined && (value === 0 || value === voidColor)
    return { label, isBackground: isNothing || label === 'background' || label === ignored }
  }
}

type ColorOf = (value: number) => number

const asItIs: ColorOf = (value) => value

/**
 * Maps the values of a grey picture to colours, where a value exceeds the indexes and every value is a grey colour of a label. Samples of
 * other depths are scaled to a byte, or used unchanged.
 * @param count Of indexes
 * @returns undefined where the values are indexes
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

/** NaN for a value that does not fit into a byte. */
const greyOf = (value: number): number =>
  Number.isInteger(value) && value <= 255 ? rgb(value, value, value) : Number.NaN

function assertDeclared({ kind }: Png, regions: readonly Region[], place: Place): void {
  if (regions.length === 0) return
  const pixels = new Map<number, number>()
  for (const region of regions)
    pixels.set(region.class, (pixels.get(region.class) ?? 0) + region.pixels)
  const shown = [...pixels]
    .slice(0, 5)
    .map(([value, count]) => `${kind === 'grey' ? value : colorText(value)} (${count} pixels)`)
  const noun = kind === 'grey' ? 'class' : 'colour'
  throw new FormatError(`no label has the ${noun} ${shown.join(' or ')}`, place)
}
