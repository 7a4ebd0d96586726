/** Exports TFRecord files: one for each subset, with one record for each frame. */
import { createHash } from 'node:crypto'
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import { distinctNames, everyFrame } from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf } from '../../exporting/losses.ts'
import type { ConversionRun, Dataset, DatasetLabel, ItemFrame } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { type FeatureValues, writeExample } from './example.ts'
import { writeLabelMap } from './label-map.ts'
import { objectsOf, type RelativeCorners, type TfObjectGroup } from './objects.ts'
import { recordOf } from './records.ts'

export const carries = carriesOnly({ rectangle: 'kept', ellipse: 'converted', mask: 'converted' })

export const features = featuresOf('dropped', {
  tracks: 'converted',
  group: 'converted',
  z_order: 'converted',
})

/** Maximum image size in bytes: an image is held in memory, and readers do not accept larger records. */
const mostImageBytes = 64 * 1024 ** 2

export async function* exportTfRecords(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels, subsets, saveImages } = dataset
  const all = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  const losses = createLosses('TFRecord 1.0', { carries, features }, run)
  const classes = new Map(labels.map((label, index) => [label.id, { label, id: index + 1 }]))
  let done = 0
  async function* records(subset: Dataset['subsets'][number]): AsyncGenerator<Uint8Array[]> {
    for await (const { frame, item } of everyFrame(subset)) {
      run.signal.throwIfAborted()
      const objects = objectsOf(losses.written(item, frame), frame, run)
      const encoded = saveImages ? await imageOf(frame) : new Uint8Array()
      yield recordOf(writeExample(featuresOfFrame(frame, { encoded, objects, classes })))
      run.report.created('shapes', objects.length)
      done += 1
      run.progress(done / all)
    }
  }
  yield { path: 'label_map.pbtxt', content: writeLabelMap(labels.map(({ name }) => name)) }
  const names = distinctNames(subsets.map(({ name }) => name))
  for (const subset of subsets) {
    const path = `${names.get(subset.name)}.tfrecord`
    yield { path, content: inBlocks(records(subset)), isStored: saveImages }
  }
}

async function imageOf({ path, image }: ItemFrame): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of image?.() ?? []) {
    pieces.push(piece)
    size += piece.length
    if (size > mostImageBytes)
      throw new FormatError(`the image has more than ${mostImageBytes} bytes`, { file: path })
  }
  return Buffer.concat(pieces)
}

interface About {
  /** Empty when images are not saved. */
  encoded: Uint8Array
  objects: readonly TfObjectGroup[]
  classes: ReadonlyMap<number, { label: DatasetLabel; id: number }>
}

function featuresOfFrame(
  { path, width, height }: ItemFrame,
  { encoded, objects, classes }: About,
): Map<string, FeatureValues> {
  const hasImage = encoded.length > 0
  const values: [string, FeatureValues][] = [
    ['image/filename', { bytes: [path] }],
    ['image/source_id', { bytes: [''] }],
    ['image/height', { integers: [height] }],
    ['image/width', { integers: [width] }],
    ['image/encoded', { bytes: [encoded] }],
    ['image/format', { bytes: [hasImage ? formatOf(path) : ''] }],
    ['image/key/sha256', { bytes: [hasImage ? sha256(encoded) : ''] }],
  ]
  if (objects.length > 0) {
    const side = (at: keyof RelativeCorners & number) => ({
      floats: objects.map(({ box }) => box[at] ?? 0),
    })
    const found = objects.map(({ leader }) => classes.get(leader.label_id))
    values.push(
      ['image/object/bbox/xmin', side(0)],
      ['image/object/bbox/ymin', side(1)],
      ['image/object/bbox/xmax', side(2)],
      ['image/object/bbox/ymax', side(3)],
      ['image/object/class/text', { bytes: found.map((one) => one?.label.name ?? '') }],
      ['image/object/class/label', { integers: found.map((one) => one?.id ?? 0) }],
    )
  }
  return new Map(values)
}

function formatOf(path: string): string {
  const [, extension = ''] = /\.([^./]+)$/.exec(path.toLowerCase()) ?? []
  if (extension === 'jpg' || extension === 'jpeg') return 'jpeg'
  return extension === 'png' ? 'png' : ''
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Approximate size in bytes of a block of output; larger parts, which are images, are passed on separately. */
const blockBytes = 65_536

async function* inBlocks(records: AsyncIterable<Uint8Array[]>): AsyncGenerator<Uint8Array> {
  let block: Uint8Array[] = []
  let size = 0
  for await (const parts of records)
    for (const part of parts) {
      const isLarge = part.length >= blockBytes
      if (isLarge || size >= blockBytes) {
        yield Buffer.concat(block)
        ;[block, size] = [[], 0]
      }
      if (isLarge) yield part
      else block.push(part)
      size += isLarge ? 0 : part.length
    }
  yield Buffer.concat(block)
}
