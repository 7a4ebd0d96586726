import { crc32 } from 'node:zlib'
import type { ZipEntry } from '@reticle/formats/archive/zip-reader'
import type { ReportCode, ReportWriter } from '@reticle/formats/report/conversion-report'
import { z } from 'zod'
import { createImageDecoder } from '../media/frames/decode.ts'
import { isUndecodable, undecodable } from '../media/frames/source.ts'
import { largestImageBytes } from '../media/image.ts'
import { isUnpackError } from '../media/media-bytes.ts'
import { type FrameManifest, linesOf } from '../operations/sources/manifest.ts'
import {
  type SourceFile,
  type SourceListing,
  wrongChecksum,
} from '../operations/sources/source-listing.ts'
import { gatherBytes } from '../storage/stored-file.ts'
import type { BackupArchive } from './read-archive.ts'

/** Comparison of the media of a backup with its manifest: a restore that changes a picture reports it. */

export interface PixelSize {
  width: number
  height: number
}

interface CompareDeps {
  listing: Pick<SourceListing, 'read'>
  manifest: FrameManifest | undefined
  report: ReportWriter
  /** Folder of the media in the archive, for the report. */
  folder: string
}

/** Number of pictures decoded at the same time; low, because other conversions run on the same machine. */
const concurrency = 2
/** Wait for a place, practically unlimited. */
const patienceMs = 24 * 3_600_000

/**
 * Creates a check that reports undecodable pictures, and pictures of another size than in the manifest. Both are
 * restored: the picture may have been damaged already in the task of the backup.
 *
 * @param size of a frame; the manifest lists no sizes of context images
 */
export function pictureCheck({ listing, manifest, report, folder }: CompareDeps) {
  const decode = createImageDecoder({ places: concurrency, patienceMs })
  return async (file: SourceFile, size?: PixelSize): Promise<void> => {
    const note = (code: ReportCode, reason: string) =>
      report.note('converted', code, reason, { file: `${folder}${file.name}` })
    const listed = manifest?.dimensions.get(file.name)
    if (size && listed && (size.width !== listed.width || size.height !== listed.height))
      note(
        'changed-image',
        `the image has ${shown(size)} pixels, the manifest lists ${shown(listed)}`,
      )
    let isIntact = true
    const read = async () => {
      const bytes = await bytesOf(file, listing)
      isIntact = file.checksum === undefined || crc32(bytes) === file.checksum
      return bytes
    }
    try {
      await decode(read, (image) => image.resize(1, 1, { fit: 'fill' }).raw())
    } catch (thrown) {
      if (!isUndecodable(thrown)) throw thrown
      note('damaged-image', 'the image cannot be decoded: it is damaged or cut off')
      return
    }
    if (!isIntact) note('damaged-image', wrongChecksum)
  }
}

const shown = ({ width, height }: PixelSize) => `${width} x ${height}`

async function bytesOf(file: SourceFile, listing: Pick<SourceListing, 'read'>): Promise<Buffer> {
  try {
    return await gatherBytes(listing.read(file), largestImageBytes)
  } catch (thrown) {
    throw isUnpackError(thrown) ? undecodable() : thrown
  }
}

/** Reports context images that the manifest lists but that the archive lacks. */
export function noteMissing(
  { related }: FrameManifest,
  files: readonly SourceFile[],
  { report, folder }: Pick<CompareDeps, 'report' | 'folder'>,
): void {
  const there = new Set(files.map(({ name }) => name))
  const reason = 'the manifest lists this context image, the archive does not have it'
  for (const name of new Set([...related.values()].flat()))
    if (!there.has(name))
      report.note('skipped', 'ignored-file', reason, { file: `${folder}${name}` })
}

const pixels = z.int().positive()
const properties = z.object({
  properties: z.object({
    resolution: z.tuple([pixels, pixels]).optional().catch(undefined),
    length: z.int().positive().optional().catch(undefined),
  }),
})

/** Properties of a video in its manifest. */
export interface ListedVideo {
  size?: PixelSize
  /** Number of pictures. */
  length?: number
}

const kindOfManifest = z.object({ type: z.literal('video') })

/**
 * Reads the manifest of a video; undefined for a manifest of images. Its second line states the kind, the third the
 * properties.
 */
export async function readListedVideo(
  { zip }: BackupArchive,
  entry: ZipEntry | undefined,
): Promise<ListedVideo | undefined> {
  if (!entry) return undefined
  const lines: unknown[] = []
  for await (const line of linesOf(entry.name, zip.stream(entry))) {
    lines.push(parsed(line))
    if (lines.length === 3) break
  }
  const [, kind, about] = lines
  if (!kindOfManifest.safeParse(kind).success) return undefined
  const { resolution, length } = properties.safeParse(about).data?.properties ?? {}
  const size = resolution && { width: resolution[0], height: resolution[1] }
  return { ...(size && { size }), ...(length !== undefined && { length }) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/**
 * Compares a video with its manifest.
 *
 * @param found actual properties of the video
 */
export function compareVideo(
  { size, length }: ListedVideo,
  found: { size: PixelSize | undefined; length: number },
  { report, file }: { report: ReportWriter; file: string },
): void {
  const note = (reason: string) => report.note('converted', 'changed-image', reason, { file })
  if (size && found.size && shown(size) !== shown(found.size))
    note(`the video has ${shown(found.size)} pixels, the manifest lists ${shown(size)}`)
  if (length !== undefined && length !== found.length)
    note(`the video has ${found.length} pictures, the manifest lists ${length}`)
}
