import type { Chapter } from '@reticle/contracts/rest/media'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import { explainRead } from '../../media/kinds/foreign.ts'
import { isBucketKey } from '../../storage/with-buckets.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import type { CreateWork } from '../../work/request-work.ts'
import type { OperationDeps } from '../operation.ts'
import { readShare, type SourceDeps } from '../sources/deps.ts'
import { gatherFiles } from '../sources/gather.ts'
import { type FrameManifest, readManifest } from '../sources/manifest.ts'
import {
  createChecksumCheck,
  type SourceFile,
  type SourceListing,
} from '../sources/source-listing.ts'
import { type Staged, stageTexts } from '../staging.ts'
import { classifyMedia, type SourceMedia } from './classify-media.ts'
import { type Counted, frameLines } from './frame-lines.ts'
import { orderFiles } from './order.ts'
import { pagesOf } from './pdf-pages.ts'
import { relatedTo } from './related.ts'
import { everyFrame, type Selection, selectionOf } from './selection.ts'
import { taskChapters } from './task-chapters.ts'
import { videoLines } from './video-lines.ts'

type FramesDeps = OperationDeps & SourceDeps

export interface PreparedFrames {
  /** Lines of the list of frames. */
  staged: Staged
  /** Default number of frames per chunk. */
  chunk_size: number
  /** Name of the video that contains all frames. */
  video_name?: string
  /** Chapters of that video; absent without any. */
  chapters?: { chapters: Chapter[] }
  /** Cloud storage that holds the frames. */
  cloud_storage_id?: number
  /** The frames are generated pictures (PDF pages), independent of where the source file is. */
  isMade?: boolean
}

/**
 * Finds the frames of a request: gathers its files, selects, orders and measures the pictures; or indexes its video, or
 * draws the pages of its PDF.
 *
 * @throws UnusableInput when no frame is found
 */
export async function findFrames(
  { params, request_uuid }: CreateWork,
  deps: FramesDeps,
): Promise<PreparedFrames> {
  const { report, signal, tmpDir } = deps
  const sorted = await classifyMedia(await gatherFiles(params, deps), deps, selectionOf(params))
  const media = await drawPdfPages(sorted, params, deps)
  if (media.video) return framesOfVideo(media.video, params, deps)
  const { listing, isArchive, selection } = media
  const manifest = limitManifest(await manifestOf(media, params, report), listing, params)
  const related = relatedTo(listing.files, manifest)
  const order = { listing, manifest, isArchive, seed: request_uuid, report, signal }
  const frames = await orderFiles(related.frames, params, order)

  const counted: Counted = { seen: 0, count: 0 }
  const items_total = frames.length
  const progress = (share: number) => {
    const items_done = Math.round(share * items_total)
    deps.progress(readShare * share, 'Reading images', { items_done, items_total })
  }
  const listedBy = listNameOf(params, manifest)
  const check = createChecksumCheck(listing, report)
  const about = { listing, related, selection, listedBy, check, report, signal, progress }
  const lines = frameLines(frames, about, counted)
  const staged = await stageTexts(tmpDir, 'frames.lines', lines, signal)
  if (counted.count === 0)
    throw new UnusableInput(withoutFrames(counted, params.start_frame, report))
  if (selection.isAll)
    for (const { name } of related.left()) ignore(report, name, 'related to no image')
  const isInBucket = listing.files.some(({ key }) => isBucketKey(key))
  const { cloud_storage_id } = params
  return {
    staged,
    chunk_size: chunkSize(counted.first),
    ...(isInBucket && cloud_storage_id !== null && { cloud_storage_id }),
    ...(media.pdf && { isMade: true }),
  }
}

/** Returns the name of the list that assigns frame numbers by file name, if any. */
function listNameOf(
  { job_file_mapping, sorting_method }: CreateWork['params'],
  manifest: FrameManifest | undefined,
): string | undefined {
  if (job_file_mapping) return 'job_file_mapping'
  return manifest && sorting_method === 'predefined' ? 'manifest' : undefined
}

