/** Exports KITTI: boxes of a frame as lines, all other shapes with an area as images of masks. */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import {
  distinctNames,
  documentsRun,
  everyFrame,
  imageFiles,
  itemIds,
} from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf } from '../../exporting/losses.ts'
import { writeGrey16Png, writeRgbPng } from '../../image/png.ts'
import { type MaskInstance, maskInstances } from '../../masks/instances.ts'
import type { MapLabel } from '../../masks/label-map.ts'
import { paintInstances } from '../../masks/paint.ts'
import { projectColors } from '../../masks/project-colors.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetLabel,
  ItemFrame,
  ItemShape,
} from '../../model/dataset.ts'
import { writtenValues } from '../../model/labels.ts'
import { FormatError } from '../../report/errors.ts'
import { background, labelColorsName, labelColorsText, writtenName } from './label-colors.ts'
import { noteBoxLosses, noteMaskLosses } from './losses.ts'
import { objectLine } from './objects.ts'

/** How each kind of annotation is exported; published to clients and used by the export. */
export const carries = carriesOnly({
  rectangle: 'kept',
  polygon: 'converted',
  ellipse: 'converted',
  mask: 'kept',
})

export const features = featuresOf('converted')

interface KittiExport {
  labels: ReadonlyMap<number, DatasetLabel>
  /** Class numbers and colours by label name. */
  classes: ReadonlyMap<string, { index: number; color: number }>
  run: ConversionRun
}

export async function* exportKitti(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels, subsets } = dataset
  const map = classesOf(labels, run)
  yield { path: labelColorsName, content: labelColorsText(map) }
  const state: KittiExport = {
    labels: new Map(labels.map((label) => [label.id, label])),
    classes: new Map(map.map(({ name, color = 0 }, index) => [name, { index, color }])),
    run,
  }
  const losses = createLosses('KITTI 1.0', { carries, features }, run)
  const documents = documentsRun(dataset, run)
  const folders = distinctNames(subsets.map(({ name }) => name))
  const folderOf = (subset: string): string => folders.get(subset) ?? subset
  const allFrames = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  let done = 0
  for (const subset of subsets) {
    const ids = itemIds(subset.frames, run)
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      const shapes = losses.written(item, frame)
      for (const { path, content } of frameFiles(ids[item.index] ?? '', frame, shapes, state))
        yield { path: `${folderOf(subset.name)}/${path}`, content }
      done += 1
      documents.progress(done / allFrames)
    }
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, (name) => `${folderOf(name)}/image_2`)
}

/** Maximum number of classes: a class number is one byte. */
const mostClasses = 256

/** Returns the classes; the background is number 0. */
function classesOf(labels: readonly DatasetLabel[], run: ConversionRun): MapLabel[] {
  const colors = projectColors(labels, run)
  const isBackground = ({ name }: MapLabel): boolean => name === background
  const map = [...colors.filter(isBackground), ...colors.filter((one) => !isBackground(one))]
  if (map.length > mostClasses)
    throw new FormatError(
      `${map.length} labels with the background, KITTI has room for ${mostClasses}`,
    )
  for (const { name } of map) {
    const reason = `label '${name}' is written as '${writtenName(name)}'`
    if (writtenName(name) !== name) run.report.note('converted', 'rounded', reason)
  }
  return map
}

function* frameFiles(
  id: string,
  frame: ItemFrame,
  shapes: readonly ItemShape[],
  state: KittiExport,
): Generator<ArchiveFile> {
  const isBox = ({ type, rotation }: ItemShape): boolean =>
    type === 'rectangle' && rotation % 360 === 0
  const lines = shapes.filter(isBox).flatMap((shape) => boxLine(shape, frame, state))
  if (lines.length > 0) yield { path: `label_2/${id}.txt`, content: lines.join('') }
  const masks = shapes.filter((shape) => !isBox(shape))
  for (const shape of masks)
    noteMaskLosses(shape, state.labels.get(shape.label_id), frame, state.run)
  const instances = maskInstances(masks, state.labels, frame, state.run)
  if (instances.length > 0) yield* pictureFiles(id, frame, instances, state)
}

function boxLine(shape: ItemShape, frame: ItemFrame, { labels, run }: KittiExport): string[] {
  const label = labels.get(shape.label_id)
  if (!label) return []
  noteBoxLosses(shape, label, frame, run)
  run.report.created('shapes')
  const truncated = attributeOf('truncated', shape, label, frame)
  const share = typeof truncated === 'number' ? truncated : Number(truncated === true)
  return [objectLine(writtenName(label.name), share, shape)]
}

function* pictureFiles(
  id: string,
  frame: ItemFrame,
  instances: readonly MaskInstance[],
  { classes, run }: KittiExport,
): Generator<ArchiveFile> {
  const { width, height } = frame
  const classOf = ({ label }: MaskInstance) => classes.get(label.name) ?? { index: 0, color: 0 }
  const numbers = numbersOf(instances, frame, run)
  const grey = (valueFor: (instance: MaskInstance, index: number) => number): Uint8Array => {
    const raster = paintInstances(new Uint16Array(width * height), instances, frame, valueFor)
    return writeGrey16Png(width, height, raster)
  }
  const values = grey((instance, at) => 256 * classOf(instance).index + (numbers[at] ?? 0))
  yield { path: `instance/${id}.png`, content: values }
  yield { path: `semantic/${id}.png`, content: grey((instance) => classOf(instance).index) }
  const colors = paintInstances(
    new Uint32Array(width * height),
    instances,
    frame,
    (one) => classOf(one).color,
  )
  yield { path: `semantic_rgb/${id}.png`, content: writeRgbPng(width, height, colors) }
}

const largestNumber = 255

/** Returns object numbers, from 1 for each label; a crowd gets 0, and objects beyond the last number share it. */
function numbersOf(
  instances: readonly MaskInstance[],
  frame: ItemFrame,
  { report }: ConversionRun,
): number[] {
  const counts = new Map<number, number>()
  return instances.map(({ leader, label }) => {
    if (attributeOf('is_crowd', leader, label, frame) === true) return 0
    const number = (counts.get(label.id) ?? 0) + 1
    counts.set(label.id, number)
    if (number <= largestNumber) return number
    const reason = `more than ${largestNumber} objects of a label in a frame become one`
    report.note('converted', 'merged-group', reason, { item: frame.path })
    return largestNumber
  })
}

/** Returns the value of an attribute if the label has one with that name. */
function attributeOf(name: string, shape: ItemShape, label: DatasetLabel, { path }: ItemFrame) {
  const own = { ...label, attributes: label.attributes.filter((one) => one.name === name) }
  return writtenValues(own, shape.attributes, { file: path, record: label.name })[0]?.[1]
}
