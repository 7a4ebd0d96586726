import { type RandomAccess, readPieces, sourceOf } from '@reticle/formats/archive/source'
import type { ZipEntry, ZipReader } from '@reticle/formats/archive/zip-reader'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { pieceBytes } from '@reticle/kit/pieces'
import { blobSource } from '../media/blob-source.ts'
import {
  gather,
  isTooLarge,
  isUnpackError,
  openPlace,
  type Place,
  unpack,
} from '../media/packed.ts'
import { UnusableInput } from '../operations/operation.ts'

/** A file that may be a picture. There may be a million of them, so that it is nothing but what has to be known. */
export interface Found extends Place {
  name: string
  /** Bytes of the file itself; `length` counts those that are stored. */
  size: number
  /** How the request names this file itself, and not only a folder of it. Such a file is never left out: it has to be media. */
  named?: string
  /** Of a picture that somebody has looked at before: it is not opened. */
  known?: KnownPicture
  /** The member of a zip archive of which nobody knows yet where its bytes begin. */
  entry?: ZipEntry | undefined
}

export interface KnownPicture {
  media_type: string
  /** Pixels, EXIF orientation applied; absent: nobody knows. */
  size?: { width: number; height: number }
  /** Of which the first is the frame; absent: one, or a manifest describes the picture, so that it is not opened. */
  pages?: number | 'uncounted'
}

/** What messages call a file. */
export const titleOf = ({ named, name }: Pick<Found, 'named' | 'name'>): string => named ?? name

/** Files of one listing, and how their bytes are read. */
export interface Listing {
  files: Found[]
  place: (file: Found) => Promise<Place>
  /** The first `bytes` of a file, or all of it when it is shorter. */
  head: (file: Found, bytes: number) => Promise<Uint8Array>
  /** All of it in pieces. */
  read: (file: Found) => AsyncIterable<Uint8Array>
  /** Any part of it. A file that is packed is read as a whole at once. */
  source: (file: Found) => Promise<RandomAccess>
}

/** An archive whose members are read where they lie. */
export interface Archive {
  source: RandomAccess
  zip?: ZipReader
}

export const wholeObject = (name: string, key: string, size: number): Found => ({
  name,
  size,
  key,
  offset: 0,
  length: size,
  packing: 'stored',
})

/** @param archive what all the files are members of */
export function listing(files: Found[], blobs: Pick<BlobStore, 'get'>, archive?: Archive): Listing {
  const found = async (file: Found): Promise<Found> => {
    if (file.entry && archive?.zip) {
      file.offset = await archive.zip.dataStart(file.entry)
      file.entry = undefined
    }
    return file
  }
  const place = async (file: Found): Promise<Place> => {
    const { key, offset, length, packing } = await found(file)
    return { key, offset, length, packing }
  }
  return {
    files,
    place,
    head: async (file, bytes) => {
      const { name, key, size, offset, length, packing } = await found(file)
      const source = archive?.source ?? blobSource(blobs, { key, size: offset + length })
      if (packing === 'stored') return source.read(offset, offset + Math.min(bytes, size))
      const packed = readPieces(source, offset, offset + length, pieceBytes)
      return gather(unpack(packed, packing, size), bytes).catch((thrown) => {
        throw isUnpackError(thrown) ? new UnusableInput(notUnpacked(name, size, thrown)) : thrown
      })
    },
    read: async function* (file) {
      yield* await openPlace(blobs, await place(file))
    },
    source: async (file) => {
      const { key, size, offset, length, packing } = await found(file)
      if (packing !== 'stored')
        return sourceOf(await gather(await openPlace(blobs, await place(file))))
      const whole = archive?.source ?? blobSource(blobs, { key, size: offset + length })
      return { size, read: (start, end) => whole.read(offset + start, offset + end) }
    },
  }
}

const notUnpacked = (name: string, size: number, thrown: unknown) =>
  isTooLarge(thrown)
    ? `${name}: the file is larger than the ${size} bytes that the archive tells`
    : `${name}: the file cannot be unpacked`
