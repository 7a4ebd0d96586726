import type { AttributeWrite, Label, LabelWrite } from '@reticle/sdk'

/** Types of labels, the most common first. */
export const labelTypes = [
  ...(['any', 'rectangle', 'polygon', 'polyline', 'points', 'ellipse'] as const),
  ...(['cuboid', 'mask', 'tag', 'skeleton'] as const),
]

export const inputTypes = ['select', 'radio', 'checkbox', 'number', 'text'] as const

/** Attribute in the editor; `key` identifies it on the page. */
export interface AttributeDraft extends AttributeWrite {
  key: string
}

/** Label in the editor. */
export interface LabelDraft extends Omit<LabelWrite, 'attributes'> {
  key: string
  attributes: AttributeDraft[]
}

/** State of the label editor: finished rows, names that were not ended with Enter, or JSON instead of both. */
export interface LabelsDraft {
  rows: LabelDraft[]
  typed: string
  json?: string
}

export const noLabels: LabelsDraft = { rows: [], typed: '' }

/** Splits names by line, without empty ones and those in `known`. */
export function namesOf(text: string, known: readonly LabelDraft[] = []): string[] {
  const names = text.split(/\r?\n/).map((name) => name.trim())
  const taken = new Set(known.map(({ name }) => name))
  return [...new Set(names)].filter((name) => name !== '' && !taken.has(name))
}

/** Turns the typed names into rows, each with a different colour. */
export function withTyped({ rows, typed, ...rest }: LabelsDraft): LabelsDraft {
  const more = namesOf(typed, rows).map((name, index) => ({
    ...{ key: newKey(), name, color: colorOf(rows.length + index) },
    attributes: [],
  }))
  return { ...rest, rows: [...rows, ...more], typed: '' }
}

/**
 * Converts a draft to labels for the service.
 *
 * @throws SyntaxError, TypeError for JSON that is not a list of labels
 */
export function writtenOf(draft: LabelsDraft): LabelWrite[] {
  return draft.json === undefined ? withTyped(draft).rows.map(written) : fromJson(draft.json)
}

export function written({ key: _, attributes, ...label }: LabelDraft): LabelWrite {
  return { ...label, attributes: attributes.map(writtenAttribute) }
}

function writtenAttribute({ key: _, ...attribute }: AttributeDraft): AttributeWrite {
  const values = attribute.values?.map((value) => value.trim()).filter((value) => value !== '')
  return { ...attribute, values: values ?? [] }
}

/** Converts a label of the service to a draft. */
export function draftOf(label: Label | LabelWrite): LabelDraft {
  const attributes = (label.attributes ?? []).map((one) => ({ ...one, key: newKey() }))
  return { ...label, attributes, key: newKey() }
}

/**
 * Parses labels as JSON.
 *
 * @throws SyntaxError, TypeError for JSON that is not a list of labels
 */
export function fromJson(text: string): LabelWrite[] {
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
