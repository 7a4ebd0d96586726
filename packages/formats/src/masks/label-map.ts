/** Reads and writes `labelmap.txt` of Pascal VOC and Segmentation mask: the colours of labels in images. */
import { colorText, paletteColor, rgb } from '../image/colors.ts'
import { FormatError } from '../report/errors.ts'
import { lineOf, linesOf } from '../text/text-lines.ts'

export interface MapLabel {
  name: string
  /** 0xRRGGBB; absent when the file has none. */
  color?: number | undefined
  parts: readonly string[]
  actions: readonly string[]
}

export const labelMapName = 'labelmap.txt'

/** Colour of the border around objects in VOC images, which belongs to no class. */
export const voidColor = rgb(224, 224, 192)

/** Classes of the VOC dataset, each with the palette colour of its index. */
export const vocLabels: readonly MapLabel[] = [
  'background,aeroplane,bicycle,bird,boat,bottle,bus,car,cat,chair,cow,diningtable,dog,horse',
  'motorbike,person,pottedplant,sheep,sofa,train,tvmonitor',
]
  .flatMap((names) => names.split(','))
  .map((name, index) => ({ name, color: paletteColor(index), parts: [], actions: [] }))

/**
 * Formats a label map.
 * @throws {FormatError} for a name that the file cannot contain
 */
export function labelMapText(labels: readonly MapLabel[]): string {
  const lines = labels.map(({ name, color, parts, actions }) => {
    if (/:|^#|[\r\n]/.test(name))
      throw new FormatError(
        `label '${name}' cannot be written to ${labelMapName}: it has a ':', begins with '#' or has several lines`,
      )
    return `${name}:${color === undefined ? '' : colorText(color)}:${parts.join()}:${actions.join()}\n`
  })
  return `# label:color_rgb:parts:actions\n${lines.join('')}`
}

/**
 * Parses a label map. When no label has a colour, labels get the palette colours in order, the background first.
 * @throws {FormatError} for an invalid line or a duplicate name
 */
export function readLabelMap(bytes: Uint8Array, file: string): MapLabel[] {
  const labels = new Map<string, MapLabel>()
  for (const line of linesOf(bytes, file)) {
    const { text } = line
    if (text === '' || text.startsWith('#')) continue
    const fail = (reason: string): FormatError => new FormatError(reason, lineOf(file, line))
    const [name = '', color = '', parts = '', actions = '', ...more] = text.split(':')
    if (text.split(':').length !== 4 || more.length > 0 || name === '')
      throw fail(`"${text.slice(0, 80)}" is no label, expected name:r,g,b:parts:actions`)
    if (labels.has(name)) throw fail(`label '${name}' is given twice`)
    const lists = { parts: listed(parts), actions: listed(actions) }
    labels.set(name, { name, color: colorOf(color, fail), ...lists })
  }
  const all = [...labels.values()]
  return all.some(({ color }) => color !== undefined) ? all : inPalette(all)
}

/** File of labelme2voc: one name per line, with palette colours. */
export const classNamesName = 'class_names.txt'

export function readClassNames(bytes: Uint8Array, file: string): MapLabel[] {
  const names = linesOf(bytes, file).map(({ text }) => text.trim())
  const own = names.filter((name) => name !== '' && name !== '__ignore__')
  return inPalette(
    own.map((name) => {
      return { name: name === '_background_' ? 'background' : name, parts: [], actions: [] }
    }),
  )
}

function inPalette(labels: readonly MapLabel[]): MapLabel[] {
  const first = labels[0]?.name === 'background' ? 0 : 1
  return labels.map((label, index) => ({ ...label, color: paletteColor(first + index) }))
}

const listed = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

function colorOf(text: string, fail: (reason: string) => FormatError): number | undefined {
  if (text.trim() === '') return undefined
  const parts = text.split(',').map((part) => part.trim())
  if (parts.length !== 3 || !parts.every(isByte)) throw fail(`"${text}" is no colour r,g,b`)
  const [red = 0, green = 0, blue = 0] = parts.map(Number)
  return rgb(red, green, blue)
}

export const isByte = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) <= 255
