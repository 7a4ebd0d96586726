/** Labels and attributes that a file brings with it (spec/formats.md 3.3 and 4.3). */

export interface FileAttribute {
  name: string
  input_type: 'number' | 'checkbox' | 'text' | 'select' | 'radio'
  /** Seen on frames of tracks, or said to be. */
  mutable: boolean
  /** Of a number: minimum, maximum, step; of a select or radio: what there is to choose from. */
  values: readonly string[]
  /** One of those; absent: the file does not say. */
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
  /** Where the format cannot write every name: whether a label of this name stands there as this one. */
  isWrittenFor?: (label: string) => boolean
  /** Where the name is from, if not from the file. */
  origin?: string
  /** What only some formats say: absent, it is `any`. */
  type?: (typeof labelTypes)[number]
  /** `#2080c0`. */
  color?: string
  /** Of a skeleton: its points, and its drawing, which names them. */
  sublabels?: readonly FileLabel[]
  svg?: string
}

export interface LabelCollector {
  /**
   * A label in the order of the file; `background` is none.
   * @param origin Where the name is from, if not from the file
   */
  add(label: string, origin?: string): void
  /** A value of an attribute that an annotation of the label has. */
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

/** The value of a text of files that know no types: numbers as tools write them are numbers. */
export const typedValue = (value: unknown): unknown =>
  typeof value === 'string' && /^-?(0|[1-9]\d{0,14})(\.\d+)?$/.test(value) ? Number(value) : value

/** Gathers the labels of a file, and from their values what its attributes are. */
export function labelCollector(): LabelCollector {
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
  ...{ isNumber: true, isFlag: true, mutable: false, isWhole: true },
  ...{ min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY },
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
