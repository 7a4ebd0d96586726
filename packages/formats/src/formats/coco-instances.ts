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
  polygonsToColumns,
  round2,
  unionOfColumns,
} from '@reticle/geometry'
import type { ItemShape, Label } from '../model.ts'

export interface Instance {
  leader: ItemShape
  label: Label
  members: readonly ItemShape[]
  /** Rings, or column runs of the whole frame. */
  segmentation: { rings: number[][] } | { runs: number[] }
  bbox: PixelBox
  area: number
  /** Masks went out as polygons. */
  hasTracedMasks: boolean
}

export interface Size {
  width: number
  height: number
}

const written = new Set(['rectangle', 'polygon', 'mask', 'ellipse'])

export function isWritten(shape: ItemShape): boolean {
  return written.has(shape.type)
}

/** The instances of a frame in painting order; `onEmpty` gets objects that cover nothing of it. */
export function instancesOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, Label>,
  size: Size,
  onEmpty: (members: readonly ItemShape[]) => void,
): Instance[] {
  const groups = new Map<string, ItemShape[]>()
  const painted = shapes.filter(isWritten).toSorted((a, b) => a.z_order - b.z_order)
  for (const [index, shape] of painted.entries()) {
    const key = shape.group > 0 ? `group ${shape.group}` : `single ${index}`
    const members = groups.get(key)
    if (members) members.push(shape)
    else groups.set(key, [shape])
  }
  return [...groups.values()].flatMap((members) => {
    const instance = instanceOf(members, labels, size)
    if (!instance) onEmpty(members)
    return instance ?? []
  })
}

/** A member with the pixels it covers; boxes need none. */
interface Member {
  shape: ItemShape
  runs: number[]
  area: number
}

function instanceOf(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, Label>,
  size: Size,
): Instance | undefined {
  const members = shapes.map((shape) => measure(shape, size))
  const [largest] = members.toSorted((a, b) => b.area - a.area)
  const leader = largest?.shape
  const label = leader && labels.get(leader.label_id)
  const box = boxOf(members, size)
  if (!label || !box) return undefined
  const rest = { leader, label, members: shapes, bbox: box, hasTracedMasks: false }
  const areas = members.filter(({ shape }) => shape.type !== 'rectangle')
  if (areas.length === 0) {
    const [, , width, height] = box
    return { ...rest, segmentation: { rings: [] }, area: width * height }
  }
  const runs = unionOfColumns(
    areas.map((member) => member.runs),
    size.width * size.height,
  )
  const area = columnsArea(runs)
  if (isRunLengths(leader, label, shapes)) return { ...rest, segmentation: { runs }, area }
  const rings = areas.flatMap((member) => ringsOf(member, size))
  const hasTracedMasks = areas.some(({ shape }) => shape.type !== 'polygon')
  return { ...rest, segmentation: { rings }, area, hasTracedMasks }
}

function measure(shape: ItemShape, size: Size): Member {
  if (shape.type === 'rectangle') {
    const [, , width, height] = boxOfPoints(shape.points)
    return { shape, runs: [], area: width * height }
  }
  const runs = runsOf(shape, size)
  return { shape, runs, area: columnsArea(runs) }
}

function runsOf({ type, points, rotation }: ItemShape, { width, height }: Size): number[] {
  if (type === 'mask') return cropToColumns(points, width, height)
  if (type === 'ellipse') return ellipseToColumns(points, rotation, width, height)
  return polygonsToColumns([points], width, height)
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

function ringsOf({ shape, runs }: Member, { width, height }: Size): number[][] {
  if (shape.type === 'polygon') return [shape.points.map(round2)]
  const crop = columnsToCrop(runs, width, height)
  return crop ? maskToPolygons(crop) : []
}

/** The box around all members, or undefined when they cover nothing. */
function boxOf(members: readonly Member[], { height }: Size): PixelBox | undefined {
  const corners = members.flatMap(({ shape, runs }) => {
    const isVector = shape.type === 'rectangle' || shape.type === 'polygon'
    const box = isVector ? boxOfPoints(shape.points.map(round2)) : columnsBox(runs, height)
    return box ? [box[0], box[1], box[0] + box[2], box[1] + box[3]] : []
  })
  if (corners.length === 0) return undefined
  const [x, y, boxWidth, boxHeight] = boxOfPoints(corners)
  return [round2(x), round2(y), round2(boxWidth), round2(boxHeight)]
}
