/** Reports what an export loses, according to the `carries` and `features` of its format. */
import type {
  AnnotationKind,
  Carriage,
  ConversionRun,
  DatasetItem,
  DatasetTag,
  Exporter,
  Feature,
  ItemFrame,
  ItemShape,
} from '../model/dataset.ts'

export interface Losses {
  /**
   * Returns the shapes of a frame that the format supports. Dropped kinds and features are reported here; conversions
   * and other losses are reported by the format.
   */
  written(item: DatasetItem, frame: ItemFrame): ItemShape[]
}

/**
 * Creates the reports of an export.
 * @param name Name of the format; every reason begins with it.
 * @param instead Advice for dropped kinds; it is appended to the reason.
 */
export function createLosses(
  name: string,
  { carries, features }: Pick<Exporter, 'carries' | 'features'>,
  { report }: ConversionRun,
  instead: Partial<Record<AnnotationKind, string>> = {},
): Losses {
  const flattened = new Set<number>()
  const hintOf = (kind: AnnotationKind): string => (instead[kind] ? `, ${instead[kind]}` : '')
  const lost = featureLosses.filter(({ feature }) => features[feature] === 'dropped')
  const noteLost = (one: Annotated, item: string): void => {
    for (const { code, isIn, reason } of lost)
      if (isIn(one)) report.note('dropped', code, `${name} ${reason}`, { item })
  }
  return {
    written({ shapes, tags }, { path: item }) {
      for (const tag of tags)
        if (carries.tag === 'dropped')
          report.note('dropped', 'dropped-shape-type', `${name} has no tags`, { item })
        else noteLost(tag, item)
      return shapes.filter((shape) => {
        if (carries[shape.type] === 'dropped') {
          const reason = `${name} has no ${plurals[shape.type]}${hintOf(shape.type)}`
          report.note('dropped', 'dropped-shape-type', reason, { item })
          return false
        }
        noteLost(shape, item)
        if (features.tracks === 'converted' && isFirstOf(shape, flattened))
          report.note('converted', 'dropped-shape-type', perFrame, { item })
        return true
      })
    },
  }
}

const perFrame = 'tracks are written as shapes of their frames'

/** Returns whether a shape is the first of its track. */
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

/** A shape, or a tag, which has fewer features. */
type Annotated = DatasetTag & Partial<ItemShape>

interface FeatureLoss {
  feature: Feature
  code: 'dropped-attribute' | 'unsupported-rotation'
  isIn(one: Annotated): boolean
  /** Reason, appended to the name of the format. */
  reason: string
}

const code = 'dropped-attribute'

const featureLosses: readonly FeatureLoss[] = [
  {
    feature: 'rotation',
    code: 'unsupported-rotation',
    isIn: ({ rotation = 0 }) => rotation !== 0,
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
    isIn: ({ occluded = false }) => occluded,
    reason: 'does not say what is occluded',
  },
  { feature: 'group', code, isIn: ({ group }) => group > 0, reason: 'has no groups' },
  { feature: 'z_order', code, isIn: ({ z_order = 0 }) => z_order !== 0, reason: 'has no z order' },
  { feature: 'score', code, isIn: ({ score = 1 }) => score !== 1, reason: 'has no scores' },
]

/** Returns the same treatment for every feature, with exceptions. */
export function featuresOf(
  all: Carriage,
  others: Partial<Exporter['features']> = {},
): Exporter['features'] {
  const alike = { tracks: all, attributes: all, rotation: all, occluded: all }
  return { ...alike, group: all, z_order: all, score: all, ...others }
}

/** Returns "kept" for every kind, with exceptions. */
export const carriesAll = (others: Partial<Exporter['carries']> = {}): Exporter['carries'] =>
  carriesAlike('kept', others)

/** Returns "dropped" for every kind, with exceptions. */
export const carriesOnly = (kept: Partial<Exporter['carries']>): Exporter['carries'] =>
  carriesAlike('dropped', kept)

function carriesAlike(all: Carriage, others: Partial<Exporter['carries']>): Exporter['carries'] {
  const plain = { rectangle: all, polygon: all, polyline: all, points: all, ellipse: all }
  return { ...plain, cuboid: all, mask: all, skeleton: all, tag: all, ...others }
}
