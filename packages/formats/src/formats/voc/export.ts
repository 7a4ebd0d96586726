/** Exports Pascal VOC: one image at a time, then the lists of its subset that depend on annotations. */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import {
  distinctNames,
  documentsRun,
  everyFrame,
  fileName,
  imageFiles,
  inOneFolder,
  itemIds,
} from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf, type Losses } from '../../exporting/losses.ts'
import { labelMapName, labelMapText } from '../../masks/label-map.ts'
import { listLine } from '../../masks/lists.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetItem,
  DatasetLabel,
  ItemFrame,
} from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { documentText } from './document.ts'
import { tagLine } from './lists.ts'
import { coloredLabels, type PictureOptions, pictureFiles } from './pictures.ts'

/** How each kind of annotation is exported; published to clients and used by the export. */
export const carries = carriesOnly({
  rectangle: 'kept',
  ellipse: 'converted',
  mask: 'kept',
  tag: 'kept',
})

export const features = featuresOf('kept', {
  group: 'dropped',
  z_order: 'converted',
  score: 'dropped',
})

/** Advice for polygons, which users often expect in this format. */
const instead = { polygon: 'Segmentation mask 1.1 has their pixels' }

interface VocExport extends PictureOptions {
  losses: Losses
}

export async function* exportVoc(given: Dataset, run: ConversionRun): AsyncGenerator<ArchiveFile> {
  const dataset = inOneFolder(given)
  const { labels, subsets } = dataset
  const map = coloredLabels(labels)
  yield { path: labelMapName, content: labelMapText(map) }
  const state = {
    labels: new Map(labels.map((label) => [label.id, label])),
    colors: new Map(map.map(({ name, color = 0 }) => [name, color])),
    losses: createLosses('Pascal VOC 1.1', { carries, features }, run, instead),
    run,
  }
  const textRun = documentsRun(dataset, run)
  const allFrames = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  const listNames = distinctNames(subsets.map(({ name }) => name))
  const taken = new Set<string>()
  const listed = subsets.map((subset) => ({
    subset,
    listName: listNames.get(subset.name) ?? subset.name,
    lists: newLists(itemIds(subset.frames, run, taken)),
  }))
  for (const { listName, lists } of listed)
    yield listFile('Main', listName, lists.ids.map(listLine))
  let done = 0
  for (const { subset, listName, lists } of listed) {
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      yield* itemFiles(frame, item, lists, state)
      done += 1
      textRun.progress(done / allFrames)
    }
    yield* listFiles(listName, lists, labels)
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, () => 'JPEGImages')
}

/** Yields the document of an image and the images of its masks. */
function* itemFiles(
  frame: ItemFrame,
  item: DatasetItem,
  lists: Lists,
  state: VocExport,
): Generator<ArchiveFile> {
  const { labels, losses, run } = state
  const id = lists.ids[item.index] ?? ''
  const shapes = losses.written(item, frame).sort((a, b) => a.z_order - b.z_order)
  const boxes = shapes.flatMap((shape) => {
    const label = shape.type === 'rectangle' ? labels.get(shape.label_id) : undefined
    return label ? [{ shape, label }] : []
  })
  run.report.created('shapes', boxes.length)
  const masks = shapes.filter(({ type }) => type !== 'rectangle')
  const pictures = [...pictureFiles(id, frame, masks, state)]
  const isSegmented = pictures.length > 0
  yield {
    path: `Annotations/${id}.xml`,
    content: documentText({ id, frame, boxes, isSegmented }),
  }
  yield* pictures
  const isEmpty = item.shapes.length === 0 && item.tags.length === 0
  if (isSegmented || isEmpty) lists.segmented.push(id)
  const tags = noteTags(item, frame, run)
  if (tags.size > 0) lists.tagged.push({ id, labels: tags })
}

/** Returns the labels of the tags of a frame; reports what lists cannot represent. */
function noteTags(
  { tags }: DatasetItem,
  { path: item }: ItemFrame,
  { report }: ConversionRun,
): Set<number> {
  const labels = new Set(tags.map(({ label_id }) => label_id))
  report.created('tags', labels.size)
  for (const { attributes } of tags) {
    const reason = 'tags of Pascal VOC 1.1 have no attributes'
    if (attributes.length > 0) report.note('dropped', 'dropped-attribute', reason, { item })
  }
  const repeats = tags.length - labels.size
  const reason = 'an image has one tag of a label'
  if (repeats > 0) report.note('dropped', 'duplicate-entry', reason, { item }, repeats)
  return labels
}

// ---- lists

/** Data that the lists of a subset need about its images. */
interface Lists {
  ids: readonly string[]
  segmented: string[]
  /** Images with tags. */
  tagged: { id: string; labels: ReadonlySet<number> }[]
}

const newLists = (ids: readonly string[]): Lists => ({ ids, segmented: [], tagged: [] })

const listFile = (task: string, name: string, lines: string[]): ArchiveFile => ({
  path: `ImageSets/${task}/${name}.txt`,
  content: lines.join(''),
})

/** Yields the lists that depend on annotations. */
function* listFiles(
  subset: string,
  { segmented, tagged }: Lists,
  labels: readonly DatasetLabel[],
): Generator<ArchiveFile> {
  if (segmented.length > 0) yield listFile('Segmentation', subset, segmented.map(listLine))
  for (const label of tagged.length > 0 ? labels : []) {
    const lines = tagged.map((image) => tagLine(image.id, image.labels.has(label.id)))
    yield listFile('Main', `${tagListName(label, labels)}_${subset}`, lines)
  }
}

/**
 * Returns the name of a list of tags.
 * @throws {FormatError} when two labels would share a list
 */
function tagListName(label: DatasetLabel, labels: readonly DatasetLabel[]): string {
  const name = fileName(label.name)
  const other = labels.find((one) => one !== label && fileName(one.name) === name)
  if (!other) return name
  const names = `'${label.name}' and '${other.name}'`
  throw new FormatError(`tags of the labels ${names} would be in one file`)
}
