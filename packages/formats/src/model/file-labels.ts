/** Labels and attributes that a file contains. */

export interface FileAttribute {
  name: string
  input_type: 'number' | 'checkbox' | 'text' | 'select' | 'radio'
  /** True when values occur on frames of tracks, or when the file declares it. */
  mutable: boolean
  /** For a number: minimum, maximum, step; for a select or radio: the choices. */
  values: readonly string[]
  /** One of the values; absent when the file does not declare a default. */
  default_value?: string
}

export const labelTypes = [
  'any',
  'cuboid',
  'ellipse',
  'mask',
  'points',
  'polygon',
  'polyline',
  'rectangle',
  'skeleton',
  'tag',
] as const

export interface FileLabel {
  name: string
  attributes: readonly FileAttribute[]
  /**
   * Set for formats that cannot write every name: returns whether a label of the given name is written as this label.
   */
  isWrittenFor?: (label: string) => boolean
  /** Source of the name when it is not from the file. */
  origin?: string
  /** Absent when the format does not declare a type; then it is `any`. */
  type?: (typeof labelTypes)[number]
  /** Colour such as `#2080c0`. */
  color?: string
  /** Only for skeletons: the elements, and the drawing that names them. */
  sublabels?: readonly FileLabel[]
  svg?: string
}

export interface LabelCollector {
  /**
   * Adds a label in the order of the file; `background` is ignored.
   * @param origin Source of the name when it is not from the file.
   */
  add(label: string, origin?: string): void
  /** Records the value of an attribute that an annotation of the label has. */
  note(label: string, attribute: string, value: unknown, isOfTrack: boolean): void
  read(): FileLabel[]
}

interface Seen {
  isNumber: boolean
  isFlag: boolean
  mutable: boolean
  min: number
  max: number
  isWhole: boolean
}

/** Returns the typed value of a text from a file without types: numbers in their usual form become numbers. */
export const typedValue = (value: unknown): unknown =>
  typeof value === 'string' && /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(value) ? Number(value) : value

/** Creates a collector of the labels of a file. It derives the attributes of labels from their values. */
export function createLabelCollector(): LabelCollector {
  const labels = new Map<string, Map<string, Seen>>()
  const origins = new Map<string, string>()
  return {
    add(label, origin) {
      if (origin === undefined) origins.delete(label)
      if (label === 'background' || labels.has(label)) return
      labels.set(label, new Map())
      if (origin !== undefined) origins.set(label, origin)
    },
    note(label, attribute, value, isOfTrack) {
      const attributes = labels.get(label)
      if (!attributes || value === null || value === undefined) return
      const seen = attributes.get(attribute) ?? unseen()
      attributes.set(attribute, seen)
      see(seen, value)
      seen.mutable ||= isOfTrack
    },
    read: () =>
      [...labels].map(([name, attributes]) => {
        const origin = origins.get(name)
        const own = [...attributes].map(([attribute, seen]) => attributeOf(attribute, seen))
        return { name, attributes: own, ...(origin !== undefined && { origin }) }
      }),
  }
}

const unseen = (): Seen => ({
  isNumber: true,
  isFlag: true,
  mutable: false,
  isWhole: true,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
})

function see(seen: Seen, value: unknown): void {
  seen.isFlag &&= typeof value === 'boolean' || /^(true|false)$/i.test(String(value))
  seen.isNumber &&= typeof value === 'number' && Number.isFinite(value)
  if (typeof value !== 'number') return
  seen.min = Math.min(seen.min, value)
  seen.max = Math.max(seen.max, value)
  seen.isWhole &&= Number.isInteger(value)
}

function attributeOf(name: string, { mutable, ...seen }: Seen): FileAttribute {
  if (seen.isFlag) return { name, input_type: 'checkbox', mutable, values: [] }
  if (!seen.isNumber) return { name, input_type: 'text', mutable, values: [] }
  const values = [seen.min, seen.max, seen.isWhole ? 1 : 0.01].map(String)
  return { name, input_type: 'number', mutable, values }
}
