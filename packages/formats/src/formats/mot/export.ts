/** Exports MOT 1.1, the ground truth of the MOT challenge: one row for each box of a frame. */

import { round2 } from '@reticle/geometry'
import type { ArchiveFile } from '../../archive/zip-writer.ts'
import { distinctNames, documentsRun, imageFiles, inPieces } from '../../exporting/export-files.ts'
import { carriesOnly, createLosses, featuresOf, type Losses } from '../../exporting/losses.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetLabel,
  ItemFrame,
  ItemShape,
  TaskPart,
} from '../../model/dataset.ts'
import { writtenValues } from '../../model/labels.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import { floatText } from '../../text/numbers.ts'
import { isPlain, listLine, listName, type NumberedImage } from './images.ts'

export const carries = carriesOnly({ rectangle: 'kept' })

export const features = featuresOf('dropped', {
  tracks: 'kept',
  occluded: 'kept',
  z_order: 'converted',
  attributes: 'converted', // two of them have columns
})

const name = 'MOT 1.1'

/**
 * Yields a sequence for each subset. A single sequence is at the top level of the archive; several are in folders,
 * and so is a named subset of a project.
 */
export async function* exportMot(
  dataset: Dataset,
  run: ConversionRun,
): AsyncGenerator<ArchiveFile> {
  const { labels, subsets, about } = dataset
  const names = distinctNames(subsets.map((subset) => subset.name))
  const isNamed = (subset: string) => about.target === 'project' && subset !== 'default'
  const rootOf = (subset: string): string =>
    subsets.length > 1 || isNamed(subset) ? `${names.get(subset)}/` : ''
  const all = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  const textRun = documentsRun(dataset, run)
  const losses = createLosses(name, { carries, features }, run)
  for (const subset of subsets) yield* descriptionFiles(rootOf(subset.name), subset.parts, dataset)
  let firstIndex = 0
  for (const subset of subsets) {
    const begin = firstIndex
    const progress = (index: number): void => textRun.progress((begin + index) / all)
    const rows = rowsOf(subset.parts, labels, losses, { ...run, progress })
    yield { path: `${rootOf(subset.name)}gt/gt.txt`, content: inPieces(rows) }
    firstIndex += subset.frames.length
  }
  if (dataset.saveImages) yield* imageFiles(dataset, run, (subset) => `${rootOf(subset)}img1`)
}

/** Yields the class names of a sequence, and the list of its images unless their names match their numbers. */
function* descriptionFiles(
  root: string,
  parts: readonly TaskPart[],
  { labels, saveImages }: Dataset,
): Generator<ArchiveFile> {
  yield { path: `${root}gt/labels.txt`, content: labels.map((label) => label.name).join('\n') }
  const images = saveImages ? numberedImages(parts) : []
  const list = inPieces(images.map(listLine))
  if (!isPlain(images)) yield { path: `${root}${listName}`, content: list }
}

function numberedImages(parts: readonly TaskPart[]): NumberedImage[] {
  let firstFrame = 1
  return parts.flatMap(({ about, frames }) => {
    const first = firstFrame
    firstFrame += about.size
    return frames.map(({ frame, path }) => ({ number: first + frame, name: path }))
  })
}

/** Yields the rows of a subset; frames of a task continue the numbers of the task before it. */
async function* rowsOf(
  parts: readonly TaskPart[],
  labels: readonly DatasetLabel[],
  losses: Losses,
  run: ConversionRun,
): AsyncGenerator<string> {
  const classes = new Map(labels.map((label, index) => [label.id, { label, id: index + 1 }]))
  let firstIndex = 0
  let firstFrame = 1
  let tracks = 0
  for (const part of parts) {
    const numbers = new Map<number, number>()
    const trackOf = ({ track_id }: ItemShape): number => {
      if (track_id === undefined) return -1
      const known = numbers.get(track_id)
      if (known === undefined) tracks += 1
      numbers.set(track_id, known ?? tracks)
      return known ?? tracks
    }
    for await (const item of part.items(true)) {
      run.signal.throwIfAborted()
      run.progress(firstIndex + item.index)
      const frame = part.frames[item.index]
      const shapes = frame ? losses.written(item, frame) : []
      let text = ''
      for (const shape of shapes.toSorted((a, b) => a.z_order - b.z_order)) {
        const { label, id } = classes.get(shape.label_id) ?? {}
        if (!frame || !label) continue
        const { confidence, visibility } = flagsOf(shape, label, frame, run)
        run.report.created('shapes')
        const ids = [firstFrame + frame.frame, trackOf(shape)]
        const box = boxOf(shape).map(floatText)
        text += `${[...ids, ...box, confidence, id, floatText(visibility)].join()}\n`
      }
      yield text
    }
    firstIndex += part.frames.length
    firstFrame += part.about.size
  }
}

function boxOf({ points }: ItemShape): number[] {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = points.map(round2)
  return [x1, y1, round2(x2 - x1), round2(y2 - y1)]
}

/** Attributes that have columns. */
const columns = new Set(['visibility', 'ignored'])

function flagsOf(
  shape: ItemShape,
  label: DatasetLabel,
  { path }: ItemFrame,
  { report }: ConversionRun,
) {
  const attributes = label.attributes.filter((spec) => columns.has(spec.name))
  const known = new Set(attributes.map((spec) => spec.id))
  if (shape.attributes.some(({ spec_id }) => !known.has(spec_id))) {
    const reason = `${name} has no attributes but visibility and ignored`
    report.note('dropped', 'dropped-attribute', reason, { item: path })
  }
  const location = { file: path, record: label.name }
  const values = new Map(writtenValues({ ...label, attributes }, shape.attributes, location))
  const given = values.get('visibility')
  const visibility = given === undefined ? Number(!shape.occluded) : numberOf(given, location)
  if (visibility <= 0 !== shape.occluded) {
    const reason = `${name} takes what is occluded from the attribute visibility`
    report.note('converted', 'dropped-attribute', reason, { item: path })
  }
  const isIgnored = String(values.get('ignored')).toLowerCase() === 'true'
  return { visibility, confidence: isIgnored ? 0 : 1 }
}

function numberOf(value: string | number | boolean, location: ErrorLocation): number {
  const number = value === '' ? Number.NaN : Number(value)
  if (Number.isFinite(number)) return number
  throw new FormatError(`attribute "visibility" is "${value}", expected a number`, location)
}
