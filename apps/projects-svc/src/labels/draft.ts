import type { Attribute, Label } from '@reticle/contracts/rest/labels'

/** Labels as they are going to be; what has no id yet is new. */
export interface LabelDraft {
  id: number | null
  name: string
  /** Empty: still to be assigned. */
  color: string
  type: Label['type']
  /** The drawing of a skeleton, else null; elements may name sublabels that have no id yet. */
  svg: string | null
  attributes: AttributeDraft[]
  sublabels: LabelDraft[]
}

export type AttributeDraft = Omit<Attribute, 'id'> & { id: number | null }

/** Labels and their sublabels, parents first. */
export const withSublabels = (labels: readonly LabelDraft[]): LabelDraft[] =>
  labels.flatMap((label) => [label, ...label.sublabels])

/** A stored label, unchanged. */
export function draftOf(
  label: Omit<Label, 'parent_id' | 'sublabels'> & Partial<Label>,
): LabelDraft {
  const { id, name, color, type, svg = null, attributes, sublabels = [] } = label
  return { id, name, color, type, svg, attributes, sublabels: sublabels.map(draftOf) }
}
