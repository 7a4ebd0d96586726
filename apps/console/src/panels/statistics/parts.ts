import type { LabelStatistics } from '@reticle/sdk'

/** Part of a bar: a name and a count. */
export interface BarPart {
  name: string
  count: number
}

/** Row of a plot: a name and the parts of its bar. */
export interface Bar {
  key: string | number
  name: string
  parts: readonly BarPart[]
}

/** Kinds of objects, in the order of their colours. */
export const kinds = [
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'skeleton',
  'tags',
  'tracks',
] as const

export const totalOf = ({ parts }: Pick<Bar, 'parts'>) =>
  parts.reduce((sum, { count }) => sum + count, 0)

/** Returns bars of labels with a part for each kind that any label uses; most used label first. */
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
