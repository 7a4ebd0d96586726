/** Writes the masks of a frame as two images: in label colours, and with a different colour for each object. */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import { paletteColor } from '../../image/colors.ts'
import { maskInstances } from '../../masks/instances.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import { classAndObjectFiles } from '../../masks/write-pictures.ts'
import type { ConversionRun, DatasetLabel, ItemFrame, ItemShape } from '../../model/dataset.ts'

/** Returns the labels of a dataset with the palette colours of their indexes; the background is first and black. */
export function coloredLabels(labels: readonly DatasetLabel[]): MapLabel[] {
  const names = labels.map(({ name }) => name).filter((name) => name !== 'background')
  return ['background', ...names].map((name, index) => {
    return { name, color: paletteColor(index), parts: [], actions: [] }
  })
}

export interface PictureOptions {
  labels: ReadonlyMap<number, DatasetLabel>
  /** Colours by label name. */
  colors: ReadonlyMap<string, number>
  run: ConversionRun
}

/**
 * Yields the mask images of a frame; none when its shapes cover no pixel.
 * @param shapes Masks and ellipses; each becomes a separate object.
 */
export function* pictureFiles(
  id: string,
  frame: ItemFrame,
  shapes: readonly ItemShape[],
  { labels, colors, run }: PictureOptions,
): Generator<ArchiveFile> {
  const alone = shapes.map((shape) => ({ ...shape, group: 0 }))
  const instances = maskInstances(alone, labels, frame, run)
  for (const { leader } of instances) noteLosses(leader, frame, run)
  yield* classAndObjectFiles(id, instances, frame, (label) => colors.get(label) ?? 0)
}

/** Reports attributes and flags, because mask images only contain labels and pixels. */
function noteLosses(
  { attributes, occluded, track_id }: ItemShape,
  { path: item }: ItemFrame,
  { report }: ConversionRun,
): void {
  const drop = (what: string): void =>
    report.note('dropped', 'dropped-attribute', `masks of Pascal VOC 1.1 have no ${what}`, { item })
  if (attributes.length > 0) drop('attributes')
  if (occluded) drop('occlusion')
  if (track_id === undefined) return
  const reason = 'masks of tracks are written as masks of their frames'
  report.note('converted', 'dropped-shape-type', reason, { item })
}
