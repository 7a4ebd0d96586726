import { FormatError } from '@reticle/formats/errors'
import { createReport, type ReportWriter } from '@reticle/formats/report'
import type { Context } from '@reticle/kit'
import { openListing } from '../buckets/listing.ts'
import { isBucketKey, withBuckets } from '../buckets/with-buckets.ts'
import { keptOnce } from '../contents/hashed.ts'
import type { CreateWork, Outcome } from '../requests/work.ts'
import { readShare, type SourceDeps } from '../sources/deps.ts'
import type { Found, Listing } from '../sources/found.ts'
import { type Counted, frameLines } from '../sources/frame-lines.ts'
import { gatherFiles } from '../sources/gather.ts'
import { type Manifest, readManifest } from '../sources/manifest.ts'
import { inOrder } from '../sources/order.ts'
import { relatedTo } from '../sources/related.ts'
import { selectionOf } from '../sources/selection.ts'
import { type Media, sortOut } from '../sources/sort-out.ts'
import { videoLines } from '../sources/video-lines.ts'
import { contextOf, type OperationDeps, UnusableInput } from './operation.ts'
import { ignore, toReport } from './report.ts'
import { type Staged, stage } from './staging.ts'

/**
 * Turns files into the frames of a task: finds the pictures, orders them and reads their sizes, then hands the list to the
 * task in one call, which splits it into jobs (`spec/api-workspace.md` 4.5). What was uploaded stays where it is.
 */
export async function prepareMedia(work: CreateWork, deps: OperationDeps): Promise<Outcome> {
  const { services, signal, blobs } = deps
  const { task_id, params, request_uuid: call_id } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading images')
  // Not refused here when the task has media: an earlier attempt of this very request may have attached it.
  await services.tasks.authorize({ target: 'task', id: task_id, action: 'upload:data' }, context)

  const report = createReport()
  const { files, spare } = await keptOnce(work.params.files, placeOf(work), deps)
  const kept = { ...work, params: { ...work.params, files } }
  const prefix = prefixOf(work)
  const source = sourceOf(work, deps, context)
  const progress = onlyForward(deps.progress)
  const about = { ...deps, ...source, progress, prefix, report, task_id }
  const { staged, counted, video_name, cloud_storage_id } = await framesOf(kept, about).catch(
    async (thrown) => {
      await blobs.removePrefix(prefix).catch(() => undefined) // it goes with what was uploaded at the latest
      throw thrown
    },
  )

  await deps.enterFinal()
  deps.progress(readShare, 'Creating jobs')
  const { image_quality, validation_params, job_file_mapping, job_count } = params
  const { start_frame, frame_filter } = params
  const media = {
    task_id,
    call_id,
    image_quality,
    chunk_size: params.chunk_size ?? (video_name ? chunkOfVideo : chunkSize(counted.first)),
    ...(video_name !== undefined && { video_name }),
    ...(validation_params && { validation_params }),
    ...(job_file_mapping && {
      job_sizes: { frames: job_file_mapping.map(({ files }) => files.length) },
    }),
    ...(job_count !== null && { job_count }),
    ...(start_frame > 0 && { start_frame }),
    ...(frame_filter !== '' && { frame_filter }),
    ...placeOf(params, cloud_storage_id),
    body: staged.read(),
  }
  await services.media.attachMedia(media, context)
  return { report: toReport(report), result: null, result_id: task_id, spare }
}

/** Files of the cloud storage that the request names are read as who made the request, until they are media of the task. */
function sourceOf(
  { task_id, params: { cloud_storage_id } }: CreateWork,
  { services: { storages }, blobs }: OperationDeps,
  context: Context,
): Pick<SourceDeps, 'blobs' | 'bucket'> {
  if (cloud_storage_id === null) return { blobs }
  return {
    blobs: withBuckets(blobs, storages, { cloud_storage_id, context }),
    bucket: openListing(storages, { cloud_storage_id, task_id }, context),
  }
}

/**
 * Where what is made of the files of a request lies: with them, so that it goes when they go. Every attempt has its own
 * place: one that is slow to notice that it lost its lease disturbs nobody.
 */
const prefixOf = (work: CreateWork): string => `${placeOf(work)}made-${work.lease_token}/`

function placeOf({ input_key }: CreateWork): string {
  if (input_key === null) throw new Error('a request for media has a place for its files')
  return `${input_key.replace(/\/$/, '')}/`
}

/** Files may be looked at more than once: what is done stays done. */
function onlyForward(tell: OperationDeps['progress']): OperationDeps['progress'] {
  let most = 0
  return (share, stage) => {
    most = Math.max(most, share)
    tell(most, stage)
  }
}

