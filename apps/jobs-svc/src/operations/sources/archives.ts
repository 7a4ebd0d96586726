import { readAhead, readPieces } from '@reticle/formats/archive/source'
import { isTarHeader, openTar } from '@reticle/formats/archive/tar-reader'
import { openZip } from '@reticle/formats/archive/zip-reader'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { pieceBytes } from '@reticle/kit/call/pieces'
import { type FileKind, sniffedBytes } from '../../media/sniff.ts'
import { blobSource, gatherBytes } from '../../storage/stored-file.ts'
import { UnusableInput } from '../../work/errors.ts'
import type { SourceDeps } from './deps.ts'
import { createSourceListing, type SourceFile, type SourceListing } from './source-listing.ts'
import { unpackPieces, unpackToObject } from './unpack.ts'

export type SourceArchiveDeps = Pick<
  SourceDeps,
  'blobs' | 'limits' | 'signal' | 'progress' | 'report' | 'prefix'
>

export type ArchiveKind = Extract<FileKind, { is: 'zip' | 'tar' | 'packed' }>

/**
 * Opens an archive, whose members are read in place. One that is compressed as a whole is unpacked once into a separate
 * object, because it allows no random access.
 *
 * @throws FormatError for a bad archive, UnusableInput for a single compressed file
 */
export async function openArchive(
  file: SourceFile,
  kind: ArchiveKind,
  deps: SourceArchiveDeps,
): Promise<SourceListing> {
  if (kind.is === 'zip') return zipMembers(file, deps)
  if (kind.is === 'tar') return tarMembers(file, deps)
  const source = blobSource(deps.blobs, file)
  const begin = readPieces(source, 0, file.size, pieceBytes)
  if (!isTarHeader(await gatherBytes(unpackPieces(begin, kind.by, file.name), sniffedBytes)))
    throw new UnusableInput(`${file.name}: what is packed in it is no tar archive`)
  deps.progress(0, 'Unpacking the archive')
  return tarMembers(await unpackToObject(file, kind.by, deps), deps)
}

async function zipMembers(
  file: SourceFile,
  { blobs, limits, report }: SourceArchiveDeps,
): Promise<SourceListing> {
  const zip = await openZip(blobSource(blobs, file), limits)
  noteDuplicates(report, zip.duplicates)
  const files: SourceFile[] = []
  for (const entry of zip.files.values()) {
    const { name, size, packedSize: length, isDeflated, crc: checksum } = entry
    const packing = isDeflated ? 'deflated' : 'stored'
    files.push({ name, size, key: file.key, offset: 0, length, packing, entry, checksum })
  }
  return createSourceListing(files, blobs, { source: zip.source, zip })
}

async function tarMembers(
  file: SourceFile,
  { blobs, limits, report }: SourceArchiveDeps,
): Promise<SourceListing> {
  const source = blobSource(blobs, file)
  const tar = await openTar(source, limits)
  noteDuplicates(report, tar.duplicates)
  const files: SourceFile[] = []
  for (const { name, size, start } of tar.files.values())
    files.push({ name, size, key: file.key, offset: start, length: size, packing: 'stored' })
  return createSourceListing(files, blobs, { source: readAhead(source) })
}

function noteDuplicates(report: ReportWriter, names: readonly string[]): void {
  for (const file of names)
    report.note('skipped', 'duplicate-entry', 'the archive has a later file of that name', { file })
}
