import { randomUUID } from 'node:crypto'
import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { Label } from '@reticle/contracts/rest/labels'
import type { RequestReport, UploadedFile } from '@reticle/contracts/rest/requests'
import type {
  ConversionRun,
  EmbeddedImage,
  FileSubset,
  TargetFrame,
} from '@reticle/formats/model/dataset'
import { FormatError } from '@reticle/formats/report/errors'
import type { CallContext } from '@reticle/kit'
import { cutBytes } from '@reticle/kit/call/pieces'
import { formatLabels } from '../operations/format-labels.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { chunkSize } from '../operations/prepare/find-frames.ts'
import { type Counted, frameLines } from '../operations/prepare/frame-lines.ts'
import { relatedTo } from '../operations/prepare/related.ts'
import { everyFrame } from '../operations/prepare/selection.ts'
import {
  createChecksumCheck,
  createSourceListing,
  type SourceFile,
  type SourceListing,
} from '../operations/sources/source-listing.ts'
import { type Staged, stageTexts } from '../operations/staging.ts'
import { UnusableInput } from '../work/errors.ts'
import { contextOf, type ImportDatasetWork } from '../work/request-work.ts'
import { mediaPrefix } from '../work/result-key.ts'
import { namingFile } from './import-annotations.ts'
import { keepUnlistedValues, namingObject } from './storing-errors.ts'
import { toRowLines } from './to-rows.ts'

export type Created = RequestReport['created']

interface About {
  work: ImportDatasetWork
  draft_id: string
  /** Archive at its final key, and its members. */
  file: UploadedFile
  listing: SourceListing
  /** Labels that the project will have. */
  labels: readonly Label[]
  run: ConversionRun
  progress: (share: number, stage: string) => void
}

/** Shares of a subset done when its images are frames, and when its annotations are read. */
const [framesShare, readShare] = [0.4, 0.8]

/** Default quality of compressed images. */
const image_quality = 70

/** Creates the task of a subset within a draft. */
export async function importSubset(
  subset: FileSubset,
  about: About,
  deps: OperationDeps,
): Promise<Created> {
  const { work, draft_id, labels, progress } = about
  const { services, signal, tmpDir } = deps
  const context = contextOf(work, signal)
  const isNamed = subset.name !== 'default' || work.params.names_default_subset === true
  const named = { name: subset.name, subset: isNamed ? subset.name : '' }
  const { task_id } = await services.tasks.addDraftTask({ draft_id, ...named }, context)
  const frames = await attachImages(task_id, subset, about, deps, context)

  const target = { labels: formatLabels(labels), frames: allOf(frames) }
  const unlisted = keepUnlistedValues()
  const run = {
    ...about.run,
    onUnlistedValue: unlisted.onUnlistedValue,
    progress: (share: number) =>
      progress(framesShare + share * (readShare - framesShare), 'Reading annotations'),
  }
  const lines = toRowLines(subset.importAnnotations(target, run))
  const staged = await stageTexts(tmpDir, 'import.rows', lines, signal).catch((thrown) => {
    throw namingFile(thrown, about.file.name)
  })
  progress(readShare, 'Storing annotations')
  const into = { target: 'task', id: task_id, mode: 'replace', dry_run: false } as const
  const write = { ...into, call_id: randomUUID(), rq_id: work.rq_id, body: staged.read() }
  const { tags, shapes, tracks } = await services.annotations
    .writeRows(write, context)
    .catch(async (thrown) => {
      const stored = { rows: staged, into: target, unlisted, file: about.file.name }
      throw await namingObject(thrown, stored)
    })
  return { tags, shapes, tracks }
}

const allOf = (frames: readonly TargetFrame[]) => ({
  frames,
  start_frame: 0,
  step: 1,
  is_video: false,
  includes: () => true,
})

/**
 * Attaches the images of the subset as media of the task. They stay in the archive, which is kept as long as one of its
 * tasks. Generated files are stored below the key of the task and deleted with it.
 */
async function attachImages(
  task_id: number,
  subset: FileSubset,
  { work, file, listing: archive, run, progress }: About,
  deps: OperationDeps,
  context: CallContext,
): Promise<TargetFrame[]> {
  const { services, tmpDir, signal } = deps
  await deps.shareWithTask(task_id)
  const counted: Counted = { seen: 0, count: 0 }
  const key = `${mediaPrefix(work, task_id)}images`
  const listing = subset.embedded
    ? await embeddedImages(subset.embedded(), key, deps).catch((thrown) => {
        throw namingFile(thrown, file.name)
      })
    : archive
  const found = subset.embedded ? listing.files : imagesOf(subset, listing.files)
  const about = {
    listing,
    related: relatedTo([]),
    selection: everyFrame,
    signal,
    check: createChecksumCheck(listing, run.report),
    report: run.report,
    progress: (share: number) => progress(share * framesShare, 'Reading images'),
  }
  const staged = await stageTexts(tmpDir, 'frames.lines', frameLines(found, about, counted), signal)
  if (counted.count === 0) throw new UnusableInput(`${subset.name}: none of its files is an image`)
  const media = { task_id, call_id: randomUUID(), image_quality, body: staged.read() }
  await services.media.attachMedia({ ...media, chunk_size: chunkSize(counted.first) }, context)
  return framesIn(staged)
}

/** Returns the images under the names of their frames, in order. */
function imagesOf({ images }: FileSubset, files: readonly SourceFile[]): SourceFile[] {
  const members = new Map(files.map((one) => [one.name, one]))
  return images.flatMap(({ name, member }) => {
    const found = members.get(member)
    return found ? [{ ...found, name }] : []
  })
}

/** Returns the actual frames; files that turned out not to be images are excluded. */
async function framesIn(staged: Staged): Promise<TargetFrame[]> {
  const frames: TargetFrame[] = []
  for await (const batch of decodeFrames(staged.read()))
    for (const { name: path, width, height } of batch)
      frames.push({ frame: frames.length, path, width, height })
  return frames
}

/**
 * Writes pictures that are embedded in other files, where they cannot be read in place, one after the other into one
 * object. It exists when all of them are written; then they are images like others.
 *
 * @throws FormatError for more bytes than an archive may have; DomainError as the object store does
 */
async function embeddedImages(
  images: AsyncIterable<EmbeddedImage>,
  key: string,
  { blobs, limits, signal }: Pick<OperationDeps, 'blobs' | 'limits' | 'signal'>,
): Promise<SourceListing> {
  const files: SourceFile[] = []
  async function* behindOneAnother(): AsyncGenerator<Uint8Array> {
    let offset = 0
    for await (const { name, content } of images) {
      const { length } = content
      if (offset + length > limits.bytes)
        throw new FormatError(`the images have more than ${limits.bytes} bytes`)
      files.push({ name, size: length, key, offset, length, packing: 'stored' })
      offset += length
      yield* cutBytes(content)
    }
  }
  await blobs.put(key, behindOneAnother(), { signal })
  return createSourceListing(files, blobs)
}
