import { isManifest } from '@reticle/contracts/rest/sources'
import { headBytes, imageSize } from '@reticle/formats/image/size'
import { explainForeign, type ForeignKind, isMeantAsFrames } from '../../media/kinds/foreign.ts'
import { explainUnknown } from '../../media/kinds/foreign-marks.ts'
import { countPagesInHead } from '../../media/pages/count-pages.ts'
import type { FileKind } from '../../media/sniff.ts'
import { sniffedBytes, sniffFile } from '../../media/sniff.ts'
import { mapInBatches } from '../../storage/map-in-batches.ts'
import { isBucketKey } from '../../storage/with-buckets.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import { openArchive, type SourceArchiveDeps } from '../sources/archives.ts'
import { copyHere } from '../sources/bucket-copies.ts'
import { readShare } from '../sources/deps.ts'
import {
  createSourceListing,
  type SourceFile,
  type SourceListing,
} from '../sources/source-listing.ts'
import { firstOf } from './order.ts'
import { everyFrame, type Selection } from './selection.ts'

/** Media from which frames are made. */
export interface SourceMedia {
  /** Video that contains all frames; excludes other files. */
  video?: SourceFile
  /** PDF whose pages are the frames; excludes other files. */
  pdf?: SourceFile
  /** Files that may be pictures. */
  listing: SourceListing
  /** Manifest, the listing that contains it, and whether it is a member of the archive itself. */
  manifest?: { file: SourceFile; from: SourceListing; isOwn: boolean }
  isArchive: boolean
}

/** File that contains all the frames and therefore comes alone. */
interface SingleSourceFile {
  file: SourceFile
  kind: Exclude<FileKind, { is: 'image' | 'foreign' | 'unknown' }>
}

interface ClassifiedFiles {
  images: SourceFile[]
  alone: SingleSourceFile[]
  manifests: SourceFile[]
  /** Files of unsupported kinds that were meant as frames, by kind. */
  foreign: Map<ForeignKind, string[]>
}

/**
 * Sorts files into many images, one archive, one video or one PDF; each may come with a manifest. The kind of a file
 * follows from its bytes. Files of unknown kinds, texts, sound and models are left out.
 *
 * @throws UnusableInput for mixtures, and naming pictures, videos and archives of unsupported kinds; FormatError for a
 *   bad archive
 */
export async function classifyMedia(
  files: SourceFile[],
  deps: SourceArchiveDeps,
  selection: Selection = everyFrame,
): Promise<SourceMedia> {
  const allFiles = createSourceListing(files, deps.blobs)
  const { images, alone, manifests, foreign } = await classifyFiles(allFiles, deps, selection)
  if (foreign.size > 0) throw new UnusableInput(explainAll(foreign))
  assertOneKind(images, alone)
  const [one] = alone
  const [manifest, second] = manifests
  if (second) throw new UnusableInput(tooManyManifests(manifests.length))
  const ownManifest = manifest && { manifest: { file: manifest, from: allFiles, isOwn: false } }
  if (!one) return { listing: { ...allFiles, files: images }, ...ownManifest, isArchive: false }
  const file = await fetchFromBucket(one.file, deps)
  if (one.kind.is === 'video')
    return { listing: { ...allFiles, files: [] }, video: file, isArchive: false }
  if (one.kind.is === 'pdf')
    return { listing: { ...allFiles, files: [] }, pdf: file, ...ownManifest, isArchive: false }
  const members = await openArchive(file, one.kind, deps)
  return { ...withOwnManifest(members), ...ownManifest, isArchive: true }
}

const tooManyManifests = (count: number) =>
  `Only one manifest (*.jsonl) can be used, but there are ${count}`

/** Formats one sentence per kind, with the names of its files. */
const explainAll = (foreign: ReadonlyMap<ForeignKind, string[]>): string =>
  [...foreign].map(([kind, names]) => `${firstOf(names)}: ${explainForeign(kind)}`).join('. ')

