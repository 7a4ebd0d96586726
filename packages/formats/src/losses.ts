/** What an export loses, told in its report as the format says of itself (spec/formats.md 2). */
import type { Carriage, Exporter, Feature, Item, ItemFrame, ItemShape, Kind, Run } from './model.ts'

export interface Losses {
  /**
   * The shapes of a frame that the format has a place for. All else that it drops, of these as well, is told of; what it converts, and
   * what it drops for other reasons, is for the format to tell.
   */
  written(item: Item, frame: ItemFrame): ItemShape[]
}

/**
 * @param name Of the format: what is told begins with it.
 * @param instead What to do about a kind that is dropped; it ends what is told.
 */
export function newLosses(
  name: string,
  { carries, features }: Pick<Exporter, 'carries' | 'features'>,
  { report }: Run,
  instead: Partial<Record<Kind, string>> = {},
): Losses {
  const flattened = new Set<number>()
  const hintOf = (kind: Kind): string => (instead[kind] ? `, ${instead[kind]}` : '')
  const lost = featureLosses.filter(({ feature }) => features[feature] === 'dropped')
  return {
    written({ shapes, tags }, { path: item }) {
      for (const _ of carries.tag === 'dropped' ? tags : [])
        report.note('dropped', 'dropped-shape-type', `${name} has no tags`, { item })
      return shapes.filter((shape) => {
        if (carries[shape.type] === 'dropped') {
          const reason = `${name} has no ${plurals[shape.type]}${hintOf(shape.type)}`
          report.note('dropped', 'dropped-shape-type', reason, { item })
          return false
        }
        for (const { code, isIn, reason } of lost)
          if (isIn(shape)) report.note('dropped', code, `${name} ${reason}`, { item })
        if (features.tracks === 'converted' && isFirstOf(shape, flattened))
          report.note('converted', 'dropped-shape-type', perFrame, { item })
        return true
      })
    },
  }
}

const perFrame = 'tracks are written as shapes of their frames'

/** Whether it is the first shape of its track. */
function isFirstOf({ track_id }: ItemShape, seen: Set<number>): boolean {
  if (track_id === undefined || seen.has(track_id)) return false
  seen.add(track_id)
  return true
}

export const plurals = {
  rectangle: 'rectangles',
  polygon: 'polygons',
  polyline: 'polylines',
  points: 'points',
  ellipse: 'ellipses',
  cuboid: 'cuboids',
  mask: 'masks',
  skeleton: 'skeletons',
} as const

interface FeatureLoss {
  feature: Feature
  code: 'dropped-attribute' | 'unsupported-rotation'
  isIn(shape: ItemShape): boolean
  /** Behind the name of the format. */
  reason: string
}

const code = 'dropped-attribute'

const featureLosses: readonly FeatureLoss[] = [
  {
    feature: 'rotation',
    code: 'unsupported-rotation',
    isIn: ({ rotation }) => rotation !== 0,
    reason: 'has no rotation',
  },
  {
    feature: 'attributes',
    code,
    isIn: ({ attributes }) => attributes.length > 0,
    reason: 'has no attributes',
  },
  {
    feature: 'occluded',
    code,
    isIn: ({ occluded }) => occluded,
    reason: 'does not say what is occluded',
  },
  { feature: 'group', code, isIn: ({ group }) => group > 0, reason: 'has no groups' },
  { feature: 'z_order', code, isIn: ({ z_order }) => z_order !== 0, reason: 'has no z order' },
  { feature: 'score', code, isIn: ({ score }) => score !== 1, reason: 'has no scores' },
]

/** Every feature alike, and those that are not. */
export function featuresOf(
  all: Carriage,
  others: Partial<Exporter['features']> = {},
): Exporter['features'] {
  const alike = { tracks: all, attributes: all, rotation: all, occluded: all }
  return { ...alike, group: all, z_order: all, score: all, ...others }
}

/** Every kind kept but these. */
export const carriesAll = (others: Partial<Exporter['carries']> = {}): Exporter['carries'] =>
  carriesAlike('kept', others)

/** Every kind dropped but these. */
export const carriesOnly = (kept: Partial<Exporter['carries']>): Exporter['carries'] =>
  carriesAlike('dropped', kept)

function carriesAlike(all: Carriage, others: Partial<Exporter['carries']>): Exporter['carries'] {
  const plain = { rectangle: all, polygon: all, polyline: all, points: all, ellipse: all }
  return { ...plain, cuboid: all, mask: all, skeleton: all, tag: all, ...others }
}
