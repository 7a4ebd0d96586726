import { createHash } from 'node:crypto'
import type { LocatedFrame } from '@reticle/contracts/rest/facts'
import { DomainError } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { beyondCall } from '@reticle/kit/db/session/call-signal'
import { cutBytes } from '@reticle/kit/pieces'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { toJpeg } from '../media/image.ts'
import { gather } from '../media/packed.ts'
import { sniff, sniffedBytes } from '../media/sniff.ts'
import { registerLive } from '../objects/repo.ts'
import { type Change, type Decoder, openDecoder } from './decode.ts'
import { assertUnchanged, gatherSource, openSource, undecodable } from './source.ts'

export interface Picture {
  /** Media type. */
  type: string
  /** Bytes, where known beforehand. */
  length?: number
  /** Of their content, where it is no frame's. */
  etag?: string
  chunks: AsyncIterable<Uint8Array>
}

/** Each throws DomainError not_found when the source is gone or cannot be decoded, conflict when it has changed on the share. */
export interface Pictures {
  /** As it was uploaded. */
  original: (frame: LocatedFrame) => Promise<Picture>
  /** A JPEG of the task's quality, upright. */
  compressed: (frame: LocatedFrame) => Promise<Picture>
  /** At most 256 x 256; PNG for PNG, else JPEG. */
  preview: (frame: LocatedFrame) => Promise<Picture>
  /** The same of bytes from elsewhere; at most 64 MiB of them are an image. */
  small: (bytes: AsyncIterable<Uint8Array>) => Promise<Picture>
}

const previewSide = 256

interface Deps {
  db: Kysely<RequestsDb>
  blobs: BlobStore
  decode?: Decoder
}

/** Pictures of frames; what is made smaller is kept in the blob store and made once. */
export function openPictures({ db, blobs, decode = openDecoder() }: Deps): Pictures {
  const making = new Map<string, Promise<Buffer>>()

  const make = async (frame: LocatedFrame, key: string, change: Change) => {
    const bytes = await decode(() => gatherSource(blobs, frame), change)
    await registerLive(db, { key: folderOf(frame), kind: 'frames', task_id: frame.task_id })
    await blobs.put(key, pieces(bytes))
    return bytes
  }
  /** Whoever asks while it is being made waits for the same one. */
  const made = (frame: LocatedFrame, key: string, change: Change) => {
    const begin = () => make(frame, key, change).finally(() => making.delete(key))
    const running = making.get(key) ?? beyondCall(begin)
    making.set(key, running)
    return running
  }
  const smaller = async (frame: LocatedFrame, name: string, type: string, change: Change) => {
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

/** @param quality of 1 to 100 */
export const jpegOf =
  (quality: number): Change =>
  (image) =>
    toJpeg(image, quality)

const fitting =
  (isPng: boolean): Change =>
  (image) => {
    const small = image.resize(previewSide, previewSide, {
      fit: 'inside',
      withoutEnlargement: true,
    })
    return isPng ? small.png() : small.jpeg()
  }

const largestForeign = 64 * 1024 * 1024

/** What the bytes are is told by themselves: formats that run programs or name files are never given to a decoder. */
async function shrink(bytes: AsyncIterable<Uint8Array>, decode: Decoder): Promise<Picture> {
  let isPng = false
  const read = async () => {
    const image = await gather(bytes, largestForeign + 1)
    const kind = sniff(image.subarray(0, sniffedBytes))
    if (kind.is !== 'image' || image.length > largestForeign) throw undecodable()
    isPng = kind.media_type === 'image/png'
    return image
  }
  const small = await decode(read, (image) => fitting(isPng)(image))
  const type = isPng ? 'image/png' : 'image/jpeg'
  const etag = `"p${createHash('sha256').update(small).digest('hex').slice(0, 32)}"`
  return { type, length: small.length, etag, chunks: pieces(small) }
}

/** Everything made of a task's media lies below one prefix, and goes with the task. */
const folderOf = ({ task_id }: LocatedFrame) => `requests/frames/${task_id}/`

async function openOriginal(blobs: BlobStore, frame: LocatedFrame): Promise<Picture> {
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