/** Copies a file out of the cloud storage if it needs random access. */
async function fetchFromBucket(file: SourceFile, deps: SourceArchiveDeps): Promise<SourceFile> {
  if (!isBucketKey(file.key)) return file
  if (file.size > deps.limits.bytes)
    throw new UnusableInput(
      `${file.name}: the file has ${file.size} bytes, at most ${deps.limits.bytes} are fetched`,
    )
  deps.progress(0, 'Fetching files')
  const [copy = file] = await copyHere([file], 'fetched', deps)
  return copy
}

async function classifyFiles(
  allFiles: SourceListing,
  { report, signal, progress }: SourceArchiveDeps,
  selection: Selection,
): Promise<ClassifiedFiles> {
  const classified: ClassifiedFiles = { images: [], alone: [], manifests: [], foreign: new Map() }
  const count = allFiles.files.length
  for await (const [file, kind, index] of mapInBatches(
    allFiles.files,
    (one) => detectKind(one, allFiles, selection),
    signal,
  )) {
    progress((readShare * index) / count, 'Reading images')
    if (kind.is === 'image') classified.images.push(file)
    else if (kind.is === 'unknown') {
      if (isManifest(file.name)) classified.manifests.push(file)
      else leaveOut(file, explainUnknown(file.name, whatIsRead(file)), report)
    } else if (kind.is !== 'foreign') classified.alone.push({ file, kind })
    else if (isMeantAsFrames(kind.foreign))
      addTo(classified.foreign, kind.foreign, file.named ?? file.name)
    else leaveOut(file, explainForeign(kind.foreign), report)
  }
  return classified
}

function addTo(foreign: ClassifiedFiles['foreign'], kind: ForeignKind, name: string): void {
  const names = foreign.get(kind)
  if (names) names.push(name)
  else foreign.set(kind, [name])
}

/**
 * Detects the kind of a file. When all pictures are frames, reads enough bytes for the size as well, so that each file
 * is opened once.
 */
async function detectKind(
  file: SourceFile,
  { head }: SourceListing,
  { isAll }: Selection,
): Promise<FileKind> {
  if (file.known) return { is: 'image', media_type: file.known.media_type }
  const begin = await head(file, isAll ? headBytes : sniffedBytes)
  const kind = sniffFile(begin.subarray(0, sniffedBytes))
  if (!isAll || kind.is !== 'image') return kind
  const { media_type } = kind
  const size = await imageSize(begin).catch(() => undefined)
  if (!size) return kind
  const pages = (await countPagesInHead(begin, file.size, media_type)) ?? 'uncounted'
  file.known = pages === 1 ? { media_type, size } : { media_type, size, pages }
  return kind
}

const whatIsRead = ({ named }: SourceFile): string =>
  named === undefined ? 'unknown file type' : 'this is no image, archive, video or PDF'

/**
 * Leaves out a file.
 *
 * @throws UnusableInput for a file that the request names
 */
function leaveOut(file: SourceFile, reason: string, report: SourceArchiveDeps['report']): void {
  if (file.named !== undefined) throw new UnusableInput(`${file.named}: ${reason}`)
  ignore(report, file.name, reason)
}

function assertOneKind(images: readonly SourceFile[], alone: readonly SingleSourceFile[]): void {
  if (alone.length === 0 || (alone.length === 1 && images.length === 0)) return
  const counts = new Map<string, number>()
  for (const { kind } of alone) {
    const name = nameOf(kind)
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  if (images.length > 0) counts.set('image', images.length)
  const classified = [...counts].map(([name, count]) => `${count} ${name}${count > 1 ? 's' : ''}`)
  throw new UnusableInput(
    `Only one zip, video, pdf or archive or many images can be used simultaneously, but there are ${classified.join(' and ')}`,
  )
}

function nameOf(kind: SingleSourceFile['kind']): string {
  return kind.is === 'tar' || kind.is === 'packed' ? 'archive' : kind.is
}

/** Finds the manifest in the archive itself, when it is the only one. */
function withOwnManifest(members: SourceListing): Pick<SourceMedia, 'listing' | 'manifest'> {
  const [file, second] = members.files.filter(({ name }) => isManifest(name))
  if (!file || second) return { listing: members }
  const files = members.files.filter((one) => one !== file)
  return { listing: { ...members, files }, manifest: { file, from: members, isOwn: true } }
}
