/** Positions of a track between its keyframes (`docs/spec/annotations.md#interpolated-reads`). */
import { orderCorners } from './box.ts'
import { type Blend, blendCurves } from './curves.ts'

/** Fields of a track shape that interpolation reads; all other fields are copied from the left keyframe. */
export interface TrackPosition {
  /** `rectangle polygon polyline points ellipse cuboid mask skeleton`. */
  type: string
  frame: number
  points: readonly number[]
  /** Degrees, clockwise, [0, 360). */
  rotation: number
  outside: boolean
  keyframe: boolean
}

export interface InterpolationOptions {
  /** Whether cuboids are those of point clouds: centre, three angles in radians, size. */
  is3d?: boolean
}

/**
 * Yields the state of a track on every frame from `first` to `last`: hidden ranges with `outside: true`, frames
 * before the first keyframe as undefined. `shapes` are sorted by frame, at most one per frame.
 */
export function* walkTrack<T extends TrackPosition>(
  shapes: Iterable<T>,
  first: number,
  last: number,
  options: InterpolationOptions = {},
): Generator<T | undefined> {
  const stateOf = trackStates(shapes, options)
  for (let frame = first; frame <= last; frame += 1) yield stateOf(frame)
}

/**
 * Returns a function that gives the state of a track, as `walkTrack` does, on ascending frames; frames can be
 * skipped.
 *
 * @param shapes Iterated twice in parallel and never stored.
 */
export function trackStates<T extends TrackPosition>(
  shapes: Iterable<T>,
  options: InterpolationOptions = {},
): (frame: number) => T | undefined {
  const all = ascending(shapes)
  const keyframes = ascending(shapes, (one) => one.keyframe)
  let own: T | undefined
  let left: T | undefined
  let inBetween: ((frame: number) => T | undefined) | undefined
  return (frame) => {
    for (const shape of all.upTo(frame)) {
      own = shape
      if (isAnchor(shape, left)) {
        left = shape
        inBetween = undefined
      }
    }
    if (own?.frame === frame) return own
    inBetween ??= left ? betweenKeyframes(left, keyframes.behind(frame), options) : () => undefined
    return inBetween(frame)
  }
}

/** Reads shapes in frame order. */
function ascending<T extends TrackPosition>(
  shapes: Iterable<T>,
  isWanted: (shape: T) => boolean = () => true,
) {
  const iterator = shapes[Symbol.iterator]()
  const read = (): T | undefined => {
    let next = iterator.next()
    while (!next.done && !isWanted(next.value)) next = iterator.next()
    return next.done ? undefined : next.value
  }
  let isBegun = false
  let waiting: T | undefined
  /** Yields the shapes up to the frame that have not been yielded yet. */
  function* upTo(frame: number): Generator<T> {
    if (!isBegun) waiting = read()
    isBegun = true
    for (; waiting && waiting.frame <= frame; waiting = read()) yield waiting
  }
  return {
    upTo,
    /** Returns the first shape after the frame. */
    behind(frame: number): T | undefined {
      for (const _ of upTo(frame));
      return waiting
    },
  }
}

/** Returns the state of a track on one frame, as `walkTrack` does, without reading all earlier frames. */
export function trackAt<T extends TrackPosition>(
  shapes: readonly T[],
  frame: number,
  options: InterpolationOptions = {},
): T | undefined {
  const last = lastShapeAt(shapes, frame)
  if (shapes[last]?.frame === frame) return shapes[last]
  const left = shapes[anchorAt(shapes, frame)]
  return left && betweenKeyframes(left, nextKeyframe(shapes, last + 1), options)(frame)
}

/** Returns the index of the keyframe that determines a frame: the last one at or before it; -1 before the first. */
export function anchorAt(shapes: readonly TrackPosition[], frame: number): number {
  let at = lastShapeAt(shapes, frame)
  while (at > 0 && !shapes[at]?.keyframe) at -= 1
  return at
}

/** Returns the first frame from `first` to `last` on which a track is visible. */
export function firstVisible(
  shapes: readonly TrackPosition[],
  first: number,
  last: number,
): number | undefined {
  const before = anchorAt(shapes, first)
  if (shapes[before]?.outside === false) return first
  for (let at = before + 1; at < shapes.length; at += 1) {
    const shape = shapes[at]
    if (!shape || shape.frame > last) return undefined
    if (!shape.outside && (shape.keyframe || at === 0)) return shape.frame
  }
  return undefined
}

