import type { Attribute, Label, Sublabel } from '@reticle/sdk'
import { type Edges, edgesOf } from '../geometry/skeleton.ts'

/** Names of labels, sublabels and attributes by id. */
export interface FrameLabelNames {
  label: (id: number) => Pick<Sublabel, 'name' | 'color'>
  attribute: (id: number) => Pick<Attribute, 'name'>
  /** Edges of a skeleton. */
  edges: (id: number) => Edges
}

/** Colour of objects whose label was just created or deleted. */
const unknownColor = '#888888'

export function namesOf(labels: readonly Label[]): FrameLabelNames {
  const all = labels.flatMap((label) => [label, ...label.sublabels])
  const byId = new Map(all.map((label) => [label.id, label]))
  const attributes = new Map(all.flatMap((label) => label.attributes).map((one) => [one.id, one]))
  const edges = new Map(labels.map(({ id, svg }) => [id, edgesOf(svg)]))
  return {
    label: (id) => byId.get(id) ?? { name: `label ${id}`, color: unknownColor },
    attribute: (id) => attributes.get(id) ?? { name: `attribute ${id}` },
    edges: (id) => edges.get(id) ?? [],
  }
}
