import type { AnnotationStatistics, LabelStatistics } from '@reticle/sdk'

export type Fate = 'kept' | 'converted' | 'dropped'

/** Effect of a format on a kind of objects, and the number of objects. */
export interface LossRow {
  kind: string
  count: number
  fate: Fate
}

const counted: readonly [kind: string, plural: string, of: (label: LabelStatistics) => number][] = [
  ['tag', 'tags', ({ tags }) => tags],
  ['rectangle', 'rectangles', ({ rectangle }) => rectangle],
  ['polygon', 'polygons', ({ polygon }) => polygon],
  ['polyline', 'polylines', ({ polyline }) => polyline],
  ['points', 'points', ({ points }) => points],
  ['ellipse', 'ellipses', ({ ellipse }) => ellipse],
  ['cuboid', 'cuboids', ({ cuboid }) => cuboid],
  ['mask', 'masks', ({ mask }) => mask],
  ['skeleton', 'skeletons', ({ skeleton }) => skeleton],
  ['tracks', 'tracks', ({ tracks }) => tracks],
]
const weights = { dropped: 0, converted: 1, kept: 2 } as const

/** Returns the effects of a format on a target: worst first, then by number of objects. */
export function lossRows(
  format: { kinds: Record<string, Fate>; features: Record<string, Fate> },
  { labels = [] }: Pick<AnnotationStatistics, 'labels'>,
): LossRow[] {
  const fates = { ...format.kinds, tracks: format.features.tracks ?? 'kept' }
  return counted
    .flatMap(([kind, plural, of]) => {
      const fate = new Map<string, Fate>(Object.entries(fates)).get(kind)
      const count = labels.reduce((sum, label) => sum + of(label), 0)
      return fate ? [{ kind: plural, count, fate }] : []
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.count - a.count)
}

/** Kinds without objects lose nothing and come last. */
const rankOf = ({ count, fate }: LossRow) => (count === 0 ? 3 : weights[fate])

/** Returns the effects on kinds without objects: `kept: masks, polygons; dropped: tags`. */
export function absentText(rows: readonly LossRow[]): string {
  const absent = rows.filter(({ count }) => count === 0)
  return (['kept', 'converted', 'dropped'] as const)
    .flatMap((fate) => {
      const kinds = absent.filter((row) => row.fate === fate).map(({ kind }) => kind)
      return kinds.length > 0 ? [`${fate}: ${kinds.join(', ')}`] : []
    })
    .join('; ')
}

/** Returns the losses as a sentence: `12 ellipses would be dropped, 3 masks converted.` */
export function lossText(rows: readonly LossRow[]): string {
  const of = (fate: Fate) =>
    rows
      .filter((row) => row.fate === fate && row.count > 0)
      .map(({ count, kind }) => `${count} ${kind}`)
      .join(', ')
  const [dropped, converted] = [of('dropped'), of('converted')]
  if (dropped && converted) return `${dropped} would be dropped; ${converted} converted.`
  if (dropped) return `${dropped} would be dropped.`
  return converted ? `${converted} would be converted.` : 'Nothing would be lost.'
}

/** Returns the effects on features of objects, worst first: `rotation dropped`. */
export function featureTexts(features: Record<string, Fate>): string[] {
  return Object.entries(features)
    .filter(([name, fate]) => name !== 'tracks' && fate !== 'kept')
    .toSorted(([, a], [, b]) => weights[a] - weights[b])
    .map(([name, fate]) => `${name.replace('_', ' ')} ${fate}`)
}