/**
 * Draws the pages of a PDF as pictures. When the frames keep the order of the pages, only the selected pages are drawn
 * and the returned selection is everything; otherwise the selection is applied later.
 *
 * @throws UnusableInput when no page is selected
 */
async function drawPdfPages(
  media: SourceMedia,
  params: CreateWork['params'],
  deps: FramesDeps,
): Promise<SourceMedia & { selection: Selection }> {
  const requestedSelection = selectionOf(params)
  if (!media.pdf) return { ...media, selection: requestedSelection }
  const isInOrder = params.sorting_method !== 'random' && !media.manifest
  const { listing, count } = await pagesOf(
    media.pdf,
    isInOrder ? requestedSelection : everyFrame,
    deps,
  )
  if (listing.files.length === 0)
    throw new UnusableInput(withoutFrames({ seen: count }, params.start_frame))
  return { ...media, listing, selection: isInOrder ? everyFrame : requestedSelection }
}

async function framesOfVideo(
  video: SourceFile,
  params: CreateWork['params'],
  { tmpDir, signal, videos, prefix, report }: FramesDeps,
): Promise<PreparedFrames> {
  if (params.job_file_mapping)
    throw new UnusableInput(`job_file_mapping lists images, but ${video.name} is a video`)
  const counted: Counted = { seen: 0, count: 0 }
  const about = { videos, selection: selectionOf(params), key: `${prefix}index`, signal }
  const staged = await stageTexts(tmpDir, 'frames.lines', videoLines(video, about, counted), signal)
  if (counted.count === 0) throw new UnusableInput(withoutFrames(counted, params.start_frame))
  const chapters = taskChapters(counted, params, { report, file: video.name })
  return {
    staged,
    chunk_size: chunkOfVideo,
    video_name: video.name,
    ...(chapters && { chapters }),
  }
}

function withoutFrames(
  { seen }: Pick<Counted, 'seen'>,
  start_frame: number,
  report?: ReportWriter,
): string {
  if (seen > 0)
    return `start_frame: there are only ${seen} frames, the frame ${start_frame} is none of them`
  const leftOut = report ? explainLeftOut(report) : ''
  return leftOut === '' ? 'No media data found' : `No media data found. ${leftOut}`
}

/** Limit of files that a message names per reason. */
const mostNamed = 5
const mostReasons = 5

/** Lists the left-out files, the reasons, and the supported kinds. */
function explainLeftOut(report: ReportWriter): string {
  const { entries } = report.read()
  const ignored = entries.filter(({ code }) => code === 'ignored-file').slice(0, mostReasons)
  if (ignored.length === 0) return ''
  const reasons = ignored.map(({ reason, examples, count }) => {
    const names = examples.slice(0, mostNamed).flatMap(({ file }) => file ?? [])
    const more = count > names.length ? ` (and ${count - names.length} more)` : ''
    return `${names.join(', ')}${more}: ${reason}`
  })
  return [...reasons, explainRead()].join('. ')
}

/** Restricts the manifest of a cloud storage to the requested files, because it may list more. */
function limitManifest(
  manifest: FrameManifest | undefined,
  { files }: SourceListing,
  { cloud_storage_id }: CreateWork['params'],
): FrameManifest | undefined {
  if (!manifest || cloud_storage_id === null) return manifest
  const requested = new Set(files.map(({ name }) => name))
  return {
    ...manifest,
    places: new Map([...manifest.places].filter(([name]) => requested.has(name))),
  }
}

/** Reads the manifest. Unless the order depends on it, an unreadable manifest is reported and ignored. */
async function manifestOf(
  { manifest }: SourceMedia,
  { sorting_method }: CreateWork['params'],
  report: ReportWriter,
): Promise<FrameManifest | undefined> {
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

/** Frames per chunk of a video. */
const chunkOfVideo = 36

/** Returns the number of frames per chunk, chosen so that chunks have about the same size. */
export function chunkSize({ width, height } = { width: 1, height: 1 }): number {
  const fitting = Math.floor((36 * 1920 * 1080) / (width * height))
  return Math.min(Math.max(fitting, 2), 72)
}
