import type { Chapter } from '@reticle/contracts/rest/media'
import { FormatError } from '@reticle/formats/errors'
import type { ReportWriter } from '@reticle/formats/report'
import { isBucketKey } from '../buckets/with-buckets.ts'
import { explainRead } from '../media/kinds/foreign.ts'
import { pagesOf } from '../pdf/pages.ts'
import type { CreateWork } from '../requests/work.ts'
import { readShare, type SourceDeps } from '../sources/deps.ts'
import { checksumCheck, type Found, type Listing } from '../sources/found.ts'
import { type Counted, frameLines } from '../sources/frame-lines.ts'
import { gatherFiles } from '../sources/gather.ts'
import { type Manifest, readManifest } from '../sources/manifest.ts'
import { inOrder } from '../sources/order.ts'
import { relatedTo } from '../sources/related.ts'
import { everyFrame, type Selection, selectionOf } from '../sources/selection.ts'
import { type Media, sortOut } from '../sources/sort-out.ts'
import { videoLines } from '../sources/video-lines.ts'
import { type OperationDeps, UnusableInput } from './operation.ts'
import { ignore } from './report.ts'
import { type Staged, stage } from './staging.ts'
import { taskChapters } from './task-chapters.ts'

type FramesDeps = OperationDeps & SourceDeps

export interface FoundFrames {
  /** Lines of the list of frames. */
  staged: Staged
  /** Frames that make a chunk where nobody says how many. */
  chunk_size: number
  /** Of the video that all of them are frames of. */
  video_name?: string
  /** Of that video; absent: it has none. */
  chapters?: { chapters: Chapter[] }
  /** That the frames are in. */
  cloud_storage_id?: number
  /** Frames are pictures of our own, wherever the file is that they are made of. */
  isMade?: boolean
}

/**
 * Gathers the files of a request, finds the pictures among them, orders them and reads their sizes; or looks at the video, or
 * draws the pages of the PDF, that they are.
 *
 * @throws UnusableInput when there is no frame
 */
export async function findFrames(
  { params, request_uuid }: CreateWork,
  deps: FramesDeps,
): Promise<FoundFrames> {
  const { report, signal, tmpDir } = deps
  const sorted = await sortOut(await gatherFiles(params, deps), deps, selectionOf(params))
  const media = await drawn(sorted, params, deps)
  if (media.video) return framesOfVideo(media.video, params, deps)
  const { listing, isArchive, selection } = media
  const manifest = withinAsked(await manifestOf(media, params, report), listing, params)
  const related = relatedTo(listing.files, manifest)
  const order = { listing, manifest, isArchive, seed: request_uuid, report, signal }
  const frames = await inOrder(related.frames, params, order)

  const counted: Counted = { seen: 0, count: 0 }
  const items_total = frames.length
  const progress = (share: number) => {
    const items_done = Math.round(share * items_total)
    deps.progress(readShare * share, 'Reading images', { items_done, items_total })
  }
  const listedBy = listNameOf(params, manifest)
  const check = checksumCheck(listing, report)
  const about = { listing, related, selection, listedBy, check, report, signal, progress }
  const lines = frameLines(frames, about, counted)
  const staged = await stage(tmpDir, 'frames.lines', lines, signal)
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

/** What gives files their frame numbers by name. */
function listNameOf(
  { job_file_mapping, sorting_method }: CreateWork['params'],
  manifest: Manifest | undefined,
): string | undefined {
  if (job_file_mapping) return 'job_file_mapping'
  return manifest && sorting_method === 'predefined' ? 'manifest' : undefined
}

/**
 * A PDF is the pictures of its pages. Where frames are in the order of pages, only those that are chosen are drawn; what is left to
 * choose from then is chosen.
 *
 * @throws UnusableInput when no page is chosen
 */
async function drawn(
  media: Media,
  params: CreateWork['params'],
  deps: FramesDeps,
): Promise<Media & { selection: Selection }> {
  const asked = selectionOf(params)
  if (!media.pdf) return { ...media, selection: asked }
  const isInOrder = params.sorting_method !== 'random' && !media.manifest
  const { listing, count } = await pagesOf(media.pdf, isInOrder ? asked : everyFrame, deps)
  if (listing.files.length === 0)
    throw new UnusableInput(withoutFrames({ seen: count }, params.start_frame))
  return { ...media, listing, selection: isInOrder ? everyFrame : asked }
}

async function framesOfVideo(
  video: Found,
  params: CreateWork['params'],
  { tmpDir, signal, videos, prefix, report }: FramesDeps,
): Promise<FoundFrames> {
  if (params.job_file_mapping)
    throw new UnusableInput(`job_file_mapping lists images, but ${video.name} is a video`)
  const counted: Counted = { seen: 0, count: 0 }
  const about = { videos, selection: selectionOf(params), key: `${prefix}index`, signal }
  const staged = await stage(tmpDir, 'frames.lines', videoLines(video, about, counted), signal)
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

/** Files of one reason that are named. */
const mostNamed = 5
const mostReasons = 5

/** Lists the files that were left out, the reasons, and the kinds that are read. */
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

/** Frames a chunk of a video. */
const chunkOfVideo = 36

/** Frames a chunk, so that chunks take about the same room (`spec/api-workspace.md` 4.5). */
export function chunkSize({ width, height } = { width: 1, height: 1 }): number {
  const fitting = Math.floor((36 * 1920 * 1080) / (width * height))
  return Math.min(Math.max(fitting, 2), 72)
}
