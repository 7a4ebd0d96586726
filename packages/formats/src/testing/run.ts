/** Helpers that tests of formats share: conversions in memory, and short annotations. */

import { sourceOf } from '../archive/source.ts'
import { openZip } from '../archive/zip-reader.ts'
import { writeZip } from '../archive/zip-writer.ts'
import type {
  ConversionRun,
  Dataset,
  DatasetItem,
  DatasetLabel,
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  DatasetTrackShape,
  Exporter,
  Format,
  Imported,
  ImportTarget,
  ItemFrame,
  TaskPart,
} from '../model/dataset.ts'
import type { TaskDetails } from '../model/task-details.ts'
import { type ConversionReport, createReport } from '../report/conversion-report.ts'
import { type AnnotationStreams, itemsOf } from '../tracks/dataset-items.ts'

export interface ImportResult {
  shapes: DatasetShape[]
  tracks: DatasetTrack[]
  imported: Imported[]
  report: ConversionReport
  progress: number[]
}

/** Imports bytes. */
export async function importBytes(
  format: Format,
  bytes: Uint8Array | string,
  target: ImportTarget,
  given: Pick<ConversionRun, 'conv_mask_to_poly' | 'onUnlistedValue'> = {},
): Promise<ImportResult> {
  const { importer } = format
  if (!importer) throw new Error(`${format.name} has no importer`)
  const { run, progress } = createRun()
  Object.assign(run, given)
  const imported: Imported[] = []
  const source = sourceOf(Buffer.from(bytes))
  for await (const one of importer.importAnnotations(source, target, run)) imported.push(one)
  return {
    shapes: imported.flatMap((one) => (one.kind === 'shape' ? [one.shape] : [])),
    tracks: imported.flatMap((one) => (one.kind === 'track' ? [one.track] : [])),
    imported,
    report: run.report.read(),
    progress,
  }
}

/** Exports a dataset as an archive; also returns the members as text. */
export async function exportBytes(exporter: Exporter | undefined, dataset: Dataset) {
  if (!exporter) throw new Error('the format has no exporter')
  const { run, progress } = createRun()
  const parts: Uint8Array[] = []
  const modified = new Date('2026-03-01T10:00:00Z')
  for await (const part of writeZip(exporter.exportDataset(dataset, run), modified)) {
    parts.push(part)
  }
  const bytes = Buffer.concat(parts)
  return { bytes, files: await textsOf(bytes), report: run.report.read(), progress }
}

/** Returns the members of an archive as texts. */
export async function textsOf(bytes: Uint8Array): Promise<Record<string, string>> {
  const members = Object.entries(await membersOf(bytes))
  return Object.fromEntries(members.map(([name, content]) => [name, content.toString()]))
}

/** Returns the members of an archive. */
export async function membersOf(bytes: Uint8Array): Promise<Record<string, Buffer>> {
  const zip = await openZip(sourceOf(bytes))
  const members: Record<string, Buffer> = {}
  for (const [name, entry] of zip.files) members[name] = Buffer.from(await zip.bytes(entry))
  return members
}

/** Contents of files, by name. */
export type NamedFiles = Record<string, string | Uint8Array>

/** Creates an archive with the given members. */
export async function zipOf(files: NamedFiles): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const members = Object.entries(files).map(([path, content]) => ({ path, content }))
  for await (const part of writeZip(members, new Date(0))) parts.push(part)
  return Buffer.concat(parts)
}

/** Annotations of a task. */
export interface TaskAnnotations {
  tags: readonly DatasetTag[]
  shapes: readonly DatasetShape[]
  tracks: AnnotationStreams['tracks']
}

/** Creates a dataset of one subset with one task. */
export function datasetOf(
  labels: readonly DatasetLabel[],
  frames: readonly ItemFrame[],
  given: Partial<TaskAnnotations>,
  rest: { name?: string; saveImages?: boolean; about?: Partial<TaskDetails> } = {},
): Dataset {
  const { name = 'default', saveImages = false, about = {} } = rest
  const part = partOf(frames, given, about)
  const subset = { name, frames, items: () => part.items(true), parts: [part] }
  return { labels, subsets: [subset], saveImages, about: { target: 'task', dumped: someDate } }
}

