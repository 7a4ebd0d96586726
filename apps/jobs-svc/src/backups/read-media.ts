import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { ZipEntry } from '@reticle/formats/archive/zip-reader'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { FormatError } from '@reticle/formats/report/errors'
import { sniffedBytes, sniffFile } from '../media/sniff.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { chunkSize } from '../operations/prepare/find-frames.ts'
import { type Counted, frameLines } from '../operations/prepare/frame-lines.ts'
import { orderFiles } from '../operations/prepare/order.ts'
import { relatedTo } from '../operations/prepare/related.ts'
import { selectionOf } from '../operations/prepare/selection.ts'
import { taskChapters } from '../operations/prepare/task-chapters.ts'
import { videoLines } from '../operations/prepare/video-lines.ts'
import { type FrameManifest, readManifest } from '../operations/sources/manifest.ts'
import {
  createSourceListing,
  fileTitle,
  type SourceFile,
  type SourceListing,
  toSourceFile,
} from '../operations/sources/source-listing.ts'
import { type Staged, stageTexts } from '../operations/staging.ts'
import { bucketKey } from '../storage/with-buckets.ts'
import type { VideoProbeOptions } from '../video/decoder.ts'
import { UnusableInput } from '../work/errors.ts'
import {
  compareVideo,
  type ListedVideo,
  noteMissing,
  pictureCheck,
  readListedVideo,
} from './compare-media.ts'
import type { BackupArchive } from './read-archive.ts'
import type { ArchivedMediaFacts, ArchivedTask } from './read-task.ts'

/** One task of an archive. */
export interface TaskMediaInput {
  archive: BackupArchive
  folder: string
  task: ArchivedTask
  /** Id of the restored task. */
  task_id: number
  /** Seed of the random order: equal seeds give equal frames. */
  seed: string
  /** Key prefix of generated files. */
  prefix: string
}

type Deps = Pick<OperationDeps, 'blobs' | 'videos' | 'tmpDir' | 'signal'> & {
  report: ReportWriter
  /** Called with the share of files read. */
  progress: (share: number) => void
}

export interface RestoredMedia extends ArchivedMediaFacts {
  frames: Staged
}

const manifestName = 'manifest.jsonl'
/** File name for the staged frames of one task at a time. */
const listName = 'frames.lines'
/** Files beside the media that are not media. */
const others = new Set([manifestName, 'index.json'])

/**
 * Finds the frames of a task in its archive: pictures are read in place, a video is copied to a separate object, and
 * media in a cloud storage is only listed.
 *
 * @throws UnusableInput, FormatError
 */
export async function findMedia(input: TaskMediaInput, deps: Deps): Promise<RestoredMedia> {
  const { archive, task } = input
  const members = membersOf(input, deps)
  const [only, second] = members.files
  if (task.data.storage === 'cloud_storage' && !only)
    return listedFrames(input, await readOwnManifest(input), deps)
  const isVideo = only && !second && (await isVideoFile(members, only))
  const listed = await readListedVideo(archive, manifestOf(input))
  if (only && listed && !isVideo)
    throw new UnusableInput(`${fileTitle(only)}: the manifest lists a video, but this file is none`)
  if (isVideo) return videoOf(input, { members, file: only, listed }, deps)
  const found = await picturesOf(input, members, await readOwnManifest(input), deps)
  if (found.counted.count > 0) return found
  throw new UnusableInput(`${archive.file.name}: ${input.folder}data: No media data found`)
}

function membersOf(
  { archive, folder }: TaskMediaInput,
  { blobs }: Pick<Deps, 'blobs'>,
): SourceListing {
  const { zip, file } = archive
  const root = `${folder}data/`
  const files = [...zip.files.values()].flatMap((entry) => {
    const name = entry.name.slice(root.length)
    return entry.name.startsWith(root) && !others.has(name) ? [memberOf(entry, name, file.key)] : []
  })
  return createSourceListing(files, blobs, { source: zip.source, zip })
}

function memberOf(entry: ZipEntry, name: string, key: string): SourceFile {
  const { name: named, size, packedSize: length, isDeflated, crc: checksum } = entry
  const packing = isDeflated ? 'deflated' : 'stored'
  return { name, named, size, key, offset: 0, length, packing, entry, checksum }
}

const isVideoFile = async (members: SourceListing, file: SourceFile) =>
  sniffFile(await members.head(file, sniffedBytes)).is === 'video'

const manifestOf = ({ archive, folder }: TaskMediaInput) =>
  archive.zip.files.get(`${folder}data/${manifestName}`)

async function readOwnManifest(input: TaskMediaInput): Promise<FrameManifest | undefined> {
  const { archive } = input
  const entry = manifestOf(input)
  if (!entry) return undefined
  // Its names are those of the members, relative to the folder of the media.
  return readManifest(manifestName, archive.zip.stream(entry))
}

interface Pictures extends RestoredMedia {
  counted: Counted
}

async function picturesOf(
  { folder: taskFolder, task, seed }: TaskMediaInput,
  members: SourceListing,
  manifest: FrameManifest | undefined,
  { report, signal, tmpDir, progress }: Deps,
): Promise<Pictures> {
  const related = relatedTo(members.files, manifest)
  const mapping = task.jobs.flatMap(({ type, files }) =>
    type === 'annotation' && files ? [{ files }] : [],
  )
  const orderParams = {
    sorting_method: manifest ? ('predefined' as const) : ('lexicographical' as const),
    job_file_mapping: task.data.custom_segments ? mapping : null,
  }
  const order = { listing: members, manifest, isArchive: true, seed, report, signal }
  const frames = await orderFiles(related.frames, orderParams, order)
  const counted: Counted = { seen: 0, count: 0 }
  const selection = selectionOf(task.data)
  const compared = { listing: members, manifest, report, folder: `${taskFolder}data/` }
  if (manifest) noteMissing(manifest, members.files, compared)
  const check = pictureCheck(compared)
  const about = { listing: members, related, selection, check, report, signal, progress }
  const names = namesIn(task)
  const lines = names.see(frameLines(frames, about, counted))
  const staged = await stageTexts(tmpDir, listName, lines, signal)
  return { ...foundMedia(staged, names), chunk_size: chunkSize(counted.first), counted }
}

