import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import type {
  ConversionRun,
  Dataset,
  DatasetLabel,
  Exporter,
  FileSubset,
  Importer,
  ItemFrame,
  Subset,
  TaskPart,
} from '@reticle/formats/model/dataset'
import type { TaskDetails } from '@reticle/formats/model/task-details'
import { type ConversionReport, createReport } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import { type AnnotationStreams, itemsOf } from '@reticle/formats/tracks/dataset-items'
import { Failure } from '../failures/failure.ts'
import { framesOf } from './images.ts'
import { type ConversionInput, type InputOptions, openInput } from './input.ts'
import { defaultValues, labelsOf } from './labels.ts'
import { createSpool } from './spool.ts'

export interface DatasetConversion {
  inputOptions: InputOptions
  importer: Importer
  exporter: Exporter
  saveImages: boolean
  conv_mask_to_poly?: boolean | undefined
  /** Empty folder for temporary files. */
  tmpDir: string
  signal: AbortSignal
  /** Date of the conversion, which is written into the result. */
  now: Date
  /** Called when a step starts, and with its progress from 0 to 1. */
  step(title: string): void
  progress(share: number, detail?: string): void
}

export interface Converted {
  /** Reports of reading and writing. */
  read: ConversionReport
  written: ConversionReport
  labels: number
  images: number
  /** Number of images that were missing. */
  missing: number
}

/**
 * Converts a dataset between formats without a server, using the same readers and writers with files in between.
 * Memory holds the list of frames and a part of the annotations, for any number of annotations.
 *
 * @param write stores the files of the result; its promise resolves when they are stored
 * @throws FormatError for data that cannot be read or written
 */
export async function convertDataset(
  conversion: DatasetConversion,
  write: (files: AsyncIterable<ArchiveFile>) => Promise<void>,
): Promise<Converted> {
  const { importer, inputOptions, signal, step, conv_mask_to_poly } = conversion
  const read = createReport()
  const run: ConversionRun = { report: read, signal, progress: () => undefined, conv_mask_to_poly }
  step('Reading')
  const input = await openInput(inputOptions, importer, { ...run, report: createReport() })
  try {
    const { labels, subsets } = await readAll(input, run, conversion)
    step('Writing')
    const { exporter, saveImages, now, progress } = conversion
    const written = createReport()
    const out: Dataset = { labels, subsets, saveImages, about: datasetAboutOf(subsets, now) }
    await write(exporter.exportDataset(out, { report: written, signal, progress }))
    const frames = subsets.flatMap((subset) => subset.frames)
    const missing = frames.filter(({ image }) => !image).length
    const counts = { labels: labels.length, images: frames.length, missing }
    return { read: read.read(), written: written.read(), ...counts }
  } finally {
    await input.close()
  }
}

async function readAll(
  { source, zip, missing }: ConversionInput,
  run: ConversionRun,
  { importer, progress, tmpDir, now }: DatasetConversion,
): Promise<{ labels: DatasetLabel[]; subsets: Subset[] }> {
  const dataset = await openSet(importer, source, run)
  const labels = labelsOf(dataset.labels)
  const subsets: Subset[] = []
  for (const [index, subset] of dataset.subsets.entries()) {
    const within = (share: number, detail?: string) =>
      progress((index + share) / dataset.subsets.length, detail)
    const dir = join(tmpDir, String(index))
    await mkdir(dir)
    const named = { id: index + 1, name: subset.name, now }
    const deps = { labels, zip, missing, dir, named, run: { ...run, progress: within } }
    subsets.push(await readSubset(subset, deps))
  }
  return { labels, subsets }
}

/** @throws Failure that explains how to supply images when none are found */
async function openSet(importer: Importer, source: ConversionInput['source'], run: ConversionRun) {
  try {
    return (
      (await importer.openDataset?.(source, run)) ?? noImages('The format has no images', importer)
    )
  } catch (thrown) {
    const isMissing =
      thrown instanceof FormatError &&
      /media is required|no images|not in the archive/.test(thrown.message)
    return isMissing ? noImages(thrown.message, importer) : rethrow(thrown)
  }
}

function noImages(message: string, { declaredImages }: Importer): never {
  const more = declaredImages ? ', or let them be missing with --missing-images' : ''
  throw new Failure(message, {
    code: 'no_images',
    hint: `Name their folder with --images${more}.`,
  })
}

function rethrow(thrown: unknown): never {
  throw thrown
}

interface SubsetDeps {
  labels: readonly DatasetLabel[]
  zip: ConversionInput['zip']
  missing: ConversionInput['missing']
  dir: string
  named: Named
  run: ConversionRun & { progress(share: number, detail?: string): void }
}

/** Share of the progress of a subset after its images were read. */
const imagesShare = 0.3

async function readSubset(subset: FileSubset, deps: SubsetDeps): Promise<Subset> {
  const { labels, zip, missing, dir, run, named } = deps
  const { report, signal } = run
  const frames = await framesOf(subset, {
    zip,
    missing,
    dir,
    report,
    signal,
    progress: (done, total) =>
      run.progress((imagesShare * done) / total, `${done} of ${total} images`),
  })
  const target = {
    labels,
    frames: { frames, start_frame: 0, step: 1, is_video: false, includes: () => true },
  }
  const rest = (share: number) => run.progress(imagesShare + (1 - imagesShare) * share)
  const spool = createSpool(dir, signal)
  const complete = defaultValues(labels)
  for await (const object of subset.importAnnotations(target, { ...run, progress: rest }))
    await spool.add(complete(object))
  return subsetOf({ ...named, frames }, await spool.seal())
}

interface Named {
  id: number
  name: string
  now: Date
}

function subsetOf(
  { frames, ...named }: Named & { frames: readonly ItemFrame[] },
  streams: () => AnnotationStreams,
): Subset {
  const items: TaskPart['items'] = (withTracks) =>
    itemsOf(frames, withTracks ? streams() : { ...streams(), tracks: [] })
  const tracks = () => streams().tracks
  const about = taskAbout(named, frames.length)
  const part: TaskPart = { about, frames, items, tracks, deletedFrames: new Set() }
  return { name: named.name, frames, items: () => items(true), parts: [part] }
}

/** Describes the task that a file contains; it has a single job and no owner. */
function taskAbout(named: Named, size: number): TaskDetails {
  const last = Math.max(0, size - 1)
  return {
    ...commonFieldsOf(named),
    size,
    mode: 'annotation',
    overlap: 0,
    frame_filter: '',
    origin: 0,
    step: 1,
    start_frame: 0,
    stop_frame: last,
    segments: [{ id: named.id, start_frame: 0, stop_frame: last, url: '' }],
  }
}

const commonFieldsOf = ({ id, name, now }: Named) => ({
  id,
  name,
  bug_tracker: '',
  owner: null,
  assignee: null,
  created_date: now.toISOString(),
  updated_date: now.toISOString(),
})

function datasetAboutOf(subsets: readonly Subset[], now: Date): Dataset['about'] {
  const dumped = now.toISOString()
  if (subsets.length === 1) return { target: 'task', dumped }
  return { target: 'project', project: commonFieldsOf({ id: 1, name: 'converted', now }), dumped }
}