/** Returns the index of the last shape on or before a frame; -1 without any. */
function lastShapeAt(shapes: readonly TrackPosition[], frame: number): number {
  let [from, to] = [0, shapes.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((shapes[middle]?.frame ?? 0) <= frame) from = middle + 1
    else to = middle
  }
  return from - 1
}

/**
 * Returns the position on `frame` between two keyframes, `left.frame < frame < right.frame`. Flags and attributes are
 * copied from `left`; `keyframe` is false.
 */
export function interpolatePosition<T extends TrackPosition>(
  left: T,
  right: T,
  frame: number,
  options: InterpolationOptions = {},
): T {
  return betweenKeyframes(left, right, options)(frame)
}

/** Interpolates an angle at a fraction t of the shorter arc; half a turn increases it. Degrees in [0, 360). */
export function blendDegrees(from: number, to: number, t: number): number {
  return wrap(from + shorterArc(from, to, 360) * t, 360)
}

/** The first shape of a track counts as a keyframe, even without the flag. */
function isAnchor(shape: TrackPosition, left: TrackPosition | undefined): boolean {
  return shape.keyframe || left === undefined
}

function nextKeyframe<T extends TrackPosition>(shapes: readonly T[], from: number): T | undefined {
  for (let index = from; index < shapes.length; index += 1) {
    if (shapes[index]?.keyframe) return shapes[index]
  }
  return undefined
}

/** Hidden ranges and frames after the last keyframe repeat the left keyframe. */
function holdOf<T extends TrackPosition>(left: T): (frame: number) => T {
  return (frame) => ({ ...left, frame, keyframe: false })
}

function betweenKeyframes<T extends TrackPosition>(
  left: T,
  right: T | undefined,
  options: InterpolationOptions,
): (frame: number) => T {
  if (!right || left.outside) return holdOf(left)
  const blend = blendPoints(left, right, options.is3d === true)
  return (frame) => {
    const t = (frame - left.frame) / (right.frame - left.frame)
    const rotation = blendDegrees(left.rotation, right.rotation, t)
    return { ...left, frame, keyframe: false, rotation, points: blend(t) }
  }
}

function blendPoints(left: TrackPosition, right: TrackPosition, is3d: boolean): Blend {
  const hold: Blend = () => left.points
  switch (left.type) {
    case 'mask':
      return hold
    case 'polygon':
    case 'polyline':
      return blendCurves(left.points, right.points, left.type === 'polygon')
    case 'rectangle':
      return blendBoxes(left.points, right.points)
    case 'points':
      return left.points.length === 2 && right.points.length === 2
        ? blendLines(left.points, right.points)
        : hold
    case 'cuboid':
      return is3d ? blendCuboids(left.points, right.points) : blendLines(left.points, right.points)
    default:
      return blendLines(left.points, right.points)
  }
}

function blendLines(left: readonly number[], right: readonly number[]): Blend {
  return (t) => left.map((value, index) => value + ((right[index] ?? value) - value) * t)
}

/** Boxes with corners in different orders are ordered first, so that they do not pass through a box without an area. */
function blendBoxes(left: readonly number[], right: readonly number[]): Blend {
  return isTurnedAs(left, right)
    ? blendLines(left, right)
    : blendLines(orderCorners(left), orderCorners(right))
}

/** Returns whether the corners of both boxes have the same order. */
function isTurnedAs(one: readonly number[], other: readonly number[]): boolean {
  const turns = ([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]) => [x1 <= x2, y1 <= y2]
  const [isRight, isDown] = turns(one)
  const [isOtherRight, isOtherDown] = turns(other)
  return isRight === isOtherRight && isDown === isOtherDown
}

/** Interpolates centre and size linearly, and the angles (numbers 3 to 5, radians) along the shorter arc. */
function blendCuboids(left: readonly number[], right: readonly number[]): Blend {
  const straight = blendLines(left, right)
  return (t) =>
    straight(t).map((value, index) => {
      if (index < 3 || index > 5) return value
      const [from = 0, to = 0] = [left[index], right[index]]
      const angle = wrap(from + shorterArc(from, to, 2 * Math.PI) * t, 2 * Math.PI)
      return angle > Math.PI ? angle - 2 * Math.PI : angle
    })
}

function shorterArc(from: number, to: number, circle: number): number {
  const arc = wrap(to - from, circle)
  return arc > circle / 2 ? arc - circle : arc
}

function wrap(value: number, circle: number): number {
  const rest = value % circle
  return rest < 0 ? rest + circle : rest
}
