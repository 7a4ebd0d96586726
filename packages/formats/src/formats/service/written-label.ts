/** Labels with prebuilt text for the parts that every shape repeats. */
import type { AttributeValue, DatasetLabel } from '../../model/dataset.ts'
import { escapeText, escapeValue } from '../../xml/escape.ts'

export interface WrittenLabel {
  label: DatasetLabel
  /** Attribute `label="car"`, escaped. */
  name: string
  /** Formats the elements of all attributes; missing values are replaced by defaults. */
  attributes(values: readonly AttributeValue[], indent: string): string
}

/** Returns the labels by id, including skeleton elements. */
export function writtenLabels(labels: readonly DatasetLabel[]): Map<number, WrittenLabel> {
  const all = labels.flatMap((label) => [label, ...label.sublabels])
  return new Map(all.map((label) => [label.id, writtenLabel(label)]))
}

function writtenLabel(label: DatasetLabel): WrittenLabel {
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
