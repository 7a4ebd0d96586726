/** Exports YOLO 1.1, the files of Darknet: one text of boxes for each image. */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import {
  distinctNames,
  documentsRun,
  everyFrame,
  fileName,
  imageFiles,
  inPieces,
} from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf, type Losses } from '../../exporting/losses.ts'
import { relativeText } from '../../image/relative-box.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetItem,
  DatasetLabel,
  ItemFrame,
  ItemShape,
  Subset,
} from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { boxFileNames } from './box-files.ts'

export const carries = carriesOnly({ rectangle: 'kept' })

export const features = featuresOf('dropped', { tracks: 'converted', z_order: 'converted' })

const name = 'YOLO 1.1'

export async function* exportYolo(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels, subsets } = dataset
  const names = subsetNames(subsets.map((subset) => subset.name))
  const nameOf = (subset: string): string => names.get(subset) ?? subset
  const folderOf = (subset: string): string => `obj_${nameOf(subset)}_data`
  const lists = subsets.map((subset) => nameOf(subset.name))
  yield { path: 'obj.data', content: dataText(labels, lists) }
  yield { path: 'obj.names', content: labels.map((label) => `${label.name}\n`).join('') }
  for (const subset of subsets) {
    const lines = listLines(subset, folderOf(subset.name))
    yield { path: `${nameOf(subset.name)}.txt`, content: inPieces(lines) }
  }
  yield* boxFiles(dataset, folderOf, documentsRun(dataset, run))
  if (dataset.saveImages) yield* imageFiles(dataset, run, folderOf)
}

// ---- description of the dataset

/** Keys of obj.data that are not subsets. */
const reserved = new Set(['backup', 'classes', 'names'])

/**
 * Returns the names of subsets in files: the unnamed one is `train`, or `train_1` if that is in use.
 * @throws {FormatError} for a name that obj.data reserves
 */
export function subsetNames(subsets: readonly string[]): Map<string, string> {
  const unnamedLast = subsets.toSorted((a, b) => Number(a === 'default') - Number(b === 'default'))
  return distinctNames(unnamedLast, (subset) => {
    const wanted = subset === 'default' ? 'train' : fileName(subset)
    if (!reserved.has(wanted)) return wanted
    throw new FormatError(`${name} has no room for a subset '${subset}': rename it`)
  })
}

function dataText(labels: readonly DatasetLabel[], subsets: readonly string[]): string {
  const lists = subsets.map((subset) => `${subset} = data/${subset}.txt\n`).join('')
  return `classes = ${labels.length}\n${lists}names = data/obj.names\nbackup = backup/\n`
}

function* listLines({ frames }: Subset, folder: string): Generator<string> {
  for (const { path } of frames) yield `data/${folder}/${path}\n`
}

// ---- boxes

async function* boxFiles(
  { labels, subsets }: Dataset,
  folderOf: (subset: string) => string,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const losses = createLosses(name, { carries, features }, run)
  const classes = new Map(labels.map((label, index) => [label.id, index]))
  const all = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  let done = 0
  for (const subset of subsets) {
    const nameOf = boxFileNames(run)
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      const path = `${folderOf(subset.name)}/${nameOf(frame.path)}`
      const lines = boxesOf(item, frame, losses, run).flatMap((shape) =>
        boxLine(shape, frame, classes, run),
      )
      yield { path, content: lines.join('') }
      done += 1
      run.progress(done / all)
    }
  }
}

function boxLine(
  { label_id, points }: ItemShape,
  frame: ItemFrame,
  classes: ReadonlyMap<number, number>,
  { report }: ConversionRun,
): string[] {
  const box = relativeText(points, frame)
  const example = { item: frame.path }
  if (!box) {
    const reason = 'the shape has no area within the image'
    report.note('dropped', 'degenerate-shape', reason, example)
    return []
  }
  if (box.isClipped) report.note('converted', 'clipped', 'the box is cut to the image', example)
  report.created('shapes')
  return [`${classes.get(label_id)} ${box.text}\n`]
}

/** Returns the boxes in painting order. Rotated boxes are dropped, because an upright box would be a different one. */
function boxesOf(
  item: DatasetItem,
  frame: ItemFrame,
  losses: Losses,
  { report }: ConversionRun,
): ItemShape[] {
  const shapes = item.shapes.filter((shape) => {
    if (shape.type !== 'rectangle' || !isTurned(shape)) return true
    const reason = `${name} has no rotated rectangles`
    report.note('dropped', 'unsupported-rotation', reason, { item: frame.path })
    return false
  })
  return losses.written({ ...item, shapes }, frame).toSorted((a, b) => a.z_order - b.z_order)
}

/** Returns whether a box is rotated; less than 1e-5 degrees does not count. */
function isTurned({ rotation }: ItemShape): boolean {
  const rest = Math.abs(rotation % 360)
  return Math.min(rest, 360 - rest) > 1e-5
}
