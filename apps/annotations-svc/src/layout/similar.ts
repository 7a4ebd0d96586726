import type { Shape, Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { boxIou, cuboidIou, type Region, readRegion, regionIou, walkTrack } from '@reticle/geometry'

/** Compared properties of a shape, or of a track on one frame. */
export interface Form {
  type: Shape['type']
  label_id: number
  points: readonly number[]
  rotation: number
  outside: boolean
  /** Elements of a skeleton, which has points only in its elements. */
  elements: readonly Form[]
}

/** Compares objects of one target; returns similarities from 0 to 1. */
export interface Comparer {
  forms: (a: Form, b: Form) => number
  /** Compares tracks over a range of frames, both inclusive. */
  tracks: (a: Track, b: Track, first: number, last: number) => number
}

/** Polygons with more vertices match only when they are equal, because a comparison takes quadratic time. */
const mostVertices = 2000

export function openComparer(is3d: boolean): Comparer {
  /** Cached while the points exist, because each polygon is compared with many others. */
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
    rectangle: boxIou,
    polygon: polygons,
    cuboid: is3d ? cuboidIou : never,
    polyline: never,
    points: never,
    ellipse: never,
    mask: never,
    skeleton: never,
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

/** Returns whether both have the same numbers. */
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

/** Returns the form of a shape; the `outside` of a shape has no meaning. */
export const formOf = ({ type, label_id, points, rotation, elements }: Shape): Form => ({
  type,
  label_id,
  points,
  rotation,
  outside: false,
  elements: elements
    .map((one): Form => ({ ...one, elements: [] }))
    .sort((a, b) => a.label_id - b.label_id),
})

/**
 * Yields the form of a track on each frame of a range: undefined before the track begins and while it is hidden,
 * except on the keyframe that hides it.
 */
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

/** Builds the form of a skeleton, which exists when any element exists and is hidden when none is visible. */
function skeletonOf(label_id: number, present: readonly Form[]): Form | undefined {
  if (present.length === 0) return undefined
  const elements = present.filter((one) => !one.outside)
  const outside = elements.length === 0
  return { type: 'skeleton', label_id, points: [], rotation: 0, outside, elements }
}
