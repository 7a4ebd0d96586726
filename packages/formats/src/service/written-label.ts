/** Labels ready to be written: what every shape of one says again is put together once. */
import type { AttributeValue, Label } from '../model.ts'
import { escapeText, escapeValue } from '../xml/escape.ts'

export interface WrittenLabel {
  label: Label
  /** `label="car"`, escaped. */
  name: string
  /** The elements of all attributes; without a value of its own one has its default. */
  attributes(values: readonly AttributeValue[], indent: string): string
}

/** By id, points of skeletons among them. */
export function writtenLabels(labels: readonly Label[]): Map<number, WrittenLabel> {
  const all = labels.flatMap((label) => [label, ...label.sublabels])
  return new Map(all.map((label) => [label.id, writtenLabel(label)]))
}

function writtenLabel(label: Label): WrittenLabel {
  const specs = label.attributes.map(({ id, name, default_value }) => {
    return { id, open: `<attribute name="${escapeValue(name)}">`, fallback: default_value }
  })
  return {
    label,
    name: `label="${escapeValue(label.name)}"`,
    attributes(values, indent) {
      let text = ''
      for (const { id, open, fallback } of specs) {
        const value = values.find(({ spec_id }) => spec_id === id)?.value ?? fallback
        text += `${indent}${open}${escapeText(value)}</attribute>\n`
      }
      return text
    },
  }
}
