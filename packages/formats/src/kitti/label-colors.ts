/** `label_colors.txt` of KITTI (spec/formats.md 13.1): the classes of pictures, by their order, and their colours. */
import { colorText, parseColor, rgb } from '../colors.ts'
import { FormatError } from '../errors.ts'
import { isByte, type MapLabel } from '../masks/label-map.ts'
import { streetClasses } from '../masks/street-classes.ts'
import type { Label } from '../model.ts'
import { lineOf, linesOf } from '../text-lines.ts'

export const labelColorsName = 'label_colors.txt'

/** Names stand between blanks. */
export const writtenName = (name: string): string => name.replace(/\s/g, '_')

export const labelColorsText = (labels: readonly MapLabel[]): string =>
  labels.map(({ name, color = 0 }) => `${colorText(color, ' ')} ${writtenName(name)}\n`).join('')

/** @throws {FormatError} for a line that is none, or a name that is given twice */
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
  /** By the numbers of pictures. */
  byIndex: readonly MapLabel[]
  /** By colour the first one counts. */
  byColor: readonly MapLabel[]
  /** Where names are from, if not from the file. */
  origin?: string
}

/**
 * What classes are where the file does not say: those of the data set where a label of the task is one of them, else the background and
 * then the labels by name, as an export has them. Colours are those of the labels first.
 */
export function assumedClasses(labels: readonly Label[]): Classes {
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
