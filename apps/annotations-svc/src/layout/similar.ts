import type { Shape, Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { boxIou, cuboidIou, type Region, readRegion, regionIou, walkTrack } from '@reticle/geometry'

/** What of an object is compared: of a shape, or of a track on one frame. */
export interface Form {
  type: Shape['type']
  label_id: number
  points: readonly number[]
  rotation: number
  outside: boolean
  /** Of a skeleton, which has no points of its own. */
  elements: readonly Form[]
}

/** Compares objects of one target, from 0 to 1 (`spec/api-annotations.md` 1.8, "Similarity"). */
export interface Comparer {
  forms: (a: Form, b: Form) => number
  /** Over some frames, inclusive. */
  tracks: (a: Track, b: Track, first: number, last: number) => number
}

/** Larger polygons are alike only when they are the same: a comparison takes the square of the number of vertices. */
const mostVertices = 2000

export function openComparer(is3d: boolean): Comparer {
  /** Kept as long as the points are: each polygon is compared with many. */
  const regions = new WeakMap<readonly number[], { region: Region | undefined }>()
  const regionOf = (points: readonly number[]) => {
    const known = regions.get(points) ?? { region: readSmall(points) }
    regions.set(points, known)
    return known.region
  }
  const polygons = (a: readonly number[], b: readonly number[]) => {
    const [left, right] = [regionOf(a), regionOf(b)]
    return left && right ? regionIou(left, right) : 0
  }
  const never = () => 0
  const byType: Record<Form['type'], (a: readonly number[], b: readonly number[]) => number> = {
    ...{ rectangle: boxIou, polygon: polygons, cuboid: is3d ? cuboidIou : never },
    ...{ polyline: never, points: never, ellipse: never, mask: never, skeleton: never },
  }
  const forms = (a: Form, b: Form) => {
    if (a.type !== b.type || a.label_id !== b.label_id) return 0
    return isSame(a, b) ? 1 : byType[a.type](a.points, b.points)
  }
  const errorOf = (a: Form | undefined, b: Form | undefined) =>
    a && b && a.outside === b.outside ? 1 - forms(a, b) : 1
  const tracks = (a: Track, b: Track, first: number, last: number) => {
    if (a.label_id !== b.label_id) return 0
    const others = walkForms(b, first, last, is3d)
    let [frames, error] = [0, 0]
    for (const one of walkForms(a, first, last, is3d)) {
      const other = others.next().value || undefined
      if (!one && !other) continue
      frames += 1
      error += errorOf(one, other)
    }
    return frames > 0 ? 1 - error / frames : 0
  }
  return { forms, tracks }
}

const readSmall = (points: readonly number[]) =>
  points.length > 2 * mostVertices ? undefined : readRegion(points)

/** The same numbers at the same places. */
function isSame(a: Form, b: Form): boolean {
  return (
    a.label_id === b.label_id &&
    a.type === b.type &&
    a.outside === b.outside &&
    a.rotation === b.rotation &&
    a.points.length === b.points.length &&
    a.points.every((value, index) => value === b.points[index]) &&
    a.elements.length === b.elements.length &&
    a.elements.every((element, index) => {
      const other = b.elements[index]
      return other !== undefined && isSame(element, other)
    })
  )
}

/** The form of a shape; its own `outside` means nothing. */
export const formOf = ({ type, label_id, points, rotation, elements }: Shape): Form => ({
  ...{ type, label_id, points, rotation, outside: false },
  elements: elements
    .map((one): Form => ({ ...one, elements: [] }))
    .sort((a, b) => a.label_id - b.label_id),
})

/** A track on each of some frames: nothing before it begins, nor while it is hidden, but for the keyframe that hides it. */
function* walkForms(
  track: Track,
  first: number,
  last: number,
  is3d: boolean,
): Generator<Form | undefined> {
  const isSkeleton = track.elements.length > 0
  const parts = isSkeleton ? track.elements.toSorted((a, b) => a.label_id - b.label_id) : [track]
  const walks = parts.map(({ label_id, shapes }) => ({
    label_id,
    states: walkTrack(shapes, first, last, { is3d }),
  }))
  for (let frame = first; frame <= last; frame += 1) {
    const forms = walks.flatMap(({ label_id, states }) => {
      return formAt(states.next().value || undefined, label_id) ?? []
    })
    yield isSkeleton ? skeletonOf(track.label_id, forms) : forms[0]
  }
}

function formAt(state: TrackShape | undefined, label_id: number): Form | undefined {
  if (!state || (state.outside && !state.keyframe)) return undefined
  const { type, points, rotation, outside } = state
  return { type, label_id, points, rotation, outside, elements: [] }
}

/** A skeleton is there when one of its elements is, and hidden when none is seen. */
function skeletonOf(label_id: number, present: readonly Form[]): Form | undefined {
  if (present.length === 0) return undefined
  const elements = present.filter((one) => !one.outside)
  const outside = elements.length === 0
  return { type: 'skeleton', label_id, points: [], rotation: 0, outside, elements }
}
