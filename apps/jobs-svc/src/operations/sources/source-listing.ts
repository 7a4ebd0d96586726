import { crc32 } from 'node:zlib'
import { type RandomAccess, readPieces, sourceOf } from '@reticle/formats/archive/source'
import type { ZipEntry, ZipReader } from '@reticle/formats/archive/zip-reader'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/call/pieces'
import {
  isTooLarge,
  isUnpackError,
  type MediaLocation,
  openMediaBytes,
  unpackMember,
} from '../../media/media-bytes.ts'
import { blobSource, gatherBytes } from '../../storage/stored-file.ts'
import { UnusableInput } from '../../work/errors.ts'

/** File that may be a picture. There may be a million of them, so it has only the necessary fields. */
export interface SourceFile extends MediaLocation {
  name: string
  /** Size of the file in bytes; `length` counts the stored bytes. */
  size: number
  /**
   * Name by which the request lists this file itself, not only its folder. Such a file is never left out: it has to be
   * media.
   */
  named?: string
  /** Known facts of a picture, which is then not opened. */
  known?: KnownPicture
  /** Member of a zip archive whose data offset is not known yet. */
  entry?: ZipEntry | undefined
  /** CRC-32 of the file, as stored in its archive. */
  checksum?: number
}

export interface KnownPicture {
  media_type: string
  /** Pixels, EXIF orientation applied; absent: unknown. */
  size?: { width: number; height: number }
  /**
   * Pages, of which the first is the frame; absent: one, or a manifest describes the picture, so that it is not opened.
   */
  pages?: number | 'uncounted'
}

/** Returns the name of a file in messages. */
export const fileTitle = ({ named, name }: Pick<SourceFile, 'named' | 'name'>): string =>
  named ?? name

/** Files of one listing, and functions to read them. */
export interface SourceListing {
  files: SourceFile[]
  place: (file: SourceFile) => Promise<MediaLocation>
  /** Reads the first `bytes` of a file, or all of a shorter one. */
  head: (file: SourceFile, bytes: number) => Promise<Uint8Array>
  /** Reads a whole file in pieces. */
  read: (file: SourceFile) => AsyncIterable<Uint8Array>
  /** Opens a file for random access. A compressed file is read whole at once. */
  source: (file: SourceFile) => Promise<RandomAccess>
  /** Reads all of a file. Returns false when its bytes do not match the checksum in its archive, true without one. */
  matchesChecksum: (file: SourceFile) => Promise<boolean>
}

/** Archive whose members are read in place. */
export interface Archive {
  source: RandomAccess
  zip?: ZipReader
}

export const toSourceFile = (name: string, key: string, size: number): SourceFile => ({
  name,
  size,
  key,
  offset: 0,
  length: size,
  packing: 'stored',
})

/**
 * Creates the listing of files.
 *
 * @param archive archive that contains all the files
 */
export function createSourceListing(
  files: SourceFile[],
  blobs: Pick<BlobStore, 'get'>,
  archive?: Archive,
): SourceListing {
  const found = async (file: SourceFile): Promise<SourceFile> => {
    if (file.entry && archive?.zip) {
      file.offset = await archive.zip.dataStart(file.entry)
      file.entry = undefined
    }
    return file
  }
  const place = async (file: SourceFile): Promise<MediaLocation> => {
    const { key, offset, length, packing } = await found(file)
    return { key, offset, length, packing }
  }
  const stored = ({ key, offset, length }: SourceFile): RandomAccess =>
    archive?.source ?? blobSource(blobs, { key, size: offset + length })
  const unpackedPieces = (file: SourceFile): AsyncIterable<Uint8Array> => {
    const { size, offset, length, packing } = file
    return unpackMember(
      readPieces(stored(file), offset, offset + length, pieceBytes),
      packing,
      size,
    )
  }
  return {
    files,
    place,
    head: async (file, bytes) => {
      const { name, size, offset, packing } = await found(file)
      if (packing === 'stored') return stored(file).read(offset, offset + Math.min(bytes, size))
      return gatherBytes(unpackedPieces(file), bytes).catch((thrown) => {
        throw isUnpackError(thrown)
          ? new UnusableInput(formatUnpackError(name, size, thrown))
          : thrown
      })
    },
    read: async function* (file) {
      yield* await openMediaBytes(blobs, await place(file))
    },
    source: async (file) => {
      const { size, offset, packing } = await found(file)
      if (packing !== 'stored')
        return sourceOf(await gatherBytes(await openMediaBytes(blobs, await place(file))))
      const whole = stored(file)
      return { size, read: (start, end) => whole.read(offset + start, offset + end) }
    },
    matchesChecksum: async (file) => {
      if (file.checksum === undefined) return true
      try {
        let checksum = 0
        for await (const piece of unpackedPieces(await found(file)))
          checksum = crc32(piece, checksum)
        return checksum === file.checksum
      } catch (thrown) {
        if (isUnpackError(thrown)) return false
        throw thrown
      }
    },
  }
}

const formatUnpackError = (name: string, size: number, thrown: unknown) =>
  isTooLarge(thrown)
    ? `${name}: the file is larger than the ${size} bytes that the archive tells`
    : `${name}: the file cannot be unpacked`

export const wrongChecksum = 'the image does not match the checksum in its archive: it is damaged'

/**
 * Reports an image whose bytes do not match the checksum of its ZIP archive. Its frame is created all the same, so that
 * the other frames keep their numbers.
 */
export function createChecksumCheck(
  { matchesChecksum }: Pick<SourceListing, 'matchesChecksum'>,
  report: ReportWriter,
) {
  return async (file: SourceFile): Promise<void> => {
    if (await matchesChecksum(file)) return
    report.note('converted', 'damaged-image', wrongChecksum, { file: fileTitle(file) })
  }
}
