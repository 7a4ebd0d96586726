import type { Attribute, Label } from '@reticle/contracts/rest/labels'

/** Label after a planned change; without an id it is new. */
export interface LabelDraft {
  id: number | null
  name: string
  /** Empty: not assigned yet. */
  color: string
  type: Label['type']
  /** Drawing of a skeleton, otherwise null; its elements may reference new sublabels by name. */
  svg: string | null
  attributes: AttributeDraft[]
  sublabels: LabelDraft[]
}

export type AttributeDraft = Omit<Attribute, 'id'> & { id: number | null }

/** Returns labels and their sublabels, parents first. */
export const withSublabels = (labels: readonly LabelDraft[]): LabelDraft[] =>
  labels.flatMap((label) => [label, ...label.sublabels])

/** Converts a stored label without changes. */
export function draftOf(
  label: Omit<Label, 'parent_id' | 'sublabels'> & Partial<Label>,
): LabelDraft {
  const { id, name, color, type, svg = null, attributes, sublabels = [] } = label
  return { id, name, color, type, svg, attributes, sublabels: sublabels.map(draftOf) }
}
