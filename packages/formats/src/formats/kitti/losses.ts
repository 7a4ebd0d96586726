/** Reports data that boxes and masks of KITTI cannot represent. */
import { round2 } from '@reticle/geometry'
import type { ConversionRun, DatasetLabel, ItemFrame, ItemShape } from '../../model/dataset.ts'

export function noteBoxLosses(
  shape: ItemShape,
  label: DatasetLabel,
  frame: ItemFrame,
  run: ConversionRun,
): void {
  const drop = dropper('boxes', frame, run)
  if (hasOther(shape, label, 'truncated')) drop('attributes but truncated')
  if (shape.group > 0) drop('groups')
  if (shape.z_order !== 0) drop('z order')
  if (shape.points.every((value) => round2(value) === value)) return
  const reason = 'coordinates are written with two decimals'
  run.report.note('converted', 'rounded', reason, { item: frame.path })
}

export function noteMaskLosses(
  shape: ItemShape,
  label: DatasetLabel | undefined,
  frame: ItemFrame,
  run: ConversionRun,
): void {
  const drop = dropper('masks', frame, run)
  if (hasOther(shape, label, 'is_crowd')) drop('attributes but is_crowd')
  if (shape.occluded) drop('occlusion')
  if (shape.score !== 1) drop('scores')
}

const dropper =
  (noun: string, { path: item }: ItemFrame, { report }: ConversionRun) =>
  (what: string): void =>
    report.note('dropped', 'dropped-attribute', `${noun} of KITTI 1.0 have no ${what}`, { item })

function hasOther(
  { attributes }: ItemShape,
  label: DatasetLabel | undefined,
  kept: string,
): boolean {
  const spec = label?.attributes.find(({ name }) => name === kept)
  return attributes.some(({ spec_id }) => spec_id !== spec?.id)
}
