import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { readPieces } from '@reticle/formats/archive/source'
import { type ArchiveLimits, openZip } from '@reticle/formats/archive/zip-reader'
import type { ReportWriter } from '@reticle/formats/report'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/pieces'
import { UnusableInput } from '../operations/operation.ts'
import { blobSource } from './blob-source.ts'
import { gather, isUnpackError, type Place, unpack } from './packed.ts'
import { sniff, sniffedBytes } from './sniff.ts'

/** A file that may be a picture: where its bytes are, and how to read the first of them. */
export interface Candidate {
  name: string
  /** It has a place in a job already, and so has to be a picture. */
  isListed?: boolean
  /** Bytes of the picture itself. */
  size: number
  /** Where its bytes lie in the store; of a member of an archive known only after looking. */
  place: () => Promise<Place>
  /** The first `bytes` of the picture, or all of it when it is shorter. */
  head: (bytes: number) => Promise<Uint8Array>
}

interface Deps {
  blobs: Pick<BlobStore, 'get'>
  limits: ArchiveLimits
  report: ReportWriter
}

/**
 * What was uploaded, as a list of files that may be pictures: many images, or the members of one zip archive. An archive is
 * not unpacked; its members are read where they lie.
 *
 * @throws UnusableInput for mixtures and for media that is known but not supported; FormatError for a bad archive
 */
export async function findCandidates(
  files: readonly UploadedFile[],
  deps: Deps,
): Promise<Candidate[]> {
  const images: Candidate[] = []
  const archives: UploadedFile[] = []
  for (const file of files) {
    const candidate = plainFile(file, deps.blobs)
    const kind = sniff(await candidate.head(sniffedBytes))
    if (kind.is === 'image') images.push(candidate)
    if (kind.is === 'zip') archives.push(file)
    if (kind.is === 'unsupported') throw unsupported(kind.media_type)
    if (kind.is === 'unknown') ignore(deps.report, file.name, 'unknown file type')
  }
  const [archive] = archives
  if (!archive) return images
  if (archives.length > 1 || images.length > 0)
    throw new UnusableInput('Only one zip archive or many images can be used simultaneously')
  return members(archive, deps)
}

export const ignore = (report: ReportWriter, file: string, reason: string) =>
  report.note('skipped', 'ignored-file', reason, { file })

const unsupported = (media_type: string) =>
  new UnusableInput(`Media type '${media_type}' is not supported by this installation`)

function plainFile({ name, key, size }: UploadedFile, blobs: Deps['blobs']): Candidate {
  const source = blobSource(blobs, { key, size })
  return {
    name,
    size,
    place: async () => ({ key, offset: 0, length: size, packing: 'stored' }),
    head: (bytes) => source.read(0, Math.min(bytes, size)),
  }
}

async function members(
  archive: UploadedFile,
  { blobs, limits, report }: Deps,
): Promise<Candidate[]> {
  const zip = await openZip(blobSource(blobs, archive), limits)
  for (const file of zip.duplicates)
    report.note('skipped', 'duplicate-entry', 'the archive has a later file of that name', { file })
  return [...zip.files.values()].map((entry) => {
    const { name, size, packedSize: length, isDeflated } = entry
    const packing = isDeflated ? 'deflated' : 'stored'
    let start: Promise<number> | undefined
    const startOf = () => {
      start ??= zip.dataStart(entry)
      return start
    }
    return {
      name,
      size,
      place: async () => ({ key: archive.key, offset: await startOf(), length, packing }),
      head: async (bytes) => {
        const from = await startOf()
        const packed = readPieces(zip.source, from, from + length, pieceBytes)
        return gather(unpack(packed, packing), bytes).catch((thrown) => {
          throw isUnpackError(thrown)
            ? new UnusableInput(`${name}: the file cannot be unpacked`)
            : thrown
        })
      },
    }
  })
}
