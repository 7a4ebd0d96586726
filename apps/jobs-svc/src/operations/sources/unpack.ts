import { Readable } from 'node:stream'
import { readPieces } from '@reticle/formats/archive/source'
import type { ArchiveLimits } from '@reticle/formats/archive/zip-reader'
import { FormatError } from '@reticle/formats/report/errors'
import { pieceBytes } from '@reticle/kit/call/pieces'
import { openUnpacker, type Packer } from '../../media/kinds/unpacker.ts'
import { countedIn, isBomb } from '../../media/media-bytes.ts'
import { blobSource } from '../../storage/stored-file.ts'
import type { SourceDeps } from './deps.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

/**
 * Unpacks a file that is compressed as a whole into an object below `prefix`. Counts its bytes while unpacking, because
 * the unpacked size is unknown before.
 *
 * @throws FormatError when it is damaged, cut or unpacks to more than the limit
 */
export async function unpackToObject(
  file: SourceFile,
  by: Packer,
  { blobs, limits, signal, prefix }: Pick<SourceDeps, 'blobs' | 'limits' | 'signal' | 'prefix'>,
): Promise<SourceFile> {
  const counted = { packed: 0 }
  const source = blobSource(blobs, file)
  const packed = countedIn(readPieces(source, 0, file.size, pieceBytes), counted)
  const pieces = unpackPieces(packed, by, file.name)
  const key = `${prefix}unpacked`
  const { size } = await blobs.put(key, limitUnpacked(pieces, counted, limits), { signal })
  return toSourceFile(file.name, key, size)
}

async function* limitUnpacked(
  pieces: AsyncIterable<Uint8Array>,
  counted: { packed: number },
  { bytes, ratio }: ArchiveLimits,
) {
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > bytes || isBomb(size, counted.packed, ratio))
      throw new FormatError(`archive too large: it unpacks to more than ${size} bytes`)
    yield piece
  }
}

/**
 * Unpacks pieces.
 *
 * @throws FormatError for damaged data
 */
export async function* unpackPieces(
  packed: AsyncIterable<Uint8Array>,
  by: Packer,
  name: string,
): AsyncGenerator<Uint8Array> {
  const source = Readable.from(packed)
  const unpacker = openUnpacker(by, { chunkSize: pieceBytes })
  let ofSource: unknown
  source.on('error', (error) => {
    ofSource = error
    unpacker.destroy(error)
  })
  try {
    yield* source.pipe(unpacker)
  } catch (thrown) {
    if (thrown === ofSource) throw thrown
    throw new FormatError(`${name}: the archive is damaged or cut off`)
  } finally {
    source.destroy()
    unpacker.destroy()
  }
}