const foundMedia = (frames: Staged, { numbers }: SeenNames) => ({
  frames,
  numbers,
  video_name: null,
})

interface SeenNames {
  numbers: Map<string, number>
  see: (lines: AsyncIterable<string>) => AsyncGenerator<string>
}

/** Collects the numbers of the frames that ground truth names. */
function namesIn({ data }: ArchivedTask): SeenNames {
  const namedFrames = new Set(data.validation_layout?.frames ?? [])
  const numbers = new Map<string, number>()
  return {
    numbers,
    see: async function* (lines) {
      let number = 0
      for await (const line of lines) {
        if (namedFrames.size > 0) {
          const { name } = JSON.parse(line)
          if (namedFrames.has(name)) numbers.set(name, number)
        }
        number += 1
        yield line
      }
    },
  }
}

async function videoOf(
  input: TaskMediaInput,
  {
    members,
    file,
    listed,
  }: { members: SourceListing; file: SourceFile; listed: ListedVideo | undefined },
  deps: Deps,
): Promise<RestoredMedia> {
  const key = `${input.prefix}video`
  const { size } = await deps.blobs.put(key, members.read(file), { signal: deps.signal })
  const video = toSourceFile(file.name, key, size)
  const { counted, ...media } = await framesOfVideo(input, video, listed?.length, deps)
  const title = fileTitle(file)
  assertEnough(counted, { task: input.task, title })
  const { first, total = 0 } = counted
  if (listed)
    compareVideo(listed, { size: first, length: total }, { report: deps.report, file: title })
  const chapters = taskChapters(counted, input.task.data, { report: deps.report, file: title })
  return { ...media, video_name: file.name, ...(chapters && { chapters }), chunk_size: 36 }
}

/**
 * Finds the frames of a video. Older versions counted pictures with equal times as one frame; so does a restore whose
 * manifest lists that number.
 */
async function framesOfVideo(
  input: TaskMediaInput,
  video: SourceFile,
  length: number | undefined,
  deps: Deps,
) {
  const found = await countFrames(input, video, {}, deps)
  if (length === undefined || (found.counted.total ?? 0) <= length) return found
  const merged = await countFrames(input, video, { mergesEqualTimes: true }, deps)
  return merged.counted.total === length ? merged : found
}

async function countFrames(
  { task, prefix }: TaskMediaInput,
  video: SourceFile,
  options: VideoProbeOptions,
  { videos, signal, tmpDir }: Deps,
) {
  const counted: Counted = { seen: 0, count: 0 }
  const name = options.mergesEqualTimes ? 'merged' : 'index'
  const about = {
    videos,
    selection: selectionOf(task.data),
    key: `${prefix}${name}`,
    signal,
    options,
  }
  const names = namesIn(task)
  const lines = names.see(videoLines(video, about, counted))
  const staged = await stageTexts(tmpDir, `${name}.${listName}`, lines, signal)
  return { ...foundMedia(staged, names), counted }
}

/**
 * Checks the number of frames.
 *
 * @throws UnusableInput for a video with fewer frames than its jobs need, naming it
 */
function assertEnough(
  { count }: Counted,
  { task: { jobs }, title }: { task: ArchivedTask; title: string },
): void {
  const last = jobs.map(({ type, stop_frame }) => (type === 'annotation' ? stop_frame : 0))
  const needed = Math.max(0, ...last) + 1
  if (count < needed)
    throw new UnusableInput(
      `${title}: the video has ${count} frames for the task, its jobs have ${needed}: it is cut off or another one`,
    )
}

/** Lists media that stays in a cloud storage, which the user assigns later. */
async function listedFrames(
  { archive, folder, task, task_id }: TaskMediaInput,
  manifest: FrameManifest | undefined,
  { tmpDir, signal }: Deps,
): Promise<RestoredMedia> {
  const file = `${folder}data/${manifestName}`
  if (!manifest) throw new UnusableInput(`${archive.file.name}: ${file} is missing`)
  const names = namesIn(task)
  const lines = names.see(listedLines(manifest, { ...task, task_id }, file))
  return {
    ...foundMedia(await stageTexts(tmpDir, listName, lines, signal), names),
    chunk_size: chunkSize(),
  }
}

async function* listedLines(
  { places, pictures, related, sizes }: FrameManifest,
  { data, task_id }: ArchivedTask & { task_id: number },
  file: string,
): AsyncGenerator<string> {
  const selection = selectionOf(data)
  let number = 0
  const imageOf = (name: string) => {
    const known = pictures.get(name)
    const length = sizes.get(name)
    if (!known || length === undefined)
      throw new FormatError(
        `width, height and size of '${name}' are needed: nothing else is there of it`,
        { file },
      )
    const { media_type, size } = known
    const key = bucketKey(task_id, name, length)
    const place = { key, offset: 0, length, packing: 'stored' } as const
    return { image: { name, ...place, media_type }, size }
  }
  for (const name of places.keys()) {
    if (!selection.has(number++)) continue
    const { image, size = { width: 0, height: 0 } } = imageOf(name)
    const files = (related.get(name) ?? []).map((one) => imageOf(one).image)
    yield encodeFrame({ ...image, ...size, ...(files.length > 0 && { related: { files } }) })
  }
}