/** Creates a task with these frames. */
export function partOf(
  frames: readonly ItemFrame[],
  { tags = [], shapes = [], tracks: given = [] }: Partial<TaskAnnotations>,
  about: Partial<TaskDetails> = {},
): TaskPart {
  const streams = { tags: [tags], shapes: [shapes], tracks: given }
  const items = (withTracks: boolean): AsyncIterable<DatasetItem> =>
    itemsOf(frames, withTracks ? streams : { ...streams, tracks: [] })
  async function* tracks(): AsyncGenerator<DatasetTrack> {
    yield* streams.tracks
  }
  return {
    about: taskDetails(frames.length, about),
    frames,
    items,
    tracks,
    deletedFrames: new Set(),
  }
}

const someDate = '2026-03-01T10:00:00.000Z'

function taskDetails(size: number, given: Partial<TaskDetails>): TaskDetails {
  const { origin = 0, step = 1 } = given
  return {
    id: 1,
    name: 'a task',
    bug_tracker: '',
    created_date: someDate,
    updated_date: someDate,
    owner: null,
    assignee: null,
    size,
    mode: 'annotation',
    overlap: 0,
    frame_filter: '',
    origin,
    step,
    start_frame: origin,
    stop_frame: origin + (size - 1) * step,
    segments: [],
    ...given,
  }
}

/** Creates frames with the given paths, by default of 100 x 80 pixels. */
export function framesOf(paths: readonly string[], width = 100, height = 80): ItemFrame[] {
  return paths.map((path, frame) => ({ frame, path, width, height }))
}

export function targetOf(
  labels: readonly DatasetLabel[],
  frames: readonly ItemFrame[],
): ImportTarget {
  const whole = { start_frame: 0, step: 1, is_video: false, includes: () => true }
  return { labels, frames: { frames, ...whole } }
}

export function labelOf(given: Partial<DatasetLabel> & { name: string }): DatasetLabel {
  return { id: 1, type: 'any', attributes: [], sublabels: [], ...given }
}

export function shapeOf(given: Partial<DatasetShape>): DatasetShape {
  return {
    type: 'rectangle',
    frame: 0,
    label_id: 1,
    group: 0,
    source: 'file',
    points: [1, 2, 11, 22],
    occluded: false,
    outside: false,
    z_order: 0,
    rotation: 0,
    score: 1,
    attributes: [],
    elements: [],
    ...given,
  }
}

export function trackShapeOf(given: Partial<DatasetTrackShape>): DatasetTrackShape {
  return {
    type: 'rectangle',
    frame: 0,
    points: [1, 2, 11, 22],
    occluded: false,
    outside: false,
    keyframe: true,
    z_order: 0,
    rotation: 0,
    attributes: [],
    ...given,
  }
}

export function trackOf(
  shapes: readonly DatasetTrackShape[],
  given: Partial<DatasetTrack> = {},
): DatasetTrack {
  const frame = shapes[0]?.frame ?? 0
  const rest = { label_id: 1, group: 0, source: 'file', attributes: [], elements: [] }
  return { frame, shapes, ...rest, ...given }
}

/** Collects the elements of a stream; empty for undefined. */
export async function collectAll<T>(
  stream: AsyncIterable<T> | Iterable<T> | undefined,
): Promise<T[]> {
  const found: T[] = []
  for await (const one of stream ?? []) found.push(one)
  return found
}

/** Creates the context of a conversion, and the list of reported progress. */
export function createRun(): { run: ConversionRun; progress: number[] } {
  const progress: number[] = []
  const signal = new AbortController().signal
  const run = { report: createReport(), signal, progress: (share: number) => progress.push(share) }
  return { run, progress }
}
