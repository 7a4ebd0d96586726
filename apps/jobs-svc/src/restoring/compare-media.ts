import type { ZipEntry } from '@reticle/formats/archive/zip-reader'
import type { ReportCode, ReportWriter } from '@reticle/formats/report'
import { z } from 'zod'
import { openDecoder } from '../frames/decode.ts'
import { isUndecodable, undecodable } from '../frames/source.ts'
import { largestImageBytes } from '../media/image.ts'
import { gather, isUnpackError } from '../media/packed.ts'
import { type Found, type Listing, wrongChecksum } from '../sources/found.ts'
import { linesOf, type Manifest } from '../sources/manifest.ts'
import type { BackupArchive } from './read-archive.ts'

/** Media of a backup is compared with the manifest beside it: a restore that changes a picture reports so. */

export interface Pixels {
  width: number
  height: number
}

interface CompareDeps {
  listing: Pick<Listing, 'read' | 'matchesChecksum'>
  manifest: Manifest | undefined
  report: ReportWriter
  /** Of the media in the archive, for the report. */
  folder: string
}

/** Pictures that are decoded at once: other conversions run beside this one. */
const places = 2
/** Pictures wait for one another for as long as it takes. */
const patienceMs = 24 * 3_600_000

/**
 * Reports a picture that cannot be decoded, and one of another size than the manifest lists. Both are restored: the picture may
 * have been damaged already in the task of the backup.
 *
 * @param size of a frame; images beside frames have none in the manifest
 */
export function pictureCheck({ listing, manifest, report, folder }: CompareDeps) {
  const decode = openDecoder({ places, patienceMs })
  return async (file: Found, size?: Pixels): Promise<void> => {
    const note = (code: ReportCode, reason: string) =>
      report.note('converted', code, reason, { file: `${folder}${file.name}` })
    const listed = manifest?.dimensions.get(file.name)
    if (size && listed && (size.width !== listed.width || size.height !== listed.height))
      note(
        'changed-image',
        `the image has ${shown(size)} pixels, the manifest lists ${shown(listed)}`,
      )
    try {
      await decode(
        () => bytesOf(file, listing),
        (image) => image.resize(1, 1, { fit: 'fill' }).raw(),
      )
    } catch (thrown) {
      if (!isUndecodable(thrown)) throw thrown
      note('damaged-image', 'the image cannot be decoded: it is damaged or cut off')
      return
    }
    if (!(await listing.matchesChecksum(file))) note('damaged-image', wrongChecksum)
  }
}

const shown = ({ width, height }: Pixels) => `${width} x ${height}`

async function bytesOf(file: Found, listing: Pick<Listing, 'read'>): Promise<Buffer> {
  try {
    return await gather(listing.read(file), largestImageBytes)
  } catch (thrown) {
    throw isUnpackError(thrown) ? undecodable() : thrown
  }
}

/** Reports context images that the manifest lists and the archive does not have. */
export function noteMissing(
  { related }: Manifest,
  files: readonly Found[],
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

/** What the manifest of a video lists. */
export interface ListedVideo {
  size?: Pixels
  /** Pictures. */
  length?: number
}

const kindOfManifest = z.object({ type: z.literal('video') })

/** Undefined where the manifest is not of a video. Its second line has the kind, the third the properties of the video. */
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

/** @param found what the video has */
export function compareVideo(
  { size, length }: ListedVideo,
  found: { size: Pixels | undefined; length: number },
  { report, file }: { report: ReportWriter; file: string },
): void {
  const note = (reason: string) => report.note('converted', 'changed-image', reason, { file })
  if (size && found.size && shown(size) !== shown(found.size))
    note(`the video has ${shown(found.size)} pixels, the manifest lists ${shown(size)}`)
  if (length !== undefined && length !== found.length)
    note(`the video has ${found.length} pictures, the manifest lists ${length}`)
}
