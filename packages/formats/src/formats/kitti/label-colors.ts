/** Reads and writes `label_colors.txt` of KITTI: the classes of images in order, with their colours. */
import { colorText, parseColor, rgb } from '../../image/colors.ts'
import { isByte, type MapLabel } from '../../masks/label-map.ts'
import { streetClasses } from '../../masks/street-classes.ts'
import type { DatasetLabel } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { lineOf, linesOf } from '../../text/text-lines.ts'

export const labelColorsName = 'label_colors.txt'

/** Replaces blanks, because names are separated by blanks. */
export const writtenName = (name: string): string => name.replace(/\s/g, '_')

export const labelColorsText = (labels: readonly MapLabel[]): string =>
  labels.map(({ name, color = 0 }) => `${colorText(color, ' ')} ${writtenName(name)}\n`).join('')

/**
 * Parses the file.
 * @throws {FormatError} for an invalid line or a duplicate name
 */
export function readLabelColors(bytes: Uint8Array, file: string): MapLabel[] {
  const labels = new Map<string, MapLabel>()
  for (const line of linesOf(bytes, file)) {
    const text = line.text.trimStart()
    if (text === '' || text.startsWith('#')) continue
    const fail = (reason: string): FormatError => new FormatError(reason, lineOf(file, line))
    const [red = '', green = '', blue = '', ...words] = text.split(/\s+/)
    const name = words.join(' ')
    if (![red, green, blue].every(isByte) || name === '')
      throw fail(`"${text.slice(0, 80)}" is no label, expected r g b name`)
    if (labels.has(name)) throw fail(`label '${name}' is given twice`)
    labels.set(name, mapLabel(name, rgb(Number(red), Number(green), Number(blue))))
  }
  return [...labels.values()]
}

export interface Classes {
  /** Classes by their number in images. */
  byIndex: readonly MapLabel[]
  /** Classes by colour; the first one with a colour counts. */
  byColor: readonly MapLabel[]
  /** Source of the names when they are not from the file. */
  origin?: string
}

/**
 * Returns the classes for an archive that declares none: the official ones when a label of the task is among them,
 * otherwise the background and then the labels by name, like an export. Colours of the labels take precedence.
 */
export function assumedClasses(labels: readonly DatasetLabel[]): Classes {
  const official = streetClasses.map(({ name, color }) => mapLabel(name, color))
  const names = new Set(labels.map(({ name }) => name))
  const isOfficial = labels.length === 0 || official.some(({ name }) => names.has(name))
  const own = labels.map(({ name, color }) => mapLabel(name, parseColor(color)))
  const sorted = own
    .filter(({ name }) => name !== background)
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
  const byColor = [mapLabel(background, 0), ...own, ...official]
  const byIndex = isOfficial ? official : [mapLabel(background, 0), ...sorted]
  return { byIndex, byColor, origin: assumedOrigin }
}

const assumedOrigin =
  `${labelColorsName} is not in the archive, so the classes of pictures are read as labels of the task or classes of the KITTI data set: ` +
  `add ${labelColorsName} with a line "r g b name" for each class`

export const background = 'background'

const mapLabel = (name: string, color: number | undefined): MapLabel => {
  return { name, color, parts: [], actions: [] }
}
