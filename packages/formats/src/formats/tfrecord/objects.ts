/** Converts the shapes of a frame to boxes of TFRecord. */
import { boxOfPoints, cropArea } from '@reticle/geometry'
import { paintedObjects } from '../../exporting/painted-objects.ts'
import type { ConversionRun, ItemFrame, ItemShape } from '../../model/dataset.ts'

/** Left, top, right, bottom. */
export type RelativeCorners = readonly [number, number, number, number]

export interface TfObjectGroup {
  /** The largest member of a group, which determines the label. */
  leader: ItemShape
  /** Bounding box of all members, relative to width and height from 0 to 1: floats of 32 bits. */
  box: RelativeCorners
}

/** Returns the objects in painting order. Changes of shapes are reported. */
export function objectsOf(
  shapes: readonly ItemShape[],
  frame: ItemFrame,
  { report }: Pick<ConversionRun, 'report'>,
): TfObjectGroup[] {
  const example = { item: frame.path }
  const noteConverted = (members: readonly ItemShape[], isClipped: boolean): void => {
    for (const { type } of members.filter((member) => member.type !== 'rectangle')) {
      const reason = `${type === 'mask' ? 'masks' : 'ellipses'} are written as boxes`
      report.note('converted', 'dropped-shape-type', reason, example)
    }
    const merged = 'a group is one object with the label of its largest member'
    if (members.length > 1) report.note('converted', 'merged-group', merged, example)
    if (isClipped) report.note('converted', 'clipped', 'the box is cut to the image', example)
  }
  return paintedObjects(shapes).flatMap((members) => {
    const { left, top, right, bottom } = boxAround(members)
    const whole = [
      left / frame.width,
      top / frame.height,
      right / frame.width,
      bottom / frame.height,
    ]
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = whole.map(share)
    if (!(x2 > x1 && y2 > y1)) {
      const reason = 'the shape has no area within the image'
      report.note('dropped', 'degenerate-shape', reason, example, members.length)
      return []
    }
    noteConverted(
      members,
      whole.some((side) => side < 0 || side > 1),
    )
    return { leader: largestOf(members), box: [x1, y1, x2, y2] }
  })
}

const share = (side: number): number => Math.fround(Math.min(1, Math.max(0, side)))

const largestOf = (members: readonly ItemShape[]): ItemShape =>
  members.reduce((a, b) => (areaOf(b) > areaOf(a) ? b : a))

function areaOf({ type, points }: ItemShape): number {
  if (type === 'mask') return cropArea(points)
  const [, , width, height] = boxOfPoints(points)
  const [, , rx = 0, ry = 0] = points
  return type === 'ellipse' ? Math.PI * rx * ry : width * height
}

function boxAround(members: readonly ItemShape[]) {
  const [left, top, width, height] = boxOfPoints(members.flatMap(cornersOf))
  return { left, top, right: left + width, bottom: top + height }
}

/** Returns two corners of the bounding box of a shape. */
function cornersOf({ type, points, rotation }: ItemShape): readonly number[] {
  if (type === 'rectangle') return points
  if (type === 'mask') {
    const [left = 0, top = 0, right = 0, bottom = 0] = points.slice(-4)
    return [left, top, right + 1, bottom + 1]
  }
  const [cx = 0, cy = 0, rx = 0, ry = 0] = points
  const angle = (rotation * Math.PI) / 180
  const reachX = Math.hypot(rx * Math.cos(angle), ry * Math.sin(angle))
  const reachY = Math.hypot(rx * Math.sin(angle), ry * Math.cos(angle))
  return [cx - reachX, cy - reachY, cx + reachX, cy + reachY]
}
