import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { ZipEntry } from '@reticle/formats/archive/zip-reader'
import { FormatError } from '@reticle/formats/errors'
import type { ReportWriter } from '@reticle/formats/report'
import { bucketKey } from '../buckets/with-buckets.ts'
import { sniff, sniffedBytes } from '../media/sniff.ts'
import { chunkSize } from '../operations/find-frames.ts'
import { type OperationDeps, UnusableInput } from '../operations/operation.ts'
import { type Staged, stage } from '../operations/staging.ts'
import { type Found, type Listing, listing, wholeObject } from '../sources/found.ts'
import { type Counted, frameLines } from '../sources/frame-lines.ts'
import { type Manifest, readManifest } from '../sources/manifest.ts'
import { inOrder } from '../sources/order.ts'
import { relatedTo } from '../sources/related.ts'
import { selectionOf } from '../sources/selection.ts'
import { videoLines } from '../sources/video-lines.ts'
import type { BackupArchive } from './read-archive.ts'
import type { ArchivedTask, FoundMedia } from './read-task.ts'

/** One task of an archive. */
export interface MediaWanted {
  archive: BackupArchive
  folder: string
  task: ArchivedTask
  /** What it becomes. */
  task_id: number
  /** Equal seeds give equal frames. */
  seed: string
  /** Below this key lies what is made of the files. */
  prefix: string
}

type Deps = Pick<OperationDeps, 'blobs' | 'videos' | 'tmpDir' | 'signal'> & {
  report: ReportWriter
  /** Told the share of the files that was looked at. */
  progress: (share: number) => void
}

export interface RestoredMedia extends FoundMedia {
  frames: Staged
}

const manifestName = 'manifest.jsonl'
/** Frames of one task at a time are staged under this name. */
const listName = 'frames.lines'
/** Beside the media, but none. */
const others = new Set([manifestName, 'index.json'])

/**
 * Finds the frames of a task in its archive: pictures are read where they lie, a video becomes an object of its own, and what
 * stays in a cloud storage is only listed (`spec/api-workspace.md` 7).
 *
 * @throws UnusableInput, FormatError
 */
export async function findMedia(wanted: MediaWanted, deps: Deps): Promise<RestoredMedia> {
  const { archive, task } = wanted
  const members = membersOf(wanted, deps)
  const manifestOf = () => readOwnManifest(wanted)
  const [only, second] = members.files
  if (task.data.storage === 'cloud_storage' && !only)
    return listed(wanted, await manifestOf(), deps)
  const isVideo = only && !second && (await isVideoFile(members, only))
  if (isVideo) return videoOf(wanted, { members, file: only }, deps)
  const found = await picturesOf(wanted, members, await manifestOf(), deps)
  if (found.counted.count > 0) return found
  throw new UnusableInput(`${archive.file.name}: ${wanted.folder}data: No media data found`)
}

function membersOf({ archive, folder }: MediaWanted, { blobs }: Pick<Deps, 'blobs'>): Listing {
  const { zip, file } = archive
  const root = `${folder}data/`
  const files = [...zip.files.values()].flatMap((entry) => {
    const name = entry.name.slice(root.length)
    return entry.name.startsWith(root) && !others.has(name) ? [memberOf(entry, name, file.key)] : []
  })
  return listing(files, blobs, { source: zip.source, zip })
}

function memberOf(entry: ZipEntry, name: string, key: string): Found {
  const { size, packedSize: length, isDeflated } = entry
  return { name, size, key, offset: 0, length, packing: isDeflated ? 'deflated' : 'stored', entry }
}

const isVideoFile = async (members: Listing, file: Found) =>
  sniff(await members.head(file, sniffedBytes)).is === 'video'

async function readOwnManifest({ archive, folder }: MediaWanted): Promise<Manifest | undefined> {
  const name = `${folder}data/${manifestName}`
  const entry = archive.zip.files.get(name)
  if (!entry) return undefined
  // Names in it are those of the members, from the folder of the media on.
  return readManifest(manifestName, archive.zip.stream(entry))
}

interface Pictures extends RestoredMedia {
  counted: Counted
}

