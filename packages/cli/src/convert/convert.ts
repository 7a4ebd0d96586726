import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TaskAbout } from '@reticle/formats/about'
import { detectContainer } from '@reticle/formats/archive/detect'
import type { RandomAccess } from '@reticle/formats/archive/source'
import { openZip, type ZipReader } from '@reticle/formats/archive/zip-reader'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import type {
  Dataset,
  Exporter,
  FileSubset,
  Importer,
  ItemFrame,
  Label,
  Part,
  Run,
  Subset,
} from '@reticle/formats/model'
import { createReport, type Report } from '@reticle/formats/report'
import { type AnnotationStreams, itemsOf } from '@reticle/formats/tracks'
import { Failure } from '../failure.ts'
import { defaultValues, labelsOf } from './labels.ts'
import { framesOf } from './pictures.ts'
import { createSpool } from './spool.ts'

export interface Conversion {
  source: RandomAccess
  importer: Importer
  exporter: Exporter
  saveImages: boolean
  conv_mask_to_poly?: boolean | undefined
  /** An empty folder, for what waits. */
  tmpDir: string
  signal: AbortSignal
  /** When it is done: what is written says so. */
  now: Date
  /** Told what is under way and how far, 0 to 1. */
  step(title: string): void
  progress(share: number, detail?: string): void
}

export interface Converted {
  /** Of reading and of writing. */
  read: Report
  written: Report
  labels: number
  images: number
}

/**
 * From one format to another, without a server: the readers and writers that servers have, with files in between. Memory holds the
 * list of frames and a piece of the annotations, however many there are.
 *
 * @param write Takes the files of the result; its promise ends when they are stored.
 * @throws FormatError for data that cannot be read or written
 */
export async function convert(
  conversion: Conversion,
  write: (files: AsyncIterable<ArchiveFile>) => Promise<void>,
): Promise<Converted> {
  const { importer, exporter, source, signal, step, progress, saveImages, now } = conversion
  const read = createReport()
  const { conv_mask_to_poly } = conversion
  const run: Run = { report: read, signal, progress: () => undefined, conv_mask_to_poly }
  step('Reading')
  if (!importer.openDataset)
    throw new Failure('The format has no images, so nothing tells its frames')
  const dataset = await importer.openDataset(source, run)
  const labels = labelsOf(dataset.labels)
  const zip = (await detectContainer(source)) === 'zip' ? await openZip(source) : undefined
  const subsets: Subset[] = []
  for (const [index, subset] of dataset.subsets.entries()) {
    const within = (share: number, detail?: string) =>
      progress((index + share) / dataset.subsets.length, detail)
    const dir = join(conversion.tmpDir, String(index))
    await mkdir(dir)
    subsets.push(
      await readSubset(subset, {
        labels,
        zip,
        dir,
        now,
        id: index + 1,
        run: { ...run, progress: within },
      }),
    )
  }
  step('Writing')
  const written = createReport()
  const out: Dataset = { labels, subsets, saveImages, about: aboutOf(subsets, now) }
  await write(exporter.exportDataset(out, { report: written, signal, progress }))
  const images = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  return { read: read.read(), written: written.read(), labels: labels.length, images }
}

interface SubsetDeps {
  labels: readonly Label[]
  zip: ZipReader | undefined
  dir: string
  now: Date
  /** Tells its task from those of others. */
  id: number
  run: Run & { progress(share: number, detail?: string): void }
}

/** Share of a subset after which its images have been looked at. */
const imagesShare = 0.3

async function readSubset(subset: FileSubset, deps: SubsetDeps): Promise<Subset> {
  const { labels, zip, dir, run, now, id } = deps
  const { report, signal } = run
  const frames = await framesOf(subset, {
    ...{ zip, dir, report, signal },
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
  return subsetOf({ id, name: subset.name, frames, now }, await spool.seal())
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
  const items: Part['items'] = (withTracks) =>
    itemsOf(frames, withTracks ? streams() : { ...streams(), tracks: [] })
  const tracks = () => streams().tracks
  const about = taskAbout(named, frames.length)
  const part: Part = { about, frames, items, tracks, deletedFrames: new Set() }
  return { name: named.name, frames, items: () => items(true), parts: [part] }
}

/** What files tell of where they come from: a task that nobody owns. */
function taskAbout(named: Named, size: number): TaskAbout {
  const last = Math.max(0, size - 1)
  return {
    ...described(named),
    ...{ size, mode: 'annotation', overlap: 0, frame_filter: '', origin: 0, step: 1 },
    ...{ start_frame: 0, stop_frame: last },
    segments: [{ id: named.id, start_frame: 0, stop_frame: last, url: '' }],
  }
}

const described = ({ id, name, now }: Named) => ({
  ...{ id, name, bug_tracker: '', owner: null, assignee: null },
  ...{ created_date: now.toISOString(), updated_date: now.toISOString() },
})

function aboutOf(subsets: readonly Subset[], now: Date): Dataset['about'] {
  const dumped = now.toISOString()
  if (subsets.length === 1) return { target: 'task', dumped }
  return { target: 'project', project: described({ id: 1, name: 'converted', now }), dumped }
}
