import type { LabelStatistics } from '@reticle/sdk'

/** A part of a bar: what it counts, and how many there are. */
export interface Part {
  name: string
  count: number
}

/** A row of a plot: what it is about, and the parts of its bar. */
export interface Bar {
  key: string | number
  name: string
  parts: readonly Part[]
}

/** What objects of a label there are, in the order in which colours are given to them. */
export const kinds = [
  ...(['rectangle', 'polygon', 'polyline', 'points', 'ellipse', 'cuboid'] as const),
  ...(['mask', 'skeleton', 'tags', 'tracks'] as const),
] as const

export const totalOf = ({ parts }: Pick<Bar, 'parts'>) =>
  parts.reduce((sum, { count }) => sum + count, 0)

/** Labels with what there is of each kind that any of them has; the most used first. */
export function barsOfLabels(labels: readonly LabelStatistics[]): Bar[] {
  const used = kinds.filter((kind) => labels.some((label) => label[kind] > 0))
  return labels
    .map((label) => ({
      key: label.label_id,
      name: label.name,
      parts: used.map((kind) => ({ name: kind, count: label[kind] })),
    }))
    .sort((one, other) => totalOf(other) - totalOf(one))
}
