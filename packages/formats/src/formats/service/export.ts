/** Exports the native format: one document, streamed while annotations are read (docs/spec/formats.md#service-xml). */
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import { distinctNames, documentsRun, imageFiles, inPieces } from '../../exporting/export-files.ts'
import { createLosses, type Losses } from '../../exporting/losses.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetItem,
  Exporter,
  Subset,
  TaskPart,
} from '../../model/dataset.ts'
import { escapeValue } from '../../xml/escape.ts'
import { layouts, noteRoundedShape, noteRoundedTrack, type ServiceLayout } from './losses.ts'
import { framesOf } from './walk-track.ts'
import { metaText } from './write-meta.ts'
import { type Labels, shapeText, tagText } from './write-shape.ts'
import { shapeTrackText, type TrackOutput, trackTexts } from './write-track.ts'
import { writtenLabels } from './written-label.ts'

export function exporterOf(layout: ServiceLayout): Exporter['exportDataset'] {
  return async function* exportService(
    dataset: Dataset,
    run: ConversionRun,
  ): AsyncGenerator<ArchiveFile> {
    const content = inPieces(documentTexts(dataset, layout, documentsRun(dataset, run)))
    yield { path: 'annotations.xml', content }
    const isProject = dataset.about.target === 'project'
    const folders = distinctNames(dataset.subsets.map(({ name }) => name))
    const folderOf = (name: string) => (isProject ? `images/${folders.get(name)}` : 'images')
    if (dataset.saveImages) yield* imageFiles(dataset, run, folderOf)
  }
}

/** State of a document that is being written. */
interface Writing {
  layout: ServiceLayout
  labels: Labels
  run: ConversionRun
  losses: Losses
  /** Number of tracks so far; tracks are numbered consecutively. */
  tracks: number
  /** Reports progress of the current phase; images and tracks of a part are one phase each. */
  step: (share: number) => void
}

async function* documentTexts(
  dataset: Dataset,
  layout: ServiceLayout,
  run: ConversionRun,
): AsyncGenerator<string> {
  const outputs = dataset.subsets.flatMap((subset) => outputsOf(subset, dataset))
  const phases = outputs.length * (layout === 'combined' ? 2 : 1)
  let done = 0
  const step = (share: number): void => {
    run.signal.throwIfAborted()
    run.progress(Math.min(1, (done + share) / phases))
    if (share === 1) done += 1
  }
  const labels = writtenLabels(dataset.labels)
  const { name, ...about } = layouts[layout]
  const writing = { layout, labels, run, losses: createLosses(name, about, run), tracks: 0, step }
  yield '<?xml version="1.0" encoding="utf-8"?>\n<annotations>\n  <version>1.1</version>\n'
  yield metaText(dataset)
  if (layout !== 'video') for (const output of outputs) yield* imageTexts(output, writing)
  if (layout !== 'images') for (const output of outputs) yield* partTracks(output, writing)
  yield '</annotations>\n'
}

interface PartOutput {
  part: TaskPart
  /** Attributes ` subset="train" task_id="7"` in projects. */
  imageOrigin: string
  trackOrigin: string
  /** Number of frames of the preceding tasks in the subset. */
  offset: number
}

function outputsOf({ name, parts }: Subset, { about }: Dataset): PartOutput[] {
  let next = 0
  return parts.map((part) => {
    const offset = next
    const { id, origin, step, size } = part.about
    next += origin + step * size
    if (about.target !== 'project') return { part, imageOrigin: '', trackOrigin: '', offset: 0 }
    const task = ` task_id="${id}"`
    const subset = ` subset="${escapeValue(name)}"`
    return { part, imageOrigin: subset + task, trackOrigin: task + subset, offset }
  })
}

// ---- images

async function* imageTexts(output: PartOutput, writing: Writing): AsyncGenerator<string> {
  const { part } = output
  const { layout, step } = writing
  const withEmpty = layout === 'images' || part.about.mode === 'annotation'
  let next = 0
  for await (const item of part.items(layout === 'images')) {
    step(item.index / part.frames.length)
    for (; withEmpty && next < item.index; next += 1) yield imageText(output, next, '')
    next = item.index + 1
    yield imageText(output, item.index, itemText(item, output, writing))
  }
  for (; withEmpty && next < part.frames.length; next += 1) yield imageText(output, next, '')
  step(1)
}

function imageText(
  { part, imageOrigin, offset }: PartOutput,
  index: number,
  inner: string,
): string {
  const frame = part.frames[index]
  if (!frame) return ''
  const { origin, step, video } = part.about
  const id = offset + origin + frame.frame * step
  const name = escapeValue(video ? frame.path.replace(/\.PNG$/, '') : frame.path)
  const size = `width="${frame.width}" height="${frame.height}"`
  return `  <image id="${id}" name="${name}"${imageOrigin} ${size}>\n${inner}  </image>\n`
}

function itemText(item: DatasetItem, { part }: PartOutput, writing: Writing): string {
  const { labels, run, losses } = writing
  const { tags } = item
  const frame = part.frames[item.index]
  const shapes = frame ? losses.written(item, frame) : []
  let text = ''
  for (const shape of shapes.toSorted((a, b) => a.z_order - b.z_order)) {
    noteRoundedShape(shape, frame?.path ?? '', run)
    text += shapeText(shape, labels)
  }
  for (const tag of tags) text += tagText(tag, labels)
  run.report.created('shapes', shapes.length)
  run.report.created('tags', tags.length)
  return text
}

// ---- tracks

async function* partTracks(
  { part, trackOrigin: origin }: PartOutput,
  writing: Writing,
): AsyncGenerator<string> {
  const { labels, run, layout, step } = writing
  const output = { labels, part, frames: framesOf(part), origin }
  for await (const track of part.tracks()) {
    step(0)
    let isListed = false
    for (const text of trackTexts(track, writing.tracks, output)) {
      isListed = true
      yield text
    }
    if (!isListed) continue
    noteRoundedTrack(track, writing.tracks, run)
    run.report.created('tracks')
    writing.tracks += 1
  }
  if (layout === 'video') yield* shapesAsTracks(output, writing)
  step(1)
}

async function* shapesAsTracks(output: TrackOutput, writing: Writing): AsyncGenerator<string> {
  const { part } = output
  const { run, losses, step } = writing
  for await (const item of part.items(false)) {
    step(item.index / part.frames.length)
    const frame = part.frames[item.index]
    if (!frame) continue
    const shapes = losses.written(item, frame)
    for (const shape of shapes) {
      noteRoundedShape(shape, frame.path, run)
      yield shapeTrackText(shape, writing.tracks, output, endOf(shape.frame, output))
      writing.tracks += 1
    }
    run.report.created('shapes', shapes.length)
  }
}

/** Returns the frame after a shape, on which it is hidden; undefined where CVAT writes none. */
function endOf(frame: number, { part, frames }: TrackOutput): number | undefined {
  const { origin, step, stop_frame } = part.about
  let next = frame + 1
  while (frames.isDeleted(next)) next += 1
  return origin + next * step < stop_frame ? next : undefined
}
