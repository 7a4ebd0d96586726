import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { type ArchiveFile, writeZip } from '@reticle/formats/archive/zip-writer'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { noTime } from '../frames/context-images.ts'
import type { ImageDecoder } from '../frames/decode.ts'
import { mapInOrder } from '../frames/map-in-order.ts'
import { jpegOf } from '../frames/pictures.ts'
import { gatherSource, isUndecodable, readSourceOrNothing } from '../frames/source.ts'
import { encodeUpright, turnUpright } from '../upright.ts'
import type { ChunkVariant } from './name.ts'

export interface ChunkArchiveDeps {
  blobs: Pick<BlobStore, 'get'>
  decode: ImageDecoder
  /** Number of pictures that are made at the same time. */
  sideBySide: number
}

/**
 * Writes a chunk of pictures: an uncompressed archive in frame order, whose members are named by their places. The same
 * frames make the same bytes.
 *
 * @param lines frame lines from the chunk's first frame to its last
 */
export function writeChunkArchive(
  deps: ChunkArchiveDeps,
  chunk: ChunkVariant,
  lines: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const frames = framesOf(chunk, lines)
  const files =
    chunk.quality === 'original' ? uprightOriginals(deps, frames) : jpegs(deps, chunk, frames)
  return writeZip(files, noTime)
}

/** Frame, or `undefined` for a placeholder. */
type Member = FrameSource | undefined

async function* framesOf(
  { start, chosen, has_placeholders = false }: ChunkVariant,
  lines: AsyncIterable<Uint8Array>,
): AsyncGenerator<Member> {
  const some = chosen && new Set(chosen.frames)
  let frame = start
  for await (const batch of decodeFrames(lines))
    for (const source of batch) {
      const isIn = some === undefined || some.has(frame)
      frame += 1
      if (isIn) yield source
      else if (has_placeholders) yield undefined
    }
}

/** A black JPEG of one pixel. */
const placeholder = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAB//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP3//2Q==',
  'base64',
)

const formatMemberIndex = (index: number) => String(index).padStart(6, '0')

/** Turns photographs with an EXIF orientation, so that pixels match the size and the coordinates of the frame. */
async function* uprightOriginals(
  { blobs, decode }: ChunkArchiveDeps,
  frames: AsyncIterable<Member>,
): AsyncGenerator<ArchiveFile> {
  // Photos are read while the decoder has room for them, so that few are in memory at once.
  const turn = async (read: () => Promise<Buffer>) => {
    let photo: Buffer = Buffer.alloc(0)
    const keepPhoto = async () => {
      photo = await read()
      return photo
    }
    return decode(keepPhoto, encodeUpright).catch((thrown) => {
      if (isUndecodable(thrown)) return photo
      throw thrown
    })
  }
  let index = 0
  for await (const frame of frames) {
    const name = formatMemberIndex(index++)
    yield frame
      ? {
          path: `${name}${endingOf(frame)}`,
          content: turnUpright(readSourceOrNothing(blobs, frame), turn),
          isStored: true,
        }
      : { path: `${name}.jpeg`, content: placeholder, isStored: true }
  }
}

/** Returns the ending of the frame's name, or of its media type if the name has none. */
function endingOf({ name, media_type }: FrameSource): string {
  const own = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0]
  return own ?? `.${media_type.replace(/^\w+\//, '')}`
}

async function* jpegs(
  { blobs, decode, sideBySide }: ChunkArchiveDeps,
  { image_quality }: ChunkVariant,
  frames: AsyncIterable<Member>,
): AsyncGenerator<ArchiveFile> {
  const made = mapInOrder(frames, sideBySide, async (frame, index) => {
    if (!frame)
      return { path: `${formatMemberIndex(index)}.jpeg`, content: placeholder, isStored: true }
    const read = () => gatherSource(blobs, frame)
    const content = await decode(read, jpegOf(image_quality)).catch((thrown) => {
      if (isUndecodable(thrown)) return read().catch(nothingIfUndecodable)
      throw thrown
    })
    return { path: `${formatMemberIndex(index)}.jpeg`, content, isStored: true }
  })
  yield* made
}

/**
 * Handles a broken picture, which must neither hide its neighbours nor move them: its place holds its own bytes, which
 * the reader will find to be broken, or no bytes when none can be read.
 */
function nothingIfUndecodable(thrown: unknown): Buffer {
  if (isUndecodable(thrown)) return Buffer.alloc(0)
  throw thrown
}
