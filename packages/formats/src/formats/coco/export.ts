/** Exports COCO instances. Documents are streamed while frames are read (docs/spec/formats.md#coco). */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import { distinctNames, documentsRun, imageFiles, inPieces } from '../../exporting/export-files.ts'
import { createLosses, type Losses } from '../../exporting/losses.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetLabel,
  ItemFrame,
  ItemShape,
  Subset,
} from '../../model/dataset.ts'
import { writtenValues } from '../../model/labels.ts'
import { floatsText, floatText } from '../../text/numbers.ts'
import { carries, features, type Instance, instancesOf } from './instances.ts'

export async function* exportCoco(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels } = dataset
  const frameCount = dataset.subsets.reduce((sum, subset) => sum + subset.frames.length, 0)
  const textRun = documentsRun(dataset, run)
  const losses = createLosses('COCO 1.0', { carries, features }, run)
  const names = distinctNames(dataset.subsets.map(({ name }) => name))
  const nameOf = (subset: string): string => names.get(subset) ?? subset
  let firstImageId = 1
  for (const subset of dataset.subsets) {
    const path = `annotations/instances_${nameOf(subset.name)}.json`
    const parts = documentParts({ labels, subset, firstImageId, frameCount, losses }, textRun)
    yield { path, content: inPieces(parts) }
    firstImageId += subset.frames.length
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, (name) => `images/${nameOf(name)}`)
}

// ---- one file

const head =
  '{"licenses":[{"name":"","id":0,"url":""}],"info":{"contributor":"","date_created":"",' +
  '"description":"","url":"","version":"","year":""},"categories":['

interface Document {
  labels: readonly DatasetLabel[]
  subset: Subset
  firstImageId: number
  /** Number of frames in all subsets. */
  frameCount: number
  losses: Losses
}

async function* documentParts(
  { labels, subset, firstImageId, frameCount, losses }: Document,
  run: ConversionRun,
): AsyncGenerator<string> {
  yield `${head}${labels.map(categoryText).join()}],"images":[`
  for (const [index, frame] of subset.frames.entries()) {
    yield `${index > 0 ? ',' : ''}${imageText(frame, firstImageId + index)}`
  }
  yield '],"annotations":['
  const byId = new Map(labels.map((label) => [label.id, label]))
  const categories = new Map(labels.map((label, index) => [label.id, index + 1]))
  let annotationId = 0
  for await (const item of subset.items()) {
    run.signal.throwIfAborted()
    run.progress((firstImageId - 1 + item.index) / frameCount)
    const frame = subset.frames[item.index]
    if (!frame) continue
    const shapes = losses.written(item, frame)
    let text = ''
    const onEmpty = ({ length }: readonly ItemShape[]): void => noteEmpty(length, frame, run)
    for (const instance of instancesOf(shapes, byId, frame, onEmpty)) {
      noteConverted(instance, frame, run)
      annotationId += 1
      run.report.created('shapes')
      const ids = [annotationId, firstImageId + item.index, categories.get(instance.label.id) ?? 0]
      text += `${annotationId > 1 ? ',' : ''}${annotationText(instance, ids, frame)}`
    }
    yield text
  }
  yield ']}'
}

function categoryText({ name }: DatasetLabel, index: number): string {
  return `{"id":${index + 1},"name":${JSON.stringify(name)},"supercategory":""}`
}

function imageText({ width, height, path }: ItemFrame, id: number): string {
  const size = `"id":${id},"width":${width},"height":${height}`
  const name = `"file_name":${JSON.stringify(path)}`
  return `{${size},${name},"license":0,"flickr_url":"","coco_url":"","date_captured":0}`
}

function annotationText(instance: Instance, ids: number[], frame: ItemFrame): string {
  const [id, imageId, categoryId] = ids
  const { leader, segmentation, bbox, area } = instance
  const isRuns = 'runs' in segmentation
  const shape = isRuns
    ? `{"counts":[${segmentation.runs.join()}],"size":[${frame.height},${frame.width}]}`
    : `[${segmentation.rings.map(floatList).join()}]`
  return [
    `{"id":${id},"image_id":${imageId},"category_id":${categoryId},"segmentation":${shape}`,
    `"area":${floatText(area)},"bbox":${floatList(bbox)},"iscrowd":${isRuns ? 1 : 0}`,
    `"attributes":${attributesText(instance, frame)}${leader.score === 1 ? '' : `,"score":${leader.score}`}}`,
  ].join()
}

/** Returns the attributes of the label, then properties of the object for which COCO has no field. */
function attributesText({ leader, label }: Instance, frame: ItemFrame): string {
  const values = writtenValues(label, leader.attributes, { file: frame.path, record: label.name })
  const isBox = leader.type === 'rectangle'
  const isTrack = leader.track_id !== undefined
  const isReserved = (name: string): boolean =>
    reserved.has(name) || (isBox && name === 'rotation') || (isTrack && reservedInTracks.has(name))
  let text = ''
  for (const [name, value] of values)
    if (!isReserved(name)) text += `${JSON.stringify(name)}:${JSON.stringify(value)},`
  text += `"occluded":${leader.occluded}`
  if (isBox) text += `,"rotation":${floatText(leader.rotation)}`
  if (isTrack) text += `,"track_id":${leader.track_id},"keyframe":${leader.keyframe === true}`
  return `{${text}}`
}

/**
 * Reserved names: attributes of a label with these names are not written, because readers interpret them as properties
 * of the object.
 */
const reserved = new Set(['is_crowd', 'score', 'occluded'])
const reservedInTracks = new Set(['track_id', 'keyframe'])

function floatList(values: readonly number[]): string {
  return `[${floatsText(values)}]`
}

// ---- losses

function noteEmpty(count: number, { path }: ItemFrame, run: ConversionRun): void {
  for (let noted = 0; noted < count; noted += 1) {
    run.report.note('dropped', 'degenerate-shape', 'the shape covers no pixel', { item: path })
  }
}

function noteConverted(instance: Instance, { path }: ItemFrame, run: ConversionRun): void {
  const { leader, members, hasTracedMasks, isRounded, segmentation } = instance
  const note = (code: 'dropped-shape-type' | 'merged-group' | 'rounded', reason: string): void =>
    run.report.note('converted', code, reason, { item: path })
  if (members.some(({ type }) => type === 'ellipse') && 'runs' in segmentation) {
    note('dropped-shape-type', 'ellipses are written as masks')
  }
  if (members.length === 1 && leader.type === 'polygon' && 'runs' in segmentation) {
    note('dropped-shape-type', 'polygons of crowds are written as masks')
  }
  if (hasTracedMasks) note('dropped-shape-type', 'masks are written as polygons')
  if (isRounded) note('rounded', 'coordinates are written with two decimals')
  if (members.length === 1) return
  if ('runs' in segmentation || members.some((shape) => isLostInGroup(shape, leader))) {
    note(
      'merged-group',
      'a group is one object with the label and attributes of its largest member',
    )
  }
}

/**
 * Returns whether a group loses data of this shape. A rectangle only extends the box of the group, and label,
 * attributes and flags are written only for the leader, which is the largest member.
 */
function isLostInGroup(shape: ItemShape, leader: ItemShape): boolean {
  return shape.type === 'rectangle' || leaderData(shape) !== leaderData(leader)
}

/** Returns the data of a shape that a group has only from its leader, as text for a comparison. */
const leaderData = ({ label_id, attributes, occluded, score, track_id }: ItemShape): string =>
  JSON.stringify([label_id, attributes, occluded, score, track_id])