type FramesDeps = OperationDeps & SourceDeps

interface FoundFrames {
  staged: Staged
  counted: Counted
  /** Of the video that all of them are frames of. */
  video_name?: string
  /** That the frames are in. */
  cloud_storage_id?: number
}

/** @throws UnusableInput when there is none */
async function framesOf(
  { params, request_uuid }: CreateWork,
  deps: FramesDeps,
): Promise<FoundFrames> {
  const { report, signal, tmpDir } = deps
  const media = await sortOut(await gatherFiles(params, deps), deps)
  if (media.video) return framesOfVideo(media.video, params, deps)
  const { listing, isArchive } = media
  const manifest = withinAsked(await manifestOf(media, params, report), listing, params)
  const related = relatedTo(listing.files, manifest)
  const order = { listing, manifest, isArchive, seed: request_uuid, report, signal }
  const frames = await inOrder(related.frames, params, order)

  const selection = selectionOf(params)
  const counted: Counted = { seen: 0, count: 0 }
  const progress = (share: number) => deps.progress(readShare * share, 'Reading images')
  const isListed = params.job_file_mapping !== null
  const about = { listing, related, selection, isListed, report, signal, progress }
  const lines = frameLines(frames, about, counted)
  const staged = await stage(tmpDir, 'frames.lines', lines, signal)
  if (counted.count === 0) throw new UnusableInput(withoutFrames(counted, params.start_frame))
  if (selection.isAll)
    for (const { name } of related.left()) ignore(report, name, 'related to no image')
  const isInBucket = listing.files.some(({ key }) => isBucketKey(key))
  const { cloud_storage_id } = params
  return { staged, counted, ...(isInBucket && cloud_storage_id !== null && { cloud_storage_id }) }
}

async function framesOfVideo(
  video: Found,
  params: CreateWork['params'],
  { tmpDir, signal, videos, prefix }: FramesDeps,
): Promise<FoundFrames> {
  if (params.job_file_mapping)
    throw new UnusableInput(`job_file_mapping lists images, but ${video.name} is a video`)
  const counted: Counted = { seen: 0, count: 0 }
  const about = { videos, selection: selectionOf(params), key: `${prefix}index`, signal }
  const staged = await stage(tmpDir, 'frames.lines', videoLines(video, about, counted), signal)
  if (counted.count === 0) throw new UnusableInput(withoutFrames(counted, params.start_frame))
  return { staged, counted, video_name: video.name }
}

const withoutFrames = ({ seen }: Counted, start_frame: number) =>
  seen === 0
    ? 'No media data found'
    : `start_frame: there are only ${seen} frames, the frame ${start_frame} is none of them`

/** That of a bucket may list more than was asked for. */
function withinAsked(
  manifest: Manifest | undefined,
  { files }: Listing,
  { cloud_storage_id }: CreateWork['params'],
): Manifest | undefined {
  if (!manifest || cloud_storage_id === null) return manifest
  const asked = new Set(files.map(({ name }) => name))
  return { ...manifest, places: new Map([...manifest.places].filter(([name]) => asked.has(name))) }
}

/** Where the order of frames does not depend on it, what only looks like a manifest is one of many files. */
async function manifestOf(
  { manifest }: Media,
  { sorting_method }: CreateWork['params'],
  report: ReportWriter,
): Promise<Manifest | undefined> {
  if (!manifest) return undefined
  const { file, from, isOwn } = manifest
  if (sorting_method === 'random' && isOwn) return undefined
  try {
    return await readManifest(file.name, from.read(file))
  } catch (thrown) {
    if (sorting_method === 'predefined' || !(thrown instanceof FormatError)) throw thrown
    ignore(report, file.name, 'no manifest of images')
    return undefined
  }
}

/** Files of the share or a cloud storage that are not copied are needed there for as long as there is the task. */
function placeOf(
  { server_files, copy_data, cloud_storage_id }: CreateWork['params'],
  holding: number | undefined,
) {
  if (holding !== undefined) return { storage: 'cloud_storage', cloud_storage_id: holding } as const
  const isOnShare = server_files.length > 0 && !copy_data && cloud_storage_id === null
  return isOnShare ? ({ storage: 'share' } as const) : {}
}

/** Frames a chunk of a video. */
const chunkOfVideo = 36

/** Frames a chunk, so that chunks take about the same room (`spec/api-workspace.md` 4.5). */
function chunkSize({ width, height } = { width: 1, height: 1 }): number {
  const fitting = Math.floor((36 * 1920 * 1080) / (width * height))
  return Math.min(Math.max(fitting, 2), 72)
}
