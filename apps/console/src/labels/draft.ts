import type { AttributeWrite, Label, LabelWrite } from '@reticle/sdk'

/** Types of labels, the most common first. */
export const labelTypes = [
  'any',
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'tag',
  'skeleton',
] as const

export const inputTypes = ['select', 'radio', 'checkbox', 'number', 'text'] as const

/** Attribute in the editor; `key` identifies it on the page. */
export interface EditedAttribute extends AttributeWrite {
  key: string
}

/** Label in the editor. */
export interface EditedLabel extends Omit<LabelWrite, 'attributes'> {
  key: string
  attributes: EditedAttribute[]
}

/** State of the label editor: finished rows, names that were not ended with Enter, or JSON instead of both. */
export interface LabelEditorState {
  rows: EditedLabel[]
  typed: string
  json?: string
}

export const noLabels: LabelEditorState = { rows: [], typed: '' }

/** Splits names by line, without empty ones and those in `known`. */
export function namesOf(text: string, known: readonly EditedLabel[] = []): string[] {
  const names = text.split(/\r?\n/).map((name) => name.trim())
  const taken = new Set(known.map(({ name }) => name))
  return [...new Set(names)].filter((name) => name !== '' && !taken.has(name))
}

/** Turns the typed names into rows, each with a different colour. */
export function withTyped({ rows, typed, ...rest }: LabelEditorState): LabelEditorState {
  const more = namesOf(typed, rows).map((name, index) => ({
    key: newKey(),
    name,
    color: colorOf(rows.length + index),
    attributes: [],
  }))
  return { ...rest, rows: [...rows, ...more], typed: '' }
}

/**
 * Converts a draft to labels for the service.
 *
 * @throws SyntaxError, TypeError for JSON that is not a list of labels
 */
export function toLabelWrites(draft: LabelEditorState): LabelWrite[] {
  return draft.json === undefined
    ? withTyped(draft).rows.map(toLabelWrite)
    : parseLabels(draft.json)
}

export function toLabelWrite({ key: _, attributes, ...label }: EditedLabel): LabelWrite {
  return { ...label, attributes: attributes.map(toAttributeWrite) }
}

function toAttributeWrite({ key: _, ...attribute }: EditedAttribute): AttributeWrite {
  const values = attribute.values?.map((value) => value.trim()).filter((value) => value !== '')
  return { ...attribute, values: values ?? [] }
}

/** Converts a label of the service to a draft. */
export function toEditedLabel(label: Label | LabelWrite): EditedLabel {
  const attributes = (label.attributes ?? []).map((one) => ({ ...one, key: newKey() }))
  return { ...label, attributes, key: newKey() }
}

/**
 * Parses labels as JSON.
 *
 * @throws SyntaxError, TypeError for JSON that is not a list of labels
 */
export function parseLabels(text: string): LabelWrite[] {
  const given: unknown = JSON.parse(text)
  if (!Array.isArray(given) || !given.every((one) => typeof one === 'object' && one !== null))
    throw new TypeError('Labels are a list of objects: [{"name": "car"}].')
  return given // the service validates the rest and reports the place of each error
}

/** Returns a colour that differs from earlier ones: hues are a golden angle apart. */
export function colorOf(index: number): string {
  const hue = (index * 137.508 + 210) % 360
  const [lightness, reach] = [0.5, 0.5 * 0.65]
  const channel = (shift: number) => {
    const at = (shift + hue / 30) % 12
    const value = lightness - reach * Math.max(-1, Math.min(at - 3, 9 - at, 1))
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, '0')
  }
  return `#${channel(0)}${channel(8)}${channel(4)}`
}

let last = 0
export const newKey = () => `new-${++last}`
