/** Exports LabelMe 3.0: one document for each image, and one image for each mask. */
import { columnsToCrop, cropToBitmap, cropToColumns, ellipseToColumns } from '@reticle/geometry'
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import {
  distinctNames,
  documentsRun,
  everyFrame,
  imageFiles,
  itemIds,
} from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf, type Losses } from '../../exporting/losses.ts'
import { writePalettePng } from '../../image/png.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetItem,
  DatasetLabel,
  ItemFrame,
  ItemShape,
} from '../../model/dataset.ts'
import { documentText, type WrittenObject } from './document.ts'

/** How each kind of annotation is exported; published to clients and used by the export. */
export const carries = carriesOnly({
  rectangle: 'kept',
  polygon: 'kept',
  ellipse: 'converted',
  mask: 'kept',
})

export const features = featuresOf('kept', {
  tracks: 'converted',
  z_order: 'dropped',
  score: 'dropped',
})

interface LabelMeExport {
  labels: ReadonlyMap<number, DatasetLabel>
  losses: Losses
  run: ConversionRun
}

export async function* exportLabelMe(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels, subsets } = dataset
  const textRun = documentsRun(dataset, run)
  const losses = createLosses('LabelMe 3.0', { carries, features }, run)
  const state = { labels: new Map(labels.map((label) => [label.id, label])), losses, run }
  const allFrames = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  const folders = distinctNames(subsets.map(({ name }) => name))
  const folderOf = (subset: string): string => folders.get(subset) ?? subset
  let done = 0
  for (const subset of subsets) {
    const ids = itemIds(subset.frames, run)
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      const id = ids[item.index] ?? ''
      yield* pictureFiles(folderOf(subset.name), id, frame, item, state)
      done += 1
      textRun.progress(done / allFrames)
    }
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, folderOf)
}

function* pictureFiles(
  folder: string,
  id: string,
  frame: ItemFrame,
  item: DatasetItem,
  { labels, losses, run }: LabelMeExport,
): Generator<ArchiveFile> {
  const objects: WrittenObject[] = []
  for (const shape of losses.written(item, frame)) {
    const label = labels.get(shape.label_id)
    const crop = cropOf(shape, frame)
    if (!label || crop === 'empty') {
      run.report.note('dropped', 'degenerate-shape', 'the shape covers no pixel', {
        item: frame.path,
      })
      continue
    }
    if (!crop) {
      objects.push({ shape, label })
      continue
    }
    if (shape.type === 'ellipse') noteEllipse(frame, run)
    const name = `${id}_mask_${objects.length}.png`
    const picture = name.slice(name.lastIndexOf('/') + 1)
    objects.push({ shape, label, mask: { picture, box: boxOfCrop(crop) } })
    yield { path: `${folder}/Masks/${name}`, content: maskPicture(crop, frame) }
  }
  run.report.created('shapes', objects.length)
  yield { path: `${folder}/${id}.xml`, content: documentText(frame, objects) }
}

function noteEllipse({ path }: ItemFrame, run: ConversionRun): void {
  run.report.note('converted', 'dropped-shape-type', 'ellipses are written as masks', {
    item: path,
  })
}

/** Returns the pixels of a mask or ellipse; undefined for other kinds. */
function cropOf(
  { type, points, rotation }: ItemShape,
  { width, height }: ItemFrame,
): number[] | 'empty' | undefined {
  if (type !== 'mask' && type !== 'ellipse') return undefined
  const runs =
    type === 'mask'
      ? cropToColumns(points, width, height)
      : ellipseToColumns(points, rotation, width, height)
  return columnsToCrop(runs, width, height) ?? 'empty'
}

/** Returns the box of a mask: bounds of masks are inclusive, boxes end after their last pixel. */
function boxOfCrop(crop: readonly number[]): number[] {
  const [left = 0, top = 0, right = 0, bottom = 0] = crop.slice(-4)
  return [left, top, right + 1, bottom + 1]
}

function maskPicture(crop: readonly number[], { width, height }: ItemFrame): Uint8Array {
  const indexes = new Uint8Array(width * height)
  const mask = cropToBitmap(crop)
  for (let row = 0; row < mask.height; row += 1) {
    const from = row * mask.width
    indexes.set(mask.bits.subarray(from, from + mask.width), (mask.top + row) * width + mask.left)
  }
  return writePalettePng(width, height, indexes, maskColors)
}

/** Transparent, and the translucent blue in which the tool draws. */
const maskColors = [
  { color: 0, alpha: 0 },
  { color: 0x00cbff, alpha: 153 },
]
