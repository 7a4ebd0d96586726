import { createHash } from 'node:crypto'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import { DomainError } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { cutBytes } from '@reticle/kit/call/pieces'
import { beyondCall } from '@reticle/kit/call/signal'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'
import { registerLive } from '../../storage/repo-objects.ts'
import { gatherBytes } from '../../storage/stored-file.ts'
import { toJpeg } from '../image.ts'
import { sniffedBytes, sniffFile } from '../sniff.ts'
import { createImageDecoder, type ImageConversion, type ImageDecoder } from './decode.ts'
import { assertUnchanged, gatherSource, openSource, undecodable } from './source.ts'

export interface FramePicture {
  /** Media type. */
  type: string
  /** Size in bytes, if known beforehand. */
  length?: number
  /** Entity tag of the content, for pictures that are not frames. */
  etag?: string
  chunks: AsyncIterable<Uint8Array>
}

/**
 * Each throws DomainError not_found when the source is missing or cannot be decoded, conflict when it has changed on
 * the share.
 */
export interface FramePictures {
  /** Opens the unchanged upload. */
  original: (frame: LocatedFrame) => Promise<FramePicture>
  /** Opens a JPEG of the task's quality, upright. */
  compressed: (frame: LocatedFrame) => Promise<FramePicture>
  /** Opens a picture of at most 256 x 256; PNG for PNG, else JPEG. */
  preview: (frame: LocatedFrame) => Promise<FramePicture>
  /** Makes a preview of other bytes, at most 64 MiB. */
  small: (bytes: AsyncIterable<Uint8Array>) => Promise<FramePicture>
}

const previewSide = 256

interface Deps {
  db: Kysely<RequestsDb>
  blobs: BlobStore
  decode?: ImageDecoder
}

/** Creates the pictures of frames. Compressed ones and previews are made once and kept in the blob store. */
export function createFramePictures({
  db,
  blobs,
  decode = createImageDecoder(),
}: Deps): FramePictures {
  const making = new Map<string, Promise<Buffer>>()

  const make = async (frame: LocatedFrame, key: string, change: ImageConversion) => {
    const bytes = await decode(() => gatherSource(blobs, frame), change)
    await registerLive(db, { key: folderOf(frame), kind: 'frames', task_id: frame.task_id })
    await blobs.put(key, pieces(bytes))
    return bytes
  }
  /** Returns the stored picture, or joins its making, or makes it. */
  const made = (frame: LocatedFrame, key: string, change: ImageConversion) => {
    const begin = () => make(frame, key, change).finally(() => making.delete(key))
    const running = making.get(key) ?? beyondCall(begin)
    making.set(key, running)
    return running
  }
  const smaller = async (
    frame: LocatedFrame,
    name: string,
    type: string,
    change: ImageConversion,
  ) => {
    if (frame.storage === 'share') await assertUnchanged(blobs, [frame])
    const key = `${folderOf(frame)}${frame.data_revision}/${frame.frame}-${name}`
    const kept = await find(blobs, key)
    if (kept) return { type, length: kept.size, chunks: kept.chunks }
    const bytes = await made(frame, key, change)
    return { type, length: bytes.length, chunks: pieces(bytes) }
  }

  return {
    original: (frame) => openOriginal(blobs, frame),
    compressed: (frame) => {
      const { image_quality: quality } = frame
      return smaller(frame, `q${quality}.jpeg`, 'image/jpeg', jpegOf(quality))
    },
    small: (bytes) => shrink(bytes, decode),
    preview: (frame) => {
      const isPng = frame.media_type === 'image/png'
      const change = fitting(isPng)
      return smaller(
        frame,
        isPng ? 'preview.png' : 'preview.jpeg',
        isPng ? 'image/png' : 'image/jpeg',
        change,
      )
    },
  }
}

/**
 * Creates the conversion to JPEG.
 *
 * @param quality 1 to 100
 */
export const jpegOf =
  (quality: number): ImageConversion =>
  (image) =>
    toJpeg(image, quality)

const fitting =
  (isPng: boolean): ImageConversion =>
  (image) => {
    const small = image.resize(previewSide, previewSide, {
      fit: 'inside',
      withoutEnlargement: true,
    })
    return isPng ? small.png() : small.jpeg()
  }

const largestForeign = 64 * 1024 * 1024

/**
 * Makes a preview. Detects the format by the bytes: formats that run programs or name files are never passed to a
 * decoder.
 */
async function shrink(
  bytes: AsyncIterable<Uint8Array>,
  decode: ImageDecoder,
): Promise<FramePicture> {
  let isPng = false
  const read = async () => {
    const image = await gatherBytes(bytes, largestForeign + 1)
    const kind = sniffFile(image.subarray(0, sniffedBytes))
    if (kind.is !== 'image' || image.length > largestForeign) throw undecodable()
    isPng = kind.media_type === 'image/png'
    return image
  }
  const small = await decode(read, (image) => fitting(isPng)(image))
  const type = isPng ? 'image/png' : 'image/jpeg'
  const etag = `"p${createHash('sha256').update(small).digest('hex').slice(0, 32)}"`
  return { type, length: small.length, etag, chunks: pieces(small) }
}

/** Key prefix of all pictures made of a task's media, which are deleted with the task. */
const folderOf = ({ task_id }: LocatedFrame) => `requests/frames/${task_id}/`

async function openOriginal(blobs: BlobStore, frame: LocatedFrame): Promise<FramePicture> {
  const { media_type: type, packing, length } = frame
  const chunks = await openSource(blobs, frame)
  return packing === 'stored' ? { type, length, chunks } : { type, chunks }
}

async function find(blobs: BlobStore, key: string) {
  try {
    return await blobs.get(key)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') return undefined
    throw thrown
  }
}

async function* pieces(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield* cutBytes(bytes)
}
