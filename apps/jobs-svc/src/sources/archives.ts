import { readAhead, readPieces } from '@reticle/formats/archive/source'
import { isTarHeader, openTar } from '@reticle/formats/archive/tar-reader'
import { openZip } from '@reticle/formats/archive/zip-reader'
import type { ReportWriter } from '@reticle/formats/report'
import { pieceBytes } from '@reticle/kit/pieces'
import { blobSource } from '../media/blob-source.ts'
import { gather } from '../media/packed.ts'
import { type Kind, sniffedBytes } from '../media/sniff.ts'
import { UnusableInput } from '../operations/operation.ts'
import type { SourceDeps } from './deps.ts'
import { type Found, type Listing, listing } from './found.ts'
import { unpacked, unpackedPieces } from './unpacked.ts'

export type ArchiveDeps = Pick<
  SourceDeps,
  'blobs' | 'limits' | 'signal' | 'progress' | 'report' | 'prefix'
>

export type ArchiveKind = Extract<Kind, { is: 'zip' | 'tar' | 'packed' }>

/**
 * Opens an archive, whose members are read in place. One that is compressed as a whole is unpacked once into a separate
 * object, because it allows no random access.
 *
 * @throws FormatError for a bad archive, UnusableInput for a single compressed file
 */
export async function openArchive(
  file: Found,
  kind: ArchiveKind,
  deps: ArchiveDeps,
): Promise<Listing> {
  if (kind.is === 'zip') return zipMembers(file, deps)
  if (kind.is === 'tar') return tarMembers(file, deps)
  const source = blobSource(deps.blobs, file)
  const begin = readPieces(source, 0, file.size, pieceBytes)
  if (!isTarHeader(await gather(unpackedPieces(begin, kind.by, file.name), sniffedBytes)))
    throw new UnusableInput(`${file.name}: what is packed in it is no tar archive`)
  deps.progress(0, 'Unpacking the archive')
  return tarMembers(await unpacked(file, kind.by, deps), deps)
}

async function zipMembers(file: Found, { blobs, limits, report }: ArchiveDeps): Promise<Listing> {
  const zip = await openZip(blobSource(blobs, file), limits)
  noteDuplicates(report, zip.duplicates)
  const files: Found[] = []
  for (const entry of zip.files.values()) {
    const { name, size, packedSize: length, isDeflated, crc: checksum } = entry
    const packing = isDeflated ? 'deflated' : 'stored'
    files.push({ name, size, key: file.key, offset: 0, length, packing, entry, checksum })
  }
  return listing(files, blobs, { source: zip.source, zip })
}

async function tarMembers(file: Found, { blobs, limits, report }: ArchiveDeps): Promise<Listing> {
  const source = blobSource(blobs, file)
  const tar = await openTar(source, limits)
  noteDuplicates(report, tar.duplicates)
  const files: Found[] = []
  for (const { name, size, start } of tar.files.values())
    files.push({ name, size, key: file.key, offset: start, length: size, packing: 'stored' })
  return listing(files, blobs, { source: readAhead(source) })
}

function noteDuplicates(report: ReportWriter, names: readonly string[]): void {
  for (const file of names)
    report.note('skipped', 'duplicate-entry', 'the archive has a later file of that name', { file })
}
