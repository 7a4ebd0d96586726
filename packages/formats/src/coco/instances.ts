/**
 * Shapes of a frame as COCO instances (spec/formats.md 8.2): the members of a group become one object,
 * the largest of them gives label and attributes.
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
import { paintedObjects } from '../groups.ts'
import { carriesOnly, featuresOf } from '../losses.ts'
import type { ItemShape, Label } from '../model.ts'

export interface Instance {
  leader: ItemShape
  label: Label
  members: readonly ItemShape[]
  /** Rings, or column runs of the whole frame. */
  segmentation: { rings: (readonly number[])[] } | { runs: number[] }
  bbox: PixelBox
  area: number
  /** Masks went out as polygons. */
  hasTracedMasks: boolean
}

export interface Size {
  width: number
  height: number
}

/** What becomes of each kind: told to clients, and what is written. */
export const carries = carriesOnly({
  rectangle: 'kept',
  polygon: 'kept',
  ellipse: 'converted',
  mask: 'kept',
})

export const features = featuresOf('kept', { group: 'converted', z_order: 'converted' })

/** The instances of shapes of a frame that are written, in painting order; `onEmpty` gets objects that cover nothing of it. */
export function instancesOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, Label>,
  size: Size,
  onEmpty: (members: readonly ItemShape[]) => void,
): Instance[] {
  return paintedObjects(shapes).flatMap((members) => {
    const instance = instanceOf(members, labels, size)
    if (!instance) onEmpty(members)
    return instance ?? []
  })
}

/** A member as it is written: points have two decimals. Pixels are counted, painted only where needed. */
interface Member {
  shape: ItemShape
  points: readonly number[]
  area: number
  /** Column runs of masks and ellipses. */
  runs?: number[]
}

function instanceOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, Label>,
  size: Size,
): Instance | undefined {
  const members = shapes.map((shape) => measure(shape, size))
  const leader = members.reduce((a, b) => (b.area > a.area ? b : a)).shape
  const label = labels.get(leader.label_id)
  const bbox = boxOf(members, size)
  if (!label || !bbox) return undefined
  const rest = { leader, label, members: shapes, bbox, hasTracedMasks: false }
  const areas = members.filter(({ shape }) => shape.type !== 'rectangle')
  if (areas.length === 0) {
    return { ...rest, segmentation: { rings: [] }, area: bbox[2] * bbox[3] }
  }
  if (isRunLengths(leader, label, shapes)) {
    const runs = unionOf(areas, size)
    return { ...rest, segmentation: { runs }, area: columnsArea(runs) }
  }
  const [only, second] = areas
  const area = only && !second ? only.area : columnsArea(unionOf(areas, size))
  const rings = areas.flatMap((member) => ringsOf(member, size))
  const hasTracedMasks = areas.some(({ shape }) => shape.type !== 'polygon')
  return { ...rest, segmentation: { rings }, area, hasTracedMasks }
}

function measure(shape: ItemShape, { width, height }: Size): Member {
  const { type, rotation } = shape
  if (type === 'mask' || type === 'ellipse') {
    const { points } = shape
    const runs =
      type === 'mask'
        ? cropToColumns(points, width, height)
        : ellipseToColumns(points, rotation, width, height)
    return { shape, points, runs, area: columnsArea(runs) }
  }
  const points = shape.points.map(round2)
  if (type === 'polygon') return { shape, points, area: polygonArea(points, width, height) }
  const [, , boxWidth, boxHeight] = boxOfPoints(points)
  return { shape, points, area: boxWidth * boxHeight }
}

function unionOf(members: readonly Member[], { width, height }: Size): number[] {
  const masks = members.map(({ runs, points }) => runs ?? polygonToColumns(points, width, height))
  return unionOfColumns(masks, width * height)
}

/**
 * Run lengths are written when the leader says that it is a crowd, or says nothing and has a mask of its
 * label with it.
 */
function isRunLengths(leader: ItemShape, label: Label, shapes: readonly ItemShape[]): boolean {
  const spec = label.attributes.find(({ name }) => name === 'is_crowd')
  const value = leader.attributes.find(({ spec_id }) => spec_id === spec?.id)?.value
  if (value !== undefined) return value.toLowerCase() === 'true'
  return shapes.some(
    ({ type, label_id }) => (type === 'mask' || type === 'ellipse') && label_id === label.id,
  )
}

function ringsOf({ points, runs }: Member, { width, height }: Size): (readonly number[])[] {
  if (!runs) return [points]
  const crop = columnsToCrop(runs, width, height)
  return crop ? maskToPolygons(crop) : []
}

/** The box around all members, or undefined when they cover nothing. */
function boxOf(members: readonly Member[], { height }: Size): PixelBox | undefined {
  const corners = members.flatMap(({ points, runs }) => {
    const box = runs ? columnsBox(runs, height) : boxOfPoints(points)
    return box ? [box[0], box[1], box[0] + box[2], box[1] + box[3]] : []
  })
  if (corners.length === 0) return undefined
  const [x, y, boxWidth, boxHeight] = boxOfPoints(corners)
  return [round2(x), round2(y), round2(boxWidth), round2(boxHeight)]
}