async function picturesOf(
  { task, seed }: MediaWanted,
  members: Listing,
  manifest: Manifest | undefined,
  { report, signal, tmpDir, progress }: Deps,
): Promise<Pictures> {
  const related = relatedTo(members.files, manifest)
  const mapping = task.jobs.flatMap(({ type, files }) =>
    type === 'annotation' && files ? [{ files }] : [],
  )
  const asked = {
    sorting_method: manifest ? ('predefined' as const) : ('lexicographical' as const),
    job_file_mapping: task.data.custom_segments ? mapping : null,
  }
  const order = { listing: members, manifest, isArchive: true, seed, report, signal }
  const frames = await inOrder(related.frames, asked, order)
  const counted: Counted = { seen: 0, count: 0 }
  const selection = selectionOf(task.data)
  const listedBy = asked.job_file_mapping ? 'job_file_mapping' : undefined
  const about = { listing: members, related, selection, listedBy, report, signal, progress }
  const names = namesIn(task)
  const lines = names.see(frameLines(frames, about, counted))
  const staged = await stage(tmpDir, listName, lines, signal)
  return { ...foundMedia(staged, names), chunk_size: chunkSize(counted.first), counted }
}

const foundMedia = (frames: Staged, { numbers }: SeenNames) => ({
  ...{ frames, numbers, video_name: null },
})

interface SeenNames {
  numbers: Map<string, number>
  see: (lines: AsyncIterable<string>) => AsyncGenerator<string>
}

/** Numbers of the frames that ground truth names. */
function namesIn({ data }: ArchivedTask): SeenNames {
  const wanted = new Set(data.validation_layout?.frames ?? [])
  const numbers = new Map<string, number>()
  return {
    numbers,
    see: async function* (lines) {
      let number = 0
      for await (const line of lines) {
        if (wanted.size > 0) {
          const { name } = JSON.parse(line)
          if (wanted.has(name)) numbers.set(name, number)
        }
        number += 1
        yield line
      }
    },
  }
}

async function videoOf(
  { task, prefix }: MediaWanted,
  { members, file }: { members: Listing; file: Found },
  { blobs, videos, signal, tmpDir }: Deps,
): Promise<RestoredMedia> {
  const key = `${prefix}video`
  const { size } = await blobs.put(key, members.read(file), { signal })
  const counted: Counted = { seen: 0, count: 0 }
  const about = { videos, selection: selectionOf(task.data), key: `${prefix}index`, signal }
  const names = namesIn(task)
  const lines = names.see(videoLines(wholeObject(file.name, key, size), about, counted))
  const staged = await stage(tmpDir, listName, lines, signal)
  if (counted.count === 0) throw new UnusableInput(`${file.name}: No media data found`)
  return { ...foundMedia(staged, names), video_name: file.name, chunk_size: 36 }
}

/** Media that stays in a cloud storage: which one that is, somebody says later. */
async function listed(
  { archive, folder, task, task_id }: MediaWanted,
  manifest: Manifest | undefined,
  { tmpDir, signal }: Deps,
): Promise<RestoredMedia> {
  const file = `${folder}data/${manifestName}`
  if (!manifest) throw new UnusableInput(`${archive.file.name}: ${file} is missing`)
  const names = namesIn(task)
  const lines = names.see(listedLines(manifest, { ...task, task_id }, file))
  return {
    ...foundMedia(await stage(tmpDir, listName, lines, signal), names),
    chunk_size: chunkSize(),
  }
}

async function* listedLines(
  { places, pictures, related, sizes }: Manifest,
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
    const place = { key: bucketKey(task_id, name), offset: 0, length, packing: 'stored' } as const
    return { image: { name, ...place, media_type }, size }
  }
  for (const name of places.keys()) {
    if (!selection.has(number++)) continue
    const { image, size = { width: 0, height: 0 } } = imageOf(name)
    const files = (related.get(name) ?? []).map((one) => imageOf(one).image)
    yield encodeFrame({ ...image, ...size, ...(files.length > 0 && { related: { files } }) })
  }
}
