/**
 * Converts the shapes of a frame to COCO instances. A group becomes one object; its largest member determines label
 * and attributes (docs/spec/formats.md#coco).
 */
import {
  boxOfPoints,
  columnsArea,
  columnsBox,
  columnsToCrop,
  cropToColumns,
  ellipseToColumns,
  maskToPolygons,
  type PixelBox,
  polygonArea,
  polygonToColumns,
  round2,
  unionOfColumns,
} from '@reticle/geometry'
import { carriesOnly, featuresOf } from '../../exporting/losses.ts'
import { paintedObjects } from '../../exporting/painted-objects.ts'
import type { DatasetLabel, ItemShape } from '../../model/dataset.ts'

export interface Instance {
  /** The largest member, which determines label, attributes and flags. */
  leader: ItemShape
  label: DatasetLabel
  members: readonly ItemShape[]
  /** Rings, or column-wise run lengths of the whole frame. */
  segmentation: { rings: (readonly number[])[] } | { runs: number[] }
  bbox: PixelBox
  area: number
  /** True when masks were converted to polygons. */
  hasTracedMasks: boolean
  /** True when coordinates were rounded to two decimals. */
  isRounded: boolean
}

export interface InstanceSize {
  width: number
  height: number
}

/** How each kind of annotation is exported; published to clients and used by the export. */
export const carries = carriesOnly({
  rectangle: 'kept',
  polygon: 'kept',
  ellipse: 'converted',
  mask: 'kept',
})

export const features = featuresOf('kept', { group: 'converted', z_order: 'converted' })

/**
 * Returns the instances of the shapes of a frame in painting order. `onEmpty` receives objects that cover no pixel of
 * the frame.
 */
export function instancesOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, DatasetLabel>,
  size: InstanceSize,
  onEmpty: (members: readonly ItemShape[]) => void,
): Instance[] {
  return paintedObjects(shapes).flatMap((members) => {
    const instance = instanceOf(members, labels, size)
    if (!instance) onEmpty(members)
    return instance ?? []
  })
}

/**
 * A group member in its exported form; polygon and box points have two decimals. `area` is in pixels; polygons are
 * painted only when several have to be united.
 */
interface Member {
  shape: ItemShape
  points: readonly number[]
  isRounded: boolean
  area: number
  /** Undefined when the member covers no pixel. */
  box: PixelBox | undefined
  /** Column-wise run lengths of masks and ellipses. */
  runs: number[] | undefined
}

function instanceOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, DatasetLabel>,
  size: InstanceSize,
): Instance | undefined {
  const members = shapes.map((shape) => measure(shape, size))
  const leader = members.reduce((a, b) => (b.area > a.area ? b : a)).shape
  const label = labels.get(leader.label_id)
  const bbox = boxOf(members)
  if (!label || !bbox) return undefined
  const isRounded = members.some((member) => member.isRounded)
  const areas = members.filter(({ shape }) => shape.type !== 'rectangle')
  // Built field by field: object spread took half a second for a hundred thousand instances.
  const instance = (segmentation: Instance['segmentation'], area: number): Instance => ({
    leader,
    label,
    members: shapes,
    segmentation,
    bbox,
    area,
    hasTracedMasks: 'rings' in segmentation && areas.some(({ runs }) => runs !== undefined),
    isRounded,
  })
  if (areas.length === 0) return instance({ rings: [] }, bbox[2] * bbox[3])
  if (isRunLengths(leader, label, shapes)) {
    const runs = unionOf(areas, size)
    return instance({ runs }, columnsArea(runs))
  }
  const [only, second] = areas
  const area = only && !second ? only.area : columnsArea(unionOf(areas, size))
  const rings =
    only && !second ? ringsOf(only, size) : areas.flatMap((member) => ringsOf(member, size))
  return instance({ rings }, area)
}

function measure(shape: ItemShape, { width, height }: InstanceSize): Member {
  const { type, rotation } = shape
  if (type === 'mask' || type === 'ellipse') {
    const { points } = shape
    const runs =
      type === 'mask'
        ? cropToColumns(points, width, height)
        : ellipseToColumns(points, rotation, width, height)
    const box = columnsBox(runs, height)
    return { shape, points, isRounded: false, area: columnsArea(runs), box, runs }
  }
  const isRounded = shape.points.some((value) => round2(value) !== value)
  const points = isRounded ? shape.points.map(round2) : shape.points
  const box = boxOfPoints(points)
  const area = type === 'polygon' ? polygonArea(points, width, height) : box[2] * box[3]
  return { shape, points, isRounded, area, box, runs: undefined }
}

function unionOf(members: readonly Member[], { width, height }: InstanceSize): number[] {
  const masks = members.map(({ runs, points }) => runs ?? polygonToColumns(points, width, height))
  return unionOfColumns(masks, width * height)
}

/**
 * Returns whether an object is written as run lengths: its leader has is_crowd set, or has no value and the group
 * contains a mask of its label.
 */
function isRunLengths(
  leader: ItemShape,
  label: DatasetLabel,
  shapes: readonly ItemShape[],
): boolean {
  const spec = label.attributes.find(({ name }) => name === 'is_crowd')
  const value = leader.attributes.find(({ spec_id }) => spec_id === spec?.id)?.value
  if (value !== undefined) return value.toLowerCase() === 'true'
  return shapes.some(
    ({ type, label_id }) => (type === 'mask' || type === 'ellipse') && label_id === label.id,
  )
}

function ringsOf({ points, runs }: Member, { width, height }: InstanceSize): (readonly number[])[] {
  if (!runs) return [points]
  const crop = columnsToCrop(runs, width, height)
  return crop ? maskToPolygons(crop) : []
}

/** Returns the box around all members, or undefined when they cover nothing. */
function boxOf(members: readonly Member[]): PixelBox | undefined {
  let around: PixelBox | undefined
  for (const { box } of members)
    around = around && box ? unionOfBoxes(around, box) : (around ?? box)
  if (!around) return undefined
  const [x, y, width, height] = around
  return [round2(x), round2(y), round2(width), round2(height)]
}

function unionOfBoxes(one: PixelBox, other: PixelBox): PixelBox {
  const [left, top] = [Math.min(one[0], other[0]), Math.min(one[1], other[1])]
  const right = Math.max(one[0] + one[2], other[0] + other[2])
  const bottom = Math.max(one[1] + one[3], other[1] + other[3])
  return [left, top, right - left, bottom - top]
}
