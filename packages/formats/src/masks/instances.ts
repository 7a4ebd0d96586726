/** Converts the shapes of a frame to instance masks, for all formats that paint images. */
import {
  boxToColumns,
  columnsArea,
  cropToColumns,
  ellipseToColumns,
  polygonToColumns,
  round2,
  unionOfColumns,
} from '@reticle/geometry'
import { plurals } from '../exporting/losses.ts'
import { paintedObjects } from '../exporting/painted-objects.ts'
import type { ConversionRun, DatasetLabel, ItemFrame, ItemShape } from '../model/dataset.ts'
import { visibleOf } from './paint.ts'

export interface RasterSize {
  width: number
  height: number
}

export interface MaskInstance {
  /** The largest member, which determines label and attributes. */
  leader: ItemShape
  label: DatasetLabel
  /** Column-wise run lengths of the whole frame. */
  runs: number[]
}

/**
 * Returns the pixels of a rectangle, polygon, ellipse or mask as column-wise run lengths; coordinates are rounded to
 * two decimals.
 */
export function columnsOf(shape: ItemShape, { width, height }: RasterSize): number[] {
  const { type, points, rotation } = shape
  if (type === 'mask') return cropToColumns(points, width, height)
  if (type === 'ellipse') return ellipseToColumns(points, rotation, width, height)
  const rounded = points.map(round2)
  if (type === 'rectangle') return boxToColumns(rounded, rotation, width, height)
  return polygonToColumns(rounded, width, height)
}

/**
 * Returns the instances of a frame in painting order. Conversions and invisible objects are reported: objects that
 * cover no pixel are left out, objects that are painted over keep their number.
 */
export function maskInstances(
  shapes: readonly ItemShape[],
  labels: ReadonlyMap<number, DatasetLabel>,
  frame: ItemFrame,
  { report }: Pick<ConversionRun, 'report'>,
): MaskInstance[] {
  const example = { item: frame.path }
  const objects = paintedObjects(shapes).map((members) => ({
    members,
    ...instanceOf(members, frame),
  }))
  const visible = objects.length > 1 ? visibleOf(objects, frame) : new Set(objects)
  return objects.flatMap((object) => {
    const { members, leader, runs } = object
    const label = labels.get(leader.label_id)
    const drop = (reason: string): void =>
      report.note('dropped', 'degenerate-shape', reason, example, members.length)
    if (!label || columnsArea(runs) === 0) {
      drop('the shape covers no pixel')
      return []
    }
    if (!visible.has(object)) {
      drop('the shape is covered by others')
      return [{ leader, label, runs }]
    }
    for (const { type } of members) {
      const reason = `${plurals[type]} are written as masks`
      if (type !== 'mask') report.note('converted', 'dropped-shape-type', reason, example)
    }
    if (members.length > 1) {
      const reason = 'a group is one object with the label of its largest member'
      report.note('converted', 'merged-group', reason, example)
    }
    report.created('shapes')
    return [{ leader, label, runs }]
  })
}

function instanceOf(members: readonly ItemShape[], size: RasterSize) {
  const masks = members.map((shape) => {
    const runs = columnsOf(shape, size)
    return { shape, runs, area: columnsArea(runs) }
  })
  const { shape: leader } = masks.reduce((a, b) => (b.area > a.area ? b : a))
  const all = masks.map(({ runs }) => runs)
  return { leader, runs: unionOfColumns(all, size.width * size.height) }
}
